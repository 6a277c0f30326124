// What all split searches share: the rows of the tree, the rules of a cut, the threshold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tree/columns/columns.hpp"
#include "tree/format/target.hpp"
#include "tree/grow/node.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {

// Moves the items that go right behind the others, both in their order. `scratch` is room for those
// that go right.
template <class Item, class IsRight>
void part_stably(std::span<Item> items, const IsRight& is_right, std::vector<Item>& scratch) {
  if (scratch.size() < items.size()) scratch.resize(items.size());
  std::size_t n_left = 0, n_right = 0;
  for (const Item item : items) {  // both are written, so that there is no branch to mispredict
    const bool right = is_right(item);
    items[n_left] = item;
    scratch[n_right] = item;
    n_left += !right;
    n_right += right;
  }
  std::copy_n(scratch.begin(), n_right, items.begin() + static_cast<std::ptrdiff_t>(n_left));
}

class SearchBase {
 public:
  // Takes the sample's rows.
  SearchBase(const Columns& columns, const Target& target, Sample& sample, const Options& options,
             std::uint64_t seed)
      : columns_(columns),
        target_(target),
        options_(options),
        seed_(seed),
        has_weights_(!sample.weight.empty()),
        total_weight_(sample.total_weight),
        counts_weights_(sample.has_whole_weights()),
        rows_(std::move(sample.rows)) {}

  const Options& options() const { return options_; }
  const Target& target() const { return target_; }
  double total_weight() const { return total_weight_; }
  std::int64_t n_rows() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int64_t n_features() const { return columns_.n_features(); }

  // The rows, those of the first leaf first; once the tree is grown.
  std::vector<std::uint32_t> take_rows() { return std::move(rows_); }

  // Whether the children of a node need no search: they are pure, too small or too deep.
  bool ends_growth(const Node& node, const Split& split) const {
    const Limits& limits = options_.limits;
    const std::int64_t larger = std::max(split.n_left, node.size() - split.n_left);
    return split.is_perfect || node.depth + 1 >= limits.max_depth ||
           larger < limits.min_samples_split || larger < 2 * limits.min_samples_leaf;
  }

 protected:
  std::span<std::uint32_t> rows_of(const Node& node) {
    return {rows_.data() + node.begin, static_cast<std::size_t>(node.size())};
  }
  std::span<const std::uint32_t> rows_of(const Node& node) const {
    return {rows_.data() + node.begin, static_cast<std::size_t>(node.size())};
  }

  CutRules rules_of(const Node& node, std::int64_t feature) const {
    const auto f = static_cast<std::size_t>(feature);
    return {options_.limits.min_samples_leaf, options_.limits.min_weight_leaf,
            options_.monotone.empty() ? 0 : options_.monotone[f], node.bounds, counts_weights_};
  }

  // No cut of a node scores higher, where sums are small whole numbers: other scores are rounded.
  template <class Criterion>
  double highest_score(std::int64_t n, const Criterion& criterion) const {
    constexpr double kSmall = 1 << 17;  // its cube is exact
    return counts_weights_ && criterion.weight() < kSmall ? criterion.perfect_score(n)
                                                          : std::numeric_limits<double>::infinity();
  }

  // Between the values of two rows of the split's column; the right one only if there is one.
  void set_threshold(Split& split, std::uint32_t left_row, std::uint32_t right_row) const {
    if (split.has_right)
      split.set_threshold(columns_.value(left_row, split.feature),
                          columns_.value(right_row, split.feature));
    else
      split.threshold = std::numeric_limits<double>::infinity();
  }

  const Columns& columns_;
  const Target& target_;
  const Options& options_;
  std::uint64_t seed_;
  bool has_weights_;
  double total_weight_;
  bool counts_weights_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace gramian::tree
