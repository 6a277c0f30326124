// Leave-one-out errors of ridge regressions with many penalties, from one eigendecomposition.
//
// With centred rows x_i, targets y_i, weights w_i of sum W, and  X' diag(w) X = Q diag(lambda) Q':
// the rows z_i = Q' x_i give for every penalty alpha the fitted values and the leverages
//   f_i = sum_j z_ij c_j / (lambda_j + alpha),   h_i = sum_j z_ij^2 / (lambda_j + alpha),
// c = Q' X' diag(w) y, and the error at row i of the fit without row i is
//   e_i = (y_i - f_i) / (1 - w_i (h_i + 1 / W)),
// the term 1 / W being the intercept's leverage. A row is left out with all of its weight.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

struct RidgeSpectrum {
  MatrixView<const double> vectors;        // p x p: Q
  std::span<const double> values;          // p: lambda, not negative
  MatrixView<const double> cross;          // p x t: c
  std::span<const double> mean_x, mean_y;  // what centres rows and targets
  double offset = 0.0;                     // 1 / W with an intercept, 0 without
  std::span<const double> alpha;           // penalties, all positive
};

// Where the errors go: `errors` is n x (t * n_alphas), target by target, and may have no data;
// `sums` is t x n_alphas and receives  sum_i w_i e_i^2.
struct LeaveOneOutErrors {
  MatrixView<double> errors;
  MatrixView<double> sums;
};

// O(n p (p + (t + 1) n_alphas)) multiply-adds in one pass over X; scratch O(p^2 + p n_alphas), and
// O(p) for each thread. An empty `weight` means one for every row.
void leave_one_out(const AnyMatrix& X, MatrixView<const double> Y, std::span<const double> weight,
                   const RidgeSpectrum& spectrum, const LeaveOneOutErrors& out, const Context& ctx);

}  // namespace gramian::solve
