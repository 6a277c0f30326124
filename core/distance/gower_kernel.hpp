// Gower's distance of one row to many: the mean over the columns that both rows have of how far
// apart they are there, between 0 and 1. The same bits on every level.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::distance {

// Entry k of row j at entries[k * stride + j]; stride is a multiple of 8. Numbers are in units of
// their range; levels are codes, which are apart by 1 or not at all. NaN is a gap.
struct GowerRows {
  const double* entries;
  const std::uint8_t* is_level;  // of each column
  std::int64_t n_features;
  std::int64_t stride;
};

}  // namespace gramian::distance

namespace gramian {

// out[j] = distance of x to row j, 1 if they have no column in common.
GRAMIAN_DECLARE_KERNEL(void gower_distances(const distance::GowerRows& rows, const double* x,
                                            double* out))

}  // namespace gramian
