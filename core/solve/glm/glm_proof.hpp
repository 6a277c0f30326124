// What the data prove about a fit of a generalised linear model: its objective, and how far that is
// above the minimum at most.
//
// With the losses' derivatives u_i at the scores and g = X'Wu / sum(w), Fenchel's duality says
//   P(v) - P* <= R(v) + g'v + R*(-g),   R(v) = l1 |v|_1 + l2/2 |v|^2,
//   R*(g) = sum_j max(|g_j| - l1, 0)^2 / (2 l2),  or, for l2 = 0, zero if no |g_j| exceeds l1,
// provided that the derivatives cancel where a constant is free. Constants that are not optimal for
// their coefficients are therefore replaced first. For l2 = 0 the derivatives are scaled down until
// no |g_j| exceeds l1; the distance from those at the scores, the divergence of one distribution of
// the classes from another, is then added; of a squared excess, scaled by c, it is (1 - c)^2 times
// the loss. Without a penalty, or with a loss that is not convex, nothing is proven.
#pragma once

#include <span>

#include "base/context.hpp"
#include "solve/glm/glm_objective.hpp"
#include "solve/glm/sparse_glm.hpp"

namespace gramian::solve {

struct GlmProof {
  double objective = 0.0;
  double gradient_size = 0.0;  // largest violation of the optimality conditions
  double excess = 0.0;         // the objective is at most this far above its minimum; or infinity
  bool is_finite = true;
};

GlmProof prove_glm(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
                   std::span<const double> params, const Context& ctx);

}  // namespace gramian::solve
