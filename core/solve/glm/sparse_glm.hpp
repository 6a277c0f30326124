// Generalised linear models with an L1 penalty beside the quadratic one:
//   minimise  F(v, b) + l1 sum |v| + l1_intercept sum |b|,  F as in glm_objective.hpp.
//
// Newton's method with a proximal step: the quadratic model on a working set of columns, those that
// are not zero or would leave zero, is minimised by coordinate descent in Gram space, and a line
// search follows. One read of the data per step, and the Gram matrix of the working set only.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "solve/glm/glm.hpp"
#include "solve/glm/glm_objective.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

struct L1Penalty {
  double coef = 0.0;
  double intercept = 0.0;
};

// As fit_glm; tol is on the largest violation of the optimality conditions, and the objective has
// the L1 penalty in it. The excess is not estimated.
GlmResult fit_sparse_glm(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
                         const GlmOptions& options, std::span<double> params, const Context& ctx);

}  // namespace gramian::solve
