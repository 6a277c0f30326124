// Products of blocks of rows with triangular factors: what a normal distribution with a full
// covariance asks of a row.
//
// A block of n_rows <= JointBlock::kMostRows rows stands column by column: entry (i, j) at
// block[j * kMostRows + i], zero for the rows up to a whole tile of vectors.
#pragma once

#include <cstdint>

#include "bayes/dense_joint_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kFactorCols = 8;

// The lower triangular p x p matrix F, in groups of kFactorCols rows: entry F(8 t + c, j) with
// j < 8 t + 8 stands at packed[32 t (t + 1) + 8 j + c], zero beyond the matrix.
inline std::int64_t packed_factor_size(std::int64_t p) {
  const std::int64_t groups = (p + kFactorCols - 1) / kFactorCols;
  return kFactorCols * kFactorCols * groups * (groups + 1) / 2;
}
inline std::int64_t packed_factor_at(std::int64_t row, std::int64_t col) {
  const std::int64_t group = row / kFactorCols;
  return kFactorCols * kFactorCols * group * (group + 1) / 2 + col * kFactorCols +
         row % kFactorCols;
}

// block(i, j) = x(i, j), whole.
GRAMIAN_DECLARE_KERNEL(void read_block(const DenseRows<double>& rows, double* block))
GRAMIAN_DECLARE_KERNEL(void read_block(const DenseRows<float>& rows, double* block))

// out(i, j) = block(i, j) - shift_j.
GRAMIAN_DECLARE_KERNEL(void shift_block(const double* block, const double* shift, std::int64_t p,
                                        std::int64_t n_rows, double* out))

// out(i, m) = sum_{j <= m} F(m, j) block(i, j).
GRAMIAN_DECLARE_KERNEL(void times_factor(const double* block, const double* packed, std::int64_t p,
                                         std::int64_t n_rows, double* out))

// out_i = constant - sum_m (sum_{j <= m} F(m, j) block(i, j))^2 / 2; whether all were finite.
GRAMIAN_DECLARE_KERNEL(bool quadratic_form(const double* block, const double* packed,
                                           std::int64_t p, std::int64_t n_rows, double constant,
                                           double* out))

}  // namespace gramian
