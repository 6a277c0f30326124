// What is kept of a tile of distances when the matrix itself is not.
#pragma once

#include <cstdint>

#include "distance/tile_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

// sum of n adjacent entries, in an order that depends on n only.
GRAMIAN_DECLARE_KERNEL(double sum_entries(const double* values, std::int64_t n))

// If one of the n entries is less than *best, *best becomes the least, and the result is the place
// of the first such entry; else the result is -1. NaN is less than nothing.
GRAMIAN_DECLARE_KERNEL(std::int64_t find_less(const double* values, std::int64_t n, double* best))

}  // namespace gramian
