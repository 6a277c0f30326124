// Fits of generalised linear models with a quadratic penalty.
//
// The default method reads the data as seldom as it can. It fits a sample of the rows first, by
// Newton's method; the sample's optimum is the start, and the sample's Hessian the preconditioner
// of L-BFGS on all rows, each step of which is one pass over the data and gains about a digit.
// Where the whole Hessian costs no more than a few passes it is Newton's method from the beginning,
// and where it costs too much, L-BFGS scaled by the Hessian's diagonal. A loss that is not convex
// gets Newton's method, with Fisher's scoring where the Hessian is indefinite.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "solve/glm/glm_objective.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

enum class GlmMethod { automatic, newton_cholesky, newton_cg, gradient_descent };

struct GlmOptions {
  GlmMethod method = GlmMethod::automatic;
  double tol = 1e-4;  // on the largest entry of the gradient
  std::int64_t max_iter = 100;
};

// What the solver says; for what the data prove see glm_proof.hpp.
struct GlmResult {
  double objective = 0.0;
  double excess = 0.0;  // estimate of how far the objective is above its minimum
  std::int64_t n_iter = 0;
  bool converged = false;
  bool is_singular = false;  // whether there is no penalty and the optimum is not unique
};

// `params` (see rows.hpp, with constants that belong to columns about zero) is the start and
// receives the result.
GlmResult fit_glm(const Rows& rows, const GlmProblem& problem, const GlmOptions& options,
                  std::span<double> params, const Context& ctx);

// The constants for columns about the shift of the rows instead of about zero (sign = 1), or back
// (sign = -1).
void move_constants(const Rows& rows, double sign, std::int64_t n_outputs,
                    std::span<double> params);

}  // namespace gramian::solve
