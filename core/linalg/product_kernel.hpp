// Products of a data matrix of any strides with a few columns that lie side by side.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// C(i, :) += sum_k A(i, k) B(k, :) with A(i, k) = a[i * a_row + k * a_col]; rows of B and C have
// `width` entries, a whole multiple of the lanes. Sums run in the order of k, one fused
// multiply-add each. With `start`, a row, the sums begin with it and not with what C holds.
template <class T, class Sum = double>
struct StridedProduct {
  const T* a;
  std::int64_t a_row;
  std::int64_t a_col;
  std::int64_t n_rows;
  std::int64_t depth;
  const Sum* b;
  Sum* c;
  std::int64_t width;
  const Sum* start = nullptr;
};

GRAMIAN_DECLARE_KERNEL(void add_strided_product(const StridedProduct<double>& product))
GRAMIAN_DECLARE_KERNEL(void add_strided_product(const StridedProduct<float>& product))
GRAMIAN_DECLARE_KERNEL(void add_strided_product(const StridedProduct<float, float>& product))

}  // namespace gramian
