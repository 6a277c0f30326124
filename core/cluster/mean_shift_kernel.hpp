// The sum of the rows of a k-d tree's leaf that are near enough.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Adds x - shift to sums for each of the first n points whose distance is not above the limit, and
// returns how many they are. Feature k of the points stands at points[k * stride ..], and stride is
// a multiple of 8.
GRAMIAN_DECLARE_KERNEL(std::int64_t add_points_within(const double* distances, double limit,
                                                      const double* points, std::int64_t n_features,
                                                      std::int64_t stride, std::int64_t n,
                                                      const double* shift, double* sums))

}  // namespace gramian
