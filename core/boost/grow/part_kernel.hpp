// The rows of a node parted by their codes.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Moves those of the n rows whose codes are in the set to the front of `rows`, the others to
// `right`, which has room for n; both keep their order. Codes are `stride` bytes apart. Returns how
// many are in the set. goes_left is 0 or 1 for each of 256 codes.
GRAMIAN_DECLARE_KERNEL(std::int64_t part_rows(std::uint32_t* rows, std::int64_t n,
                                              const std::uint8_t* codes, std::int64_t stride,
                                              const std::uint8_t* goes_left, std::uint32_t* right))

}  // namespace gramian
