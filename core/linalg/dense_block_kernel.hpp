// Kernels on a dense block of either layout that need no packing: sums of columns, and the product
// with a vector of a block whose columns are contiguous.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Rows of a matrix; either the entries of a row or those of a column are adjacent in memory.
template <class T>
struct DenseBlock {
  const T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t n_rows;
  std::int64_t n_cols;
};

// acc[j] += sum_k w[k] (block(k, j) - shift[j]); null weights are one each. Eight sums of every
// eighth row each are added up at the end, so that both layouts give the same bits.
GRAMIAN_DECLARE_KERNEL(void add_column_sums(const DenseBlock<double>& block, const double* shift,
                                            const double* w, double* acc))
GRAMIAN_DECLARE_KERNEL(void add_column_sums(const DenseBlock<float>& block, const double* shift,
                                            const double* w, double* acc))

// out[k] = sum_j (block(k, j) - shift[j]) coef[j] for contiguous columns, with the bits of
// rows_times_vector.
GRAMIAN_DECLARE_KERNEL(void columns_times_vector(const DenseBlock<double>& block,
                                                 const double* shift, const double* coef,
                                                 double* out))
GRAMIAN_DECLARE_KERNEL(void columns_times_vector(const DenseBlock<float>& block,
                                                 const double* shift, const double* coef,
                                                 double* out))

}  // namespace gramian
