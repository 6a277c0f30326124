// Many random numbers at a time, compiled for every instruction set level: a node that looks at
// many columns needs as many.
#pragma once

#include <cstdint>

#include "random/philox.hpp"
#include "simd/level.hpp"

namespace gramian {

namespace tree {
inline constexpr std::size_t kManyBlocks = 16;
}

// The blocks of kManyBlocks consecutive counters, the first of which is given.
GRAMIAN_DECLARE_KERNEL(void write_blocks(const PhiloxCounter& counter, const PhiloxKey& key,
                                         std::uint32_t* blocks))

namespace tree {

struct ManyBlocks {
  template <std::size_t kBlocks>
  static void write(const PhiloxCounter& counter, const PhiloxKey& key, std::uint32_t* blocks) {
    static_assert(kBlocks == kManyBlocks);
    GRAMIAN_DISPATCH(write_blocks, counter, key, blocks);
  }
};

using ManyNumbers = StreamOf<kManyBlocks, ManyBlocks>;

}  // namespace tree
}  // namespace gramian
