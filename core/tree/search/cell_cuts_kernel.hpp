// The best cut of a sequence of cells, compiled for every instruction set level.
//
// The rows before a cut are eight numbers, one for each lane: in lane 0 how many they are, in the
// others the weights of the classes. A cell is the lanes of some rows. The best cut behind one of
// the cells is found from running sums of whole vectors. Sums of whole numbers are exact in any
// order: cuts and scores are the bits of a scan that moves one row after the other.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

inline constexpr int kLanes = 8;

// Cells whose sums fit into bytes and into two bytes, signed. A cell of bytes is a number, lane k
// in its bits from 8 k on; any other is an array of kLanes numbers.
inline constexpr std::uint32_t kMostOfBytes = 127;
inline constexpr std::uint32_t kMostOfPairs = 32767;
inline constexpr std::int64_t kSpareCells = 8;  // zeros that must follow the last cell

// A node: what all its rows sum up to, and the rows that a side must have at least.
struct LaneNode {
  std::uint32_t lanes[kLanes];
  std::uint32_t weight;
  std::int64_t n;
  std::int64_t min_samples_leaf;
};

struct CellCut {
  double score;            // of the best cut, if it is above the score given; else that
  std::int64_t last = -1;  // the last cell on the left; -1: no better cut
  bool is_left_heavier = false;
};

}  // namespace tree

// The best cut behind a cell, the first of equal ones, if it scores above `best`.
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint64_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint16_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint32_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))

}  // namespace gramian
