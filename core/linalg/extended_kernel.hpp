// Sums in doubled precision (Ogita, Rump, Oishi 2005, "Dot2"): as if computed with 106 bits and
// then rounded, for the residuals of iterative refinement.
#pragma once

#include <cstdint>

#include "base/views.hpp"
#include "simd/level.hpp"

namespace gramian {

// Rows of the augmented system [I A; A' 0] of least squares, A = diag(root_weight) [1 X].
struct ExtendedRows {
  MatrixView<const double> X;
  const double* y;  // one target
  const double* root_weight;
  const double* coef;
  double intercept;
  const double* residual;  // r, of the scaled rows
};

// f[i] = root_weight[i] (y[i] - intercept - x_i' coef) - r[i] for the rows begin .. end.
GRAMIAN_DECLARE_KERNEL(void extended_primal(const ExtendedRows& rows, std::int64_t begin,
                                            std::int64_t end, double* f))

// (high + low)[j] += sum_i root_weight[i] r[i] x_ij; entry n_cols is that of the column of ones.
GRAMIAN_DECLARE_KERNEL(void extended_adjoint(const ExtendedRows& rows, std::int64_t begin,
                                             std::int64_t end, double* high, double* low))

}  // namespace gramian
