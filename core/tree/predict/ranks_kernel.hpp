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
  static constexpr int kMaxLevels = 8;
  const std::uint32_t* level[kMaxLevels];
  int n_levels;
};

// A column's thresholds in double, ascending and all different, and their rough keys, which have
// half the size and mostly tell.
struct DoubleLevels {
  RankLevels rough;
  const double* thresholds;
  std::int64_t n;
};

// Values of a column, and where their keys go; steps count elements.
template <class T>
struct RankedColumn {
  const T* x;
  std::int64_t n, step;
  std::uint32_t* keys;
  std::int64_t key_step;
};

}  // namespace tree

// ranks[i] = how many of the thresholds are below keys[i], for kRankSlice rows; kMissingRank for
// kMissingKey.
GRAMIAN_DECLARE_KERNEL(void write_ranks(const std::uint32_t* keys, const tree::RankLevels& levels,
                                        std::uint16_t* ranks))

// Keys: one more than the thresholds below a value, or kMissingKey; whether any is missing.
GRAMIAN_DECLARE_KERNEL(bool write_double_ranks(const tree::RankedColumn<float>& column,
                                               const tree::DoubleLevels& levels))
GRAMIAN_DECLARE_KERNEL(bool write_double_ranks(const tree::RankedColumn<double>& column,
                                               const tree::DoubleLevels& levels))

}  // namespace gramian
