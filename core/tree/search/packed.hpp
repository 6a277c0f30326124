// Keys that hold a row's code, weight and label: see packed_kernel.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/format/target.hpp"
#include "tree/search/packed_kernel.hpp"
#include "tree/search/sort_keys.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {

// weight << 1 | label of every row, or nothing if a weight does not fit.
inline std::vector<std::uint8_t> packed_rows(const Target& target,
                                             std::span<const std::uint32_t> rows,
                                             std::span<const double> weight) {
  std::vector<std::uint8_t> packed(target.labels.size());
  for (const std::uint32_t row : rows) {
    const double w = weight.empty() ? 1.0 : weight[row];
    if (!(w >= 1.0 && w < 128.0 && w == std::floor(w))) return {};
    packed[row] = static_cast<std::uint8_t>(static_cast<int>(w) << 1 | target.labels[row]);
  }
  return packed;
}

// Sorts few packed keys, which may be equal.
inline constexpr auto kSortFewPacked = [](const std::uint32_t* keys, std::int64_t n,
                                          std::uint32_t* sorted) {
  GRAMIAN_DISPATCH(sort_few_packed, keys, n, sorted);
};

// The best split of a numeric column without missing values, from its sorted keys.
inline void scan_packed(std::span<const std::uint32_t> keys, const PackedTotal& node,
                        std::int64_t feature, std::int64_t min_samples_leaf, Split& best) {
  const auto n = static_cast<std::int64_t>(keys.size());
  const std::int64_t last = std::min(n - 1, n - min_samples_leaf);
  if (min_samples_leaf > last) return;
  const PackedCut cut =
      GRAMIAN_DISPATCH(best_packed_cut, keys.data(), node, min_samples_leaf, last, best.score);
  if (cut.n_left == 0) return;
  best.score = cut.score;
  best.feature = feature;
  best.n_left = cut.n_left;
  best.last_left = keys[static_cast<std::size_t>(cut.n_left - 1)] >> kPackedBits;
  best.left_handle = best.last_left;  // rows are known by their codes only
  best.right_handle = keys[static_cast<std::size_t>(cut.n_left)] >> kPackedBits;
  best.has_right = true;
  best.saw_missing = false;
  best.missing_left = cut.left_weight > node.weight - cut.left_weight;
  best.levels.clear();
}

}  // namespace gramian::tree
