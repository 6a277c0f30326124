// The scan of a forest's busiest case: two classes, whole weights, the Gini impurity.
//
// A key holds all that a scan needs of a row: its code, weight and label,
//   code << 8 | weight << 1 | label,
// so that nothing is looked up once the keys are sorted, and sums of counts are exact in any order:
// sixteen rows are summed and their cuts scored at a time, with the bits of one at a time.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

inline constexpr int kPackedBits = 8;  // of a key, below the code

struct PackedCut {
  double score;         // of the best cut, if it is above the score given; else that
  std::int64_t n_left;  // 0: no better cut
  double left_weight;
};

// The node: its weight, and that of the second class.
struct PackedTotal {
  double weight;
  double second;
};

}  // namespace tree

// Sorts few keys, which may repeat.
GRAMIAN_DECLARE_KERNEL(void sort_few_packed(const std::uint32_t* keys, std::int64_t n,
                                            std::uint32_t* sorted))

// The best cut of sorted keys with first .. last of them on the left, if it scores above `best`.
// There must be a key behind the last cut.
GRAMIAN_DECLARE_KERNEL(tree::PackedCut best_packed_cut(const std::uint32_t* keys,
                                                       tree::PackedTotal node, std::int64_t first,
                                                       std::int64_t last, double best))

}  // namespace gramian
