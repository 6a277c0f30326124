// Deep trees on many rows, by ranks of 16 bits: a value is known by how many of the forest's own
// thresholds of its column are below it.
//
// The splits nearest to the root are asked for 64 rows at once (as in sliced_kernel.hpp). Below
// them the tree is cut into node blocks, and rows go through one block a round; those that have
// arrived are then taken off the list, so that no row waits for a longer path than its own. Nothing
// branches on where a row goes. Meanwhile the next tree is fetched into the second level of the
// cache.
//
// A block has up to 15 splits where all ranks of a row fit into two vectors of AVX-512, else three.
#pragma once

#include <cstdint>

#include "simd/level.hpp"
#include "tree/predict/ranks_kernel.hpp"

namespace gramian::tree {

inline constexpr int kTopSplits = 31;

// A split, in entry 1, and its children, in 2 and 3: a row in entry k goes on to 2 k + (its rank is
// above the threshold's), and from 4 and up by links. Where a child is a leaf, its entry leads
// there either way. Half a cache line.
struct TwoLevelBlock {
  std::uint16_t slot[4];  // entry 0: bit k says that a missing value goes left at entry k
  std::uint16_t rank[4];
  std::uint32_t link[4];
};

// Splits and up to 16 exits from them: a connected part of the tree, or several small ones. All
// splits are asked at once, which gives a bit each (its rank is above the threshold's); of the
// exits from a part one agrees with the bits of the splits that lead to it. As parts are grown
// where most rows go, a row passes about four levels at once in a balanced tree and more in a
// lopsided one. Three cache lines, for eleven splits on average.
struct alignas(64) NodeBlock {
  static constexpr int kSize = 16;
  std::uint16_t slot[kSize];  // kMissingLeftSlot is added where a missing value goes left
  std::uint16_t rank[kSize];
  std::uint16_t bits[kSize];   // of each exit: how the splits must answer
  std::uint16_t asked[kSize];  // and which ones
  std::uint32_t link[kSize];
};
// The same where splits may ask for levels, whose ranks are their numbers: a row goes right, too,
// if the bit of its level is set. Numbers have no bits, and sets of levels the highest rank.
struct alignas(64) LevelNodeBlock : NodeBlock {
  std::uint64_t levels[kSize];
};
inline constexpr std::int64_t kMaxBlockLevels = 64;
inline constexpr std::uint16_t kRankOfLevels = 0xFFFFU;  // no rank is above

inline constexpr std::int64_t kMaxBlockSlots = 64;
inline constexpr std::uint16_t kMissingLeftSlot = 0x8000U;

// Links: the place of a block in its tree, in bytes (to a NodeBlock: + 2 x the first exit of the
// part), or 2 x the number of a leaf + 1.
inline constexpr bool is_leaf_link(std::uint32_t link) { return (link & 1U) != 0; }
inline constexpr std::uint32_t kBlockPlace = ~63U;  // bits of a link

// The splits nearest to the root in preorder, and the exits below them from left to right.
struct TopSplit {
  std::uint16_t slot;
  std::uint16_t rank;
  std::uint8_t left;  // number of a top split, or kTopSplits for an exit
  std::uint8_t right;
  std::uint8_t n_left_exits;  // what a step to the right adds to the number of the exit
  std::uint8_t is_missing_left;
  std::uint64_t levels;  // as in LevelNodeBlock
};

template <class Block>
struct RankedTree {
  const Block* blocks;
  const TopSplit* top;
  int n_top;
  const std::uint32_t* exits;  // links
  const Block* next_begin;     // the blocks of the tree that comes next
  const Block* next_end;
};

// n_rows is a multiple of kRankSlice. The same ranks row by row, ranks[row * row_size + slot], and
// in slices of rows, sliced[(slice * n_slots + slot) * kRankSlice + i]. For a NodeBlock row_size is
// 32 or 64.
struct RankedRows {
  const std::uint16_t* ranks;
  const std::uint16_t* sliced;
  std::int64_t row_size;
  std::int64_t n_slots;
  std::int64_t n_rows;
};

// Rows under active, and where they are. Room for all rows and kRankSlice more.
struct ActiveRows {
  std::uint32_t* rows;
  std::uint32_t* links;
};

}  // namespace gramian::tree

namespace gramian {

// leaves[i] = number of the leaf that row i reaches. `has_missing`: a rank may be kMissingRank.
GRAMIAN_DECLARE_KERNEL(void walk_ranked(const tree::RankedTree<tree::TwoLevelBlock>& tree,
                                        const tree::RankedRows& rows, bool has_missing,
                                        const tree::ActiveRows& active, std::uint32_t* leaves))
GRAMIAN_DECLARE_KERNEL(void walk_ranked(const tree::RankedTree<tree::NodeBlock>& tree,
                                        const tree::RankedRows& rows, bool has_missing,
                                        const tree::ActiveRows& active, std::uint32_t* leaves))
GRAMIAN_DECLARE_KERNEL(void walk_ranked(const tree::RankedTree<tree::LevelNodeBlock>& tree,
                                        const tree::RankedRows& rows, bool has_missing,
                                        const tree::ActiveRows& active, std::uint32_t* leaves))

}  // namespace gramian
