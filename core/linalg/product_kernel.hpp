// Products of a data matrix of any strides with a few columns that lie side by side.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// C(i, :) += sum_k A(i, k) B(k, :) with A(i, k) = a[i * a_row + k * a_col]; rows of B and C have
// `width` entries, a whole multiple of 8. Sums run in the order of k, one fused multiply-add each.
template <class T>
struct StridedProduct {
  const T* a;
  std::int64_t a_row;
  std::int64_t a_col;
  std::int64_t n_rows;
  std::int64_t depth;
  const double* b;
  double* c;
  std::int64_t width;
};

GRAMIAN_DECLARE_KERNEL(void add_strided_product(const StridedProduct<double>& product))
GRAMIAN_DECLARE_KERNEL(void add_strided_product(const StridedProduct<float>& product))

}  // namespace gramian
