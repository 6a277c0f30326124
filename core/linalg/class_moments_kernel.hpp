// Sums over the rows of one class.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Some rows of a block. Entry (i, 8 v + l) stands at data[i * row_stride + v * panel_stride + l].
template <class T>
struct ChosenRows {
  const T* data;
  std::int64_t row_stride;
  std::int64_t panel_stride;
  std::int64_t n_cols;
  const std::int32_t* rows;
  std::int64_t n_rows;
  const double* weight;  // of row i; null: one each
  std::int64_t ahead;    // from an entry to the one that stands there in the block to be read next
};

// sum_j += sum_i w_i d_ij and, unless null, squares_j += sum_i w_i d_ij^2 with d = x - shift, in
// the order of the rows. All three are filled up to whole vectors.
GRAMIAN_DECLARE_KERNEL(void add_class_sums(const ChosenRows<double>& rows, const double* shift,
                                           double* sum, double* squares))
GRAMIAN_DECLARE_KERNEL(void add_class_sums(const ChosenRows<float>& rows, const double* shift,
                                           double* sum, double* squares))

}  // namespace gramian
