// Quantile regression with an L1 penalty, as a linear program:
//   minimise over v, b   sum_i w_i (tau r_i^+ + (1 - tau) r_i^-) + penalty |v|_1,
//   r_i = y_i - b - x_i' v.
// The penalty of a coefficient is one more row, e_j with target 0, whose two slopes are equal. With
// slopes a_i (above) and c_i (below) of all rows, the dual is
//   maximise  y' u  over u  with  sum_i u_i (x_i, 1) = 0  and  -c_i <= u_i <= a_i,
// for which u = 0 is feasible: the Frisch-Newton interior-point method (Portnoy and Koenker 1997)
// with Mehrotra's predictor and corrector keeps both problems feasible. One step costs a weighted
// Gram matrix, O(n p^2 / 2), and three passes over the rows; some twenty steps are needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "solve/weighted_rows.hpp"

namespace gramian::solve {

struct QuantileOptions {
  double quantile;  // tau, 0 < tau < 1
  double penalty;   // >= 0
  double tol;       // on the gap, relative to the objective
  std::int64_t max_iter;
  bool fit_intercept;
};

struct QuantileResult {
  std::vector<double> coef;
  double intercept = 0.0;
  std::vector<double> dual;  // u: n rows, then p coefficients if there is a penalty
  double gap = 0.0;          // complementarity left, relative to the objective
  std::int64_t n_iter = 0;
  bool converged = false;
};

// An empty weight means one for every row; the others are positive.
QuantileResult fit_quantile(const WeightedRows& X, std::span<const double> y,
                            std::span<const double> weight, const QuantileOptions& options,
                            const Context& ctx);

}  // namespace gramian::solve
