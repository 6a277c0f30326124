// Huber's regression with the scale as an unknown (Huber 1981, section 7.8; Owen 2006):
//   minimise over v, b, s > 0   sum_i w_i (s + s h(r_i / s)) + alpha |v|^2,  r_i = y_i - b - x_i'
//   v,
// where h(z) = z^2 for |z| <= epsilon, else 2 epsilon |z| - epsilon^2. Jointly convex: s h(r / s)
// is the perspective of a convex function.
//
// Newton's method with an exact line search, which costs no pass over X. The Hessian is the Gram
// matrix of the rows (x_i, 1, r_i / s) with |r_i| <= epsilon s: one weighted product per step,
// O(n p^2 / 2). Where the best s is zero (a majority of the rows can be fitted exactly), s falls by
// at most a fixed factor per step, down to rounding: a path of smooth problems towards least
// absolute deviations (Madsen and Nielsen 1993).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "solve/robust/weighted_rows.hpp"

namespace gramian::solve {

struct HuberOptions {
  double epsilon;  // >= 1
  double alpha;    // >= 0
  double tol;      // on the largest entry of the gradient; two more steps are taken beyond it
  std::int64_t max_iter;
  bool fit_intercept;
  bool warm_start;  // whether the point given is where to start, or least squares
};

struct HuberPoint {
  std::vector<double> coef;
  double intercept = 0.0;
  double scale = 1.0;
};

struct HuberResult {
  std::int64_t n_iter = 0;
  bool converged = false;
  double decrement = 0.0;  // half of g' H^-1 g at the last but one point, relative to the objective
};

// An empty weight means one for every row. `point` is the start and receives the solution.
HuberResult fit_huber(const WeightedRows& X, std::span<const double> y,
                      std::span<const double> weight, const HuberOptions& options,
                      HuberPoint& point, const Context& ctx);

}  // namespace gramian::solve
