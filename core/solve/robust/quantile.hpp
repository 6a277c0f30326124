// Quantile regression with an L1 penalty, as a linear program:
//   minimise over v, b   sum_i w_i (tau r_i^+ + (1 - tau) r_i^-) + penalty |v|_1,
//   r_i = y_i - b - x_i' v.
// The dual, with one row more for the penalty of every coefficient (see pinball.hpp), is
//   maximise  y' u  over u  with  sum_i u_i (x_i, 1) = 0  and  -c_i <= u_i <= a_i.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "solve/robust/pinball.hpp"
#include "solve/robust/weighted_rows.hpp"

namespace gramian::solve {

struct QuantileOptions {
  double quantile;  // tau, 0 < tau < 1
  double penalty;   // >= 0
  double tol;       // on the gap, relative to the objective
  std::int64_t max_iter;
  bool fit_intercept;
};

using QuantileResult = PinballResult;

// An empty weight means one for every row; the others are positive.
QuantileResult fit_quantile(const WeightedRows& X, std::span<const double> y,
                            std::span<const double> weight, const QuantileOptions& options,
                            const Context& ctx);

}  // namespace gramian::solve
