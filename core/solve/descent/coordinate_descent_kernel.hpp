// The inner loops of coordinate descent.
#pragma once

#include <cstdint>

#include "linalg/panels_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

// One visit of every coordinate of a working set in Gram space. Row k of the coefficients becomes
//   v_k = shrink(z, l1) / (g_kk + l2),   z = slope_k + g_kk v_k,
// and the slopes  c - G v  follow. Arrays are target-major: entry (k, c) stands at [c * ld + k],
// rows of `gram` are ld apart, and ld is a multiple of kLanes.
struct GramSweep {
  const double* gram;
  std::int64_t ld;
  std::int64_t size;
  std::int64_t n_targets;
  const std::int64_t* order;  // null: 0, 1, ...
  double l1;
  double l2;
  bool is_positive;  // one target only
  double* coef;
  double* slope;
};

// Returns the largest (g_kk + l2) |change of v_k|^2: twice what that visit took off the objective,
// or more.
GRAMIAN_DECLARE_KERNEL(double sweep_gram(const GramSweep& sweep))

// sum_i (x_i - shift) r_i.
GRAMIAN_DECLARE_KERNEL(double column_dot(const double* x, double shift, const double* r,
                                         std::int64_t n))
GRAMIAN_DECLARE_KERNEL(double column_dot(const float* x, double shift, const double* r,
                                         std::int64_t n))

// sum_i w_i (x_i - shift)^2; null weights mean one.
GRAMIAN_DECLARE_KERNEL(double column_square(const double* x, double shift, const double* weight,
                                            std::int64_t n))
GRAMIAN_DECLARE_KERNEL(double column_square(const float* x, double shift, const double* weight,
                                            std::int64_t n))

// r_i -= factor (x_i - shift).
GRAMIAN_DECLARE_KERNEL(void subtract_column(const double* x, double shift, double factor,
                                            std::int64_t n, double* r))
GRAMIAN_DECLARE_KERNEL(void subtract_column(const float* x, double shift, double factor,
                                            std::int64_t n, double* r))

// acc[j] += sum_k w_k (rows(k, j) - col_shift[j])^2; null weights mean one. `acc` and the shifts
// are padded to whole panels.
GRAMIAN_DECLARE_KERNEL(void add_row_squares(const RowBlock<double>& rows, const double* weight,
                                            double* acc))
GRAMIAN_DECLARE_KERNEL(void add_row_squares(const RowBlock<float>& rows, const double* weight,
                                            double* acc))

}  // namespace gramian
