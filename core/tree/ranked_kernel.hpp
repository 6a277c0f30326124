// Deep trees on many rows, by ranks of 16 bits: a value is known by how many of the forest's own
// thresholds of its column are below it.
//
// The splits nearest to the root are asked for 64 rows at once (as in sliced_kernel.hpp). Below
// them two levels make a quad, and rows go through one quad a round; those that have arrived are
// then taken off the list, so that no row waits for a longer way than its own. Nothing branches on
// where a row goes. Meanwhile the next tree is fetched into the second level of the cache.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::tree {

inline constexpr std::int64_t kRankSlice = 64;
inline constexpr std::uint16_t kMissingRank = 0xFFFFU;   // above the rank of every threshold
inline constexpr std::int64_t kMaxThresholds = 0xFFFEU;  // of a column, in one table of ranks
inline constexpr int kTopSplits = 31;

// A split, in entry 1, and its children, in 2 and 3: a row in entry k goes on to 2 k + (its rank is
// above the threshold's), and from 4 and up by links. Where a child is a leaf, its entry leads
// there either way. Half a cache line.
struct Quad {
  std::uint16_t slot[4];  // entry 0: bit k says that a missing value goes left at entry k
  std::uint16_t rank[4];
  std::uint32_t link[4];
};

// Links: the place of a quad in its tree, in bytes, or 2 x the number of a leaf + 1.
inline constexpr bool is_leaf_link(std::uint32_t link) { return (link & 1U) != 0; }

// The splits nearest to the root in preorder, and the exits below them from left to right.
struct TopSplit {
  std::uint16_t slot;
  std::uint16_t rank;
  std::uint8_t left;  // number of a top split, or kTopSplits for an exit
  std::uint8_t right;
  std::uint8_t n_left_exits;  // what a step to the right adds to the number of the exit
  std::uint8_t is_missing_left;
};

struct RankedTree {
  const Quad* quads;
  const TopSplit* top;
  int n_top;
  const std::uint32_t* exits;  // links
  const Quad* next_begin;      // the quads of the tree that comes next
  const Quad* next_end;
};

// n_rows is a multiple of kRankSlice. The same ranks row by row, ranks[row * n_slots + slot], and
// in slices of rows, sliced[(slice * n_slots + slot) * kRankSlice + i].
struct RankedRows {
  const std::uint16_t* ranks;
  const std::uint16_t* sliced;
  std::int64_t n_slots;
  std::int64_t n_rows;
};

// Rows under way, and where they are. Room for all rows and kRankSlice more.
struct RankedWay {
  std::uint32_t* rows;
  std::uint32_t* links;
};

}  // namespace gramian::tree

namespace gramian {

// ranks[i] = how many of the n ascending thresholds are below keys[i], for kRankSlice rows;
// kMissingRank for kMissingKey.
GRAMIAN_DECLARE_KERNEL(void write_ranks(const std::uint32_t* keys, const std::uint32_t* thresholds,
                                        std::int64_t n, std::uint16_t* ranks))

// leaves[i] = number of the leaf that row i reaches. `has_missing`: a rank may be kMissingRank.
GRAMIAN_DECLARE_KERNEL(void walk_ranked(const tree::RankedTree& tree, const tree::RankedRows& rows,
                                        bool has_missing, const tree::RankedWay& way,
                                        std::uint32_t* leaves))

}  // namespace gramian
