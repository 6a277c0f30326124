// Joint log-probabilities of a block of dense rows and every class: sums over the columns.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kJointColsAtOnce = 32;

// At most JointBlock::kMostRows rows of any layout.
template <class T>
struct DenseRows {
  const T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t n_rows;
  std::int64_t n_cols;
};

// log P(c, x) = constant_c - sum_j (scale_cj (x_j - shift_j) + offset_cj)^2: with the mean m and
// the variance v, scale = 1 / sqrt(2 v) and offset = (shift - m) / sqrt(2 v). A sum of squares, so
// that nothing cancels but x - m; the shift keeps that from columns far from zero.
struct GaussianClasses {
  const double* shift;   // n_cols
  const double* scale;   // k rows of n_cols
  const double* offset;  // k rows of n_cols
  const double* constant;
  std::int64_t k;
};

// log P(c, x) = constant_c + sum_j coef_cj x_j.
struct LinearClasses {
  const double* coef;  // k rows of n_cols
  const double* constant;
  std::int64_t k;
};

// Writes the entries of a JointBlock; whether all squares were finite. `scratch` has room for
// JointBlock::kMostRows x kJointColsAtOnce numbers.
GRAMIAN_DECLARE_KERNEL(bool gaussian_joint(const DenseRows<double>& rows,
                                           const GaussianClasses& classes, double* scratch,
                                           double* joint))
GRAMIAN_DECLARE_KERNEL(bool gaussian_joint(const DenseRows<float>& rows,
                                           const GaussianClasses& classes, double* scratch,
                                           double* joint))

GRAMIAN_DECLARE_KERNEL(void linear_joint(const DenseRows<double>& rows,
                                         const LinearClasses& classes, double* scratch,
                                         double* joint))
GRAMIAN_DECLARE_KERNEL(void linear_joint(const DenseRows<float>& rows, const LinearClasses& classes,
                                         double* scratch, double* joint))

}  // namespace gramian
