// Cuts a tree into what ranked_kernel.hpp walks through: the splits nearest to the root, and below
// them quads or bunches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/ranked_kernel.hpp"

namespace gramian::tree {

struct RankedNode {
  std::uint32_t n_splits;  // of the subtree; 0: a leaf
  std::uint32_t child;     // the left one, and the right one is next to it; of a leaf: its number
  std::uint16_t slot;
  std::uint16_t rank;
  std::uint8_t is_missing_left;
};

template <class Piece>
struct RankedPieces {
  std::vector<TopSplit> top;
  std::vector<std::uint32_t> exits;  // links
  std::vector<Piece> pieces;
};

// The root is node 0. Defined for Quad and Bunch.
template <class Piece>
RankedPieces<Piece> cut_into(std::span<const RankedNode> nodes);

}  // namespace gramian::tree
