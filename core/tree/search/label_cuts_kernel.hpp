// The random cut of one column, of rows of several classes and no weights, compiled for every
// instruction set level.
//
// A row is a word: its number in the lowest 24 bits, and above them its class. Of a cut the Gini
// impurity needs no more than the sum of the squared class counts on either side: a whole number,
// which is the same in whatever order rows are counted. With c the counts of the node and l those
// on the left, that on the right is sum (c - l)^2 = sum c^2 - 2 sum c l + sum l^2.
#pragma once

#include <cstdint>

#include "simd/level.hpp"
#include "tree/search/bit_cuts_kernel.hpp"

namespace gramian {

namespace tree {

inline constexpr int kLabelBits = 8;
inline constexpr int kLabelShift = 32 - kLabelBits;
inline constexpr std::uint32_t kLabelRow = (1U << kLabelShift) - 1;

inline constexpr std::int64_t kMostLabels = 1 << kLabelBits;

// The classes of the rows of a node. All arrays of counts have room for kMostLabels.
struct LabelNode {
  const std::uint32_t* words;
  std::int64_t n;
  std::int64_t n_classes;
  const std::uint32_t* counts;  // of each class; zeros in the room behind them
  std::uint32_t* left;          // zeros, as which they are left
};

struct LabelCut {
  double threshold = 0.0;  // a value that is not above it goes left
  std::int64_t n_left = 0;
  std::uint64_t left_squares = 0;  // the sum of the squared class counts
  std::uint64_t right_squares = 0;
  bool varies = false;  // else there is no cut
};

}  // namespace tree

// How many rows are of each class.
GRAMIAN_DECLARE_KERNEL(void count_labels(const std::uint32_t* words, std::int64_t n,
                                         std::int64_t n_classes, std::uint32_t* counts))

// The cut at lowest + place * (highest - lowest) of the rows' values.
GRAMIAN_DECLARE_KERNEL(tree::LabelCut cut_labels(const float* values, const tree::LabelNode& node,
                                                 double place))
GRAMIAN_DECLARE_KERNEL(tree::LabelCut cut_labels(const double* values, const tree::LabelNode& node,
                                                 double place))

}  // namespace gramian
