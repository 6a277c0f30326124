// The scans of forests of several classes, compiled for every instruction set level.
//
// A row is a word: its number, its weight and its lane, which stands for its class. A column is
// looked at as a sequence of cells, each the lanes of the rows with one code, in the order of the
// codes; the best cut behind one of them is found by cell_cuts_kernel.hpp.
#pragma once

#include <cstdint>

#include "simd/level.hpp"
#include "tree/search/cell_cuts_kernel.hpp"

namespace gramian {

namespace tree {

inline constexpr int kWordRowBits = 24;
inline constexpr std::uint32_t kWordRow = (1U << kWordRowBits) - 1;
inline constexpr std::uint32_t kWordWeight = 31;  // the largest, and its bits above the row

inline std::uint32_t class_word(std::uint32_t row, std::uint32_t label, std::uint32_t weight) {
  return (label + 1) << 29 | weight << kWordRowBits | row;
}

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

// Moves the rows with a code above the last on the left, or with a bit, behind the others, both in
// their order; returns how many others there are. `right` is room for n + 16 words.
GRAMIAN_DECLARE_KERNEL(std::int64_t part_by_codes(const std::uint16_t* codes,
                                                  std::uint32_t last_left, std::uint32_t* words,
                                                  std::int64_t n, std::uint32_t* right))
GRAMIAN_DECLARE_KERNEL(std::int64_t part_by_bit(const std::uint64_t* bits, int bit,
                                                std::uint32_t* words, std::int64_t n,
                                                std::uint32_t* right))

}  // namespace gramian
