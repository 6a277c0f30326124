// Sorting few keys, compiled for every instruction set level.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

GRAMIAN_DECLARE_KERNEL(void sort_few_keys(const std::uint32_t* keys, std::int64_t n,
                                          std::uint32_t* sorted))
GRAMIAN_DECLARE_KERNEL(void sort_few_keys(const std::uint64_t* keys, std::int64_t n,
                                          std::uint64_t* sorted))

}  // namespace gramian
