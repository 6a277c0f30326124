// Bins of the values of one column, many searches side by side.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr int kEdgeTable = 256;

// bins[i] = how many of the ascending edges are below values[i]; `missing` for NaN. The table has
// kEdgeTable entries, of which those beyond the n_edges first ones are infinite.
GRAMIAN_DECLARE_KERNEL(void write_bins(const float* values, std::int64_t n, const float* edges,
                                       int n_edges, std::uint8_t missing, std::uint8_t* bins))
GRAMIAN_DECLARE_KERNEL(void write_bins(const double* values, std::int64_t n, const double* edges,
                                       int n_edges, std::uint8_t missing, std::uint8_t* bins))

}  // namespace gramian
