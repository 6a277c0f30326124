// Cuts a tree into what ranked_kernel.hpp walks through: the splits nearest to the root, and below
// them blocks or blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/predict/ranked_kernel.hpp"

namespace gramian::tree {

struct RankedNode {
  std::uint32_t n_splits;  // of the subtree; 0: a leaf
  std::uint32_t child;     // the left one, and the right one is next to it; of a leaf: its number
  std::uint16_t slot;
  std::uint16_t rank;
  std::uint8_t is_missing_left;
};

// The splits nearest to the root, and what is below them.
struct TreeTop {
  TopSplit split[kTopSplits];
  int n_splits;
  std::uint32_t exit[kTopSplits + 1];  // links
};

// Cuts one tree after another. Defined for TwoLevelBlock, NodeBlock and LevelNodeBlock.
template <class Block>
class BlockCutter {
 public:
  // The root is node 0. `levels`: of each node, those that go right; empty if none asks for any.
  // The blocks are those of this tree until the next one is cut.
  std::span<const Block> cut(std::span<const RankedNode> nodes,
                             std::span<const std::uint64_t> levels, TreeTop& top);

 private:
  std::vector<Block> blocks_;
};

}  // namespace gramian::tree
