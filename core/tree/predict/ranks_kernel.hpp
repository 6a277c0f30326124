// The ranks by which ranked_kernel.hpp knows values: how many of a column's thresholds are below.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

inline constexpr std::int64_t kRankSlice = 64;
inline constexpr std::uint16_t kMissingRank = 0xFFFFU;   // above the rank of every threshold
inline constexpr std::int64_t kMaxThresholds = 0xFFFEU;  // of a column, in one table of ranks

// A column's thresholds, ascending, in groups of 16; of every 16 groups the last threshold of each
// but the last group makes a group one level higher, up to a level of one group. What is missing
// from a group is kMissingKey. Levels stand from the lowest to the highest.
struct RankLevels {
  static constexpr int kGroup = 16;
  static constexpr int kMaxLevels = 4;
  const std::uint32_t* level[kMaxLevels];
  int n_levels;
};

}  // namespace tree

// ranks[i] = how many of the thresholds are below keys[i], for kRankSlice rows; kMissingRank for
// kMissingKey.
GRAMIAN_DECLARE_KERNEL(void write_ranks(const std::uint32_t* keys, const tree::RankLevels& levels,
                                        std::uint16_t* ranks))

}  // namespace gramian
