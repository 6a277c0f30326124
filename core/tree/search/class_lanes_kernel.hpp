// The scans of forests of several classes, compiled for every instruction set level.
//
// A row is a word: its number, its weight and its lane, which stands for its class. The rows before
// a cut are eight numbers, one for each lane: in lane 0 how many they are, in the others the
// weights of the classes. A column is looked at as a sequence of cells, each the lanes of the rows
// with one code, in the order of the codes; the best cut behind one of them is found from running
// sums of whole vectors. Sums of whole numbers are exact in any order: cuts and scores are the bits
// of a scan that moves one row after the other.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

inline constexpr int kLanes = 8;
inline constexpr int kWordRowBits = 24;
inline constexpr std::uint32_t kWordRow = (1U << kWordRowBits) - 1;
inline constexpr std::uint32_t kWordWeight = 31;  // the largest, and its bits above the row

inline std::uint32_t class_word(std::uint32_t row, std::uint32_t label, std::uint32_t weight) {
  return (label + 1) << 29 | weight << kWordRowBits | row;
}

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

struct CodeRange {
  std::uint16_t lowest, highest;
};

struct BitRange {
  std::uint64_t all, any;  // the bits that all rows have, and that any row has
};

}  // namespace tree

// The weight of each class.
GRAMIAN_DECLARE_KERNEL(void sum_lanes(const std::uint32_t* words, std::int64_t n,
                                      std::uint32_t* lanes))
// Lanes of the rows without a bit.
GRAMIAN_DECLARE_KERNEL(void sum_lanes_without(const std::uint64_t* bits, int bit,
                                              const std::uint32_t* words, std::int64_t n,
                                              std::uint32_t* lanes))

// The bits of a node's rows, from those at bits[row * step] in units of two bytes.
GRAMIAN_DECLARE_KERNEL(tree::BitRange read_bits(const std::uint16_t* from, std::int64_t step,
                                                const std::uint32_t* words, std::int64_t n,
                                                std::uint64_t* bits))
// The codes of a node's rows, from those at from[row * step]; whether they differ.
GRAMIAN_DECLARE_KERNEL(bool read_codes(const std::uint16_t* from, std::int64_t step,
                                       const std::uint32_t* words, std::int64_t n,
                                       std::uint16_t* codes))
GRAMIAN_DECLARE_KERNEL(bool read_codes(const std::uint8_t* from, std::int64_t step,
                                       const std::uint32_t* words, std::int64_t n,
                                       std::uint16_t* codes))
GRAMIAN_DECLARE_KERNEL(tree::CodeRange range_of_codes(const std::uint16_t* codes, std::int64_t n))

// Cells of a node whose weight is at most kMostOfBytes: the cell of a row is the number of rows
// with a smaller code, and others are zero. There must be room for n + kSpareCells cells, and
// codes[n ..] up to a multiple of 32 are overwritten.
GRAMIAN_DECLARE_KERNEL(void rank_cells(std::uint16_t* codes, const std::uint32_t* words,
                                       std::int64_t n, std::uint64_t* cells,
                                       std::uint16_t* cell_codes))

// The best cut behind a cell, the first of equal ones, if it scores above `best`.
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint64_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint16_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))
GRAMIAN_DECLARE_KERNEL(tree::CellCut best_cell_cut(const std::uint32_t* cells, std::int64_t n_cells,
                                                   const tree::LaneNode& node, double best))

// Moves the rows with a code above the last on the left, or with a bit, behind the others, both in
// their order; returns how many others there are. `right` is room for n + 16 words.
GRAMIAN_DECLARE_KERNEL(std::int64_t part_by_codes(const std::uint16_t* codes,
                                                  std::uint32_t last_left, std::uint32_t* words,
                                                  std::int64_t n, std::uint32_t* right))
GRAMIAN_DECLARE_KERNEL(std::int64_t part_by_bit(const std::uint64_t* bits, int bit,
                                                std::uint32_t* words, std::int64_t n,
                                                std::uint32_t* right))

}  // namespace gramian
