// Weighted sums of products of columns, for the linear models of leaves.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kProductLanes = 8;

// n_rows is a multiple of kProductLanes; columns stand one after the other.
struct ProductBlock {
  const double* columns;
  std::int64_t n_columns;
  std::int64_t n_rows;
  const double* weight;
  double* weighted;  // room for a column
};

// products[j (j + 1) / 2 + l] = sum of weight x_j x_l for l <= j.
GRAMIAN_DECLARE_KERNEL(void weighted_products(const ProductBlock& block, double* products))

// sums[j] = sum of weight x_j.
GRAMIAN_DECLARE_KERNEL(void weighted_sums(const ProductBlock& block, double* sums))

}  // namespace gramian
