// Least squares with an L2 penalty, for every target c:
//   minimise  sum_i w_i (y_ic - b_c - x_i' v_c)^2 + alpha_c |v_c|^2   over v_c and, if asked, b_c.
//
// Both methods work on a Gram matrix, which squares the condition number, and mend that by
// iterative refinement with gradients taken from the data; of many rows that are well-conditioned
// from the moments, which then have the digits. Where the matrix is too
// ill-conditioned for it (Status::ill_conditioned) the caller takes an orthogonal method.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "linalg/moments.hpp"

namespace gramian::solve {

enum class Status { ok, not_finite, ill_conditioned };

struct LeastSquaresOptions {
  std::span<const double> alpha;  // one entry, or one per target
  bool fit_intercept = true;
  bool round_to_float = false;  // the caller keeps the coefficients in single precision
  // X_c X_c' without weights (n x n), if the caller has it; for solve_kernel_equations.
  const double* kernel = nullptr;
};

struct LeastSquaresResult {
  Status status = Status::ok;
  std::vector<double> coef;  // p x t, row-major
  std::vector<double> mean_x, mean_y;
  std::vector<double> rss;           // t: weighted residual sum of squares
  std::vector<double> total;         // t: the same of the constant (or zero) prediction
  std::vector<double> squared_norm;  // t: squared norm of half the negative gradient
  double optimality = 0.0;           // max |x_j' r - alpha v_j| / (|x_j| |y|): zero at the optimum
  double rcond = 1.0;                // of the scaled matrix that was factorised
  std::int64_t rank = 0;             // columns that are not constant
  int n_refinements = 0;
  double weight = 0.0;
};

// Moments about the means with an intercept, about zero without one. Sets mean_x, mean_y and the
// status of `result`: not_finite, or ill_conditioned where centring sparse rows cost their digits.
// The diagonal of a column that is constant up to rounding is zero. `cancellation` receives the
// worst loss of centring, |shifted| / |centred|, over the other columns.
linalg::Moments centred_moments(const linalg::Design& design, bool fit_intercept,
                                LeastSquaresResult& result, const Context& ctx,
                                double* cancellation = nullptr);

// For n >= p: Cholesky of the centred, diagonally scaled Gram matrix. O(n p^2 / 2 + p^3 / 6)
// multiply-adds. `gram` (p x p) receives the centred Gram matrix unless it is null.
LeastSquaresResult solve_normal_equations(const linalg::Design& design,
                                          const LeastSquaresOptions& options, double* gram,
                                          const Context& ctx);

// For n < p: Cholesky of X_c X_c' + alpha I (n x n), coefficients in the span of the rows: the
// solution of least norm where alpha is zero. O(n^2 p / 2 + n^3 / 6).
LeastSquaresResult solve_kernel_equations(const AnyDense& X, MatrixView<const double> Y,
                                          std::span<const double> weight,
                                          const LeastSquaresOptions& options, const Context& ctx);

}  // namespace gramian::solve
