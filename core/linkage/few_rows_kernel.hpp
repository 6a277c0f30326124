// Squared distances of all pairs of few long rows, a block of their entries at a time.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Adds to sums[i * n_rows + j] for j < i what n_entries entries bring: row i starts at
// rows[i * stride], and is filled up with zeros to whole vectors.
GRAMIAN_DECLARE_KERNEL(void add_squares_of_pairs(const double* rows, std::int64_t stride,
                                                 std::int64_t n_rows, std::int64_t n_entries,
                                                 double* sums))

}  // namespace gramian
