// Points of the plane on a grid, by cubic splines (core/manifold/grid.hpp has the layout).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr int kSplineNodes = 4;

// Of each coordinate of each point the first node under its spline, and the four values there.
struct Splines {
  const std::int32_t* first;
  const float* values;
};

// Of n coordinates, which are at least `low`.
GRAMIAN_DECLARE_KERNEL(void place_splines(const float* coordinates, std::int64_t n, float low,
                                          float inverse_spacing, std::int32_t* first,
                                          float* values))

// Adds 1 for each of some points to the 32 rows from first_row on.
GRAMIAN_DECLARE_KERNEL(void spread_charges(const std::int32_t* points, std::int64_t n,
                                           const Splines& across, const Splines& down,
                                           std::int64_t first_row, float* rows))

// The two fields, in blocks of 16 rows of block_size floats, at points begin .. end.
GRAMIAN_DECLARE_KERNEL(void read_fields(std::int64_t begin, std::int64_t end, const Splines& across,
                                        const Splines& down, const float* fields,
                                        std::int64_t block_size, float* force_x, float* force_y))

}  // namespace gramian
