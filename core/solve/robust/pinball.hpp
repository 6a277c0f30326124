// Losses that grow linearly on both sides of a target, with an L1 or a quadratic penalty:
//   minimise over v, b   sum_i (a_i (r_i - e)^+ + c_i (-r_i - e)^+)
//                        + l1 |v|_1 + l2 / 2 |v|^2 + l2_intercept / 2 b^2,   r_i = y_i - b - x_i'
//                        v,
// for slopes a_i (above), c_i (below) >= 0, not both zero, and a dead zone e >= 0. Quantile
// regression has an L1 penalty and a_i : c_i = tau : 1 - tau; a support vector machine a quadratic
// one, and one slope (of classes) or two equal ones.
//
// The L1 penalty of a coefficient is one more row, e_j with target 0, whose two slopes are l1; a
// dead zone makes two rows of one, each with one slope. The dual, with L the quadratic penalty, is
//   maximise  y' u - g' L^-1 g / 2,  g = sum_i u_i (x_i, 1),  over  -c_i <= u_i <= a_i,
// with g = 0 where there is no quadratic penalty. The Frisch-Newton interior-point method (Portnoy
// and Koenker 1997) with Mehrotra's predictor and corrector: one step costs a weighted Gram matrix,
// O(n p^2 / 2), and a few passes over the rows; some twenty steps are needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "solve/robust/weighted_rows.hpp"

namespace gramian::solve {

struct PinballProblem {
  std::span<const double> y;
  std::span<const double> above;  // a
  std::span<const double> below;  // c
  double dead_zone = 0.0;
  double l1 = 0.0;
  double l2 = 0.0;            // either l1 or l2 is zero
  double l2_intercept = 0.0;  // > 0 if l2 is, and there is an intercept
  bool fit_intercept = true;
};

struct PinballOptions {
  double tol = 1e-6;  // on the gap, relative to the objective
  std::int64_t max_iter = 100;
};

struct PinballResult {
  std::vector<double> coef;
  double intercept = 0.0;
  std::vector<double> dual;  // u: n rows, then p coefficients if there is an L1 penalty
  double gap = 0.0;          // between both problems, relative to the objective
  std::int64_t n_iter = 0;
  bool converged = false;
};

// With a penalty on the intercept, the shift of the rows must be zero.
PinballResult fit_pinball(const WeightedRows& X, const PinballProblem& problem,
                          const PinballOptions& options, const Context& ctx);

}  // namespace gramian::solve
