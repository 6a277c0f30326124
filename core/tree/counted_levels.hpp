// Search of a categorical column by counts: the weight of each class at each level, and nothing
// sorted but the levels. Sums of whole weights are exact, so that counting finds what a scan of the
// rows finds (scan_categorical in split.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/split.hpp"

namespace gramian::tree {

// The counts of one column of a node, by level. Only the levels of the node's rows cost time.
class LevelCounts {
 public:
  // label_of(i), weight_of(i): of the node's row i.
  template <class CodeOf, class LabelOf, class WeightOf>
  void enter(const CodeOf& code_of, std::span<const std::uint32_t> rows, const LabelOf& label_of,
             const WeightOf& weight_of, std::uint32_t n_codes, std::size_t n_classes) {
    clear();
    width_ = n_classes + 1;  // the number of rows, then the weights of the classes
    if (counts_.size() < n_codes * width_) counts_.resize(n_codes * width_, 0);
    if (seen_.size() <= n_codes) seen_.resize(n_codes + 1);
    if (4 * std::size_t{n_codes} <= rows.size())
      count_many(code_of, rows, label_of, weight_of, n_codes);
    else
      count_few(code_of, rows, label_of, weight_of);
  }

  std::span<const std::uint32_t> seen() const { return {seen_.data(), n_seen_}; }
  std::uint32_t n_rows(std::uint32_t code) const { return counts_[code * width_]; }
  std::span<const std::uint32_t> weights(std::uint32_t code) const {
    return {counts_.data() + code * width_ + 1, width_ - 1};
  }

 private:
  template <class CodeOf, class LabelOf, class WeightOf>
  void count_few(const CodeOf& code_of, std::span<const std::uint32_t> rows,
                 const LabelOf& label_of, const WeightOf& weight_of) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(code_of(rows[i]));
      std::uint32_t* at = counts_.data() + code * width_;
      seen_[n_seen_] = code;
      n_seen_ += at[0] == 0 ? 1 : 0;
      at[0] += 1;
      at[1 + label_of(i)] += weight_of(i);
    }
  }

  // The weight above the number of rows: one addition for a row. Two tables take the rows in turn:
  // a row need not wait for the one before it.
  template <class CodeOf, class LabelOf, class WeightOf>
  void count_many(const CodeOf& code_of, std::span<const std::uint32_t> rows,
                  const LabelOf& label_of, const WeightOf& weight_of, std::uint32_t n_codes) {
    const std::size_t n_classes = width_ - 1, size = n_codes * n_classes;
    cells_.assign(2 * size, 0);
    std::uint64_t* tables[2] = {cells_.data(), cells_.data() + size};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t code = code_of(rows[i]);
      tables[i % 2][code * n_classes + label_of(i)] += std::uint64_t{weight_of(i)} << 32 | 1U;
    }
    for (std::uint32_t code = 0; code < n_codes; ++code) {
      std::uint32_t* at = counts_.data() + code * width_;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const std::uint64_t cell =
            tables[0][code * n_classes + k] + tables[1][code * n_classes + k];
        at[0] += static_cast<std::uint32_t>(cell);
        at[1 + k] = static_cast<std::uint32_t>(cell >> 32);
      }
      seen_[n_seen_] = code;
      n_seen_ += at[0] > 0 ? 1 : 0;
    }
  }

  void clear() {
    for (const std::uint32_t code : seen())
      std::fill_n(counts_.begin() + static_cast<std::ptrdiff_t>(code * width_), width_, 0U);
    n_seen_ = 0;
  }

  std::vector<std::uint32_t> counts_;  // zero but for the levels that were seen
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint32_t> seen_;  // room for one more than there are
  std::size_t n_seen_ = 0;
  std::size_t width_ = 0;
};

// The best split of a categorical column; whether it varies. `levels`: memory to work in.
template <class Criterion>
bool scan_counted_levels(Criterion& criterion, const LevelCounts& counts, std::int64_t n,
                         const Column& column, std::int64_t feature, const CutRules& rules,
                         std::vector<LevelRows>& levels, Split& best) {
  levels.clear();
  for (const std::uint32_t code : counts.seen())
    levels.push_back({0.0, 0, counts.n_rows(code), code, false});
  if (levels.size() < 2) return false;
  const auto weight_of = [&](const LevelRows& level) {
    double weight = 0.0;
    for (const std::uint32_t w : counts.weights(level.code)) weight += w;
    return weight;
  };
  mark_rare(levels, weight_of);
  for (std::int64_t order = 0; order < criterion.n_orders(); ++order) {
    const std::size_t ordered = criterion.ordered_class(order);
    order_levels(levels, [&](const LevelRows& level) {
      return std::pair{static_cast<double>(counts.weights(level.code)[ordered]), weight_of(level)};
    });
    auto walk = criterion.count_walk();
    Cut cut;
    std::int64_t n_left = 0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      double score = 0.0;
      if (k > 0 && !(levels[k].is_rare && levels[k - 1].is_rare) &&
          n_left >= rules.min_samples_leaf && n - n_left >= rules.min_samples_leaf &&
          walk.improves(std::max(cut.score, best.score), score) && is_heavy_enough(walk, rules))
        cut = {score, walk.left_weight() > walk.right_weight(), 0.0, n_left};
      walk.move(counts.weights(levels[k].code).data());
      n_left += levels[k].end;
    }
    if (cut.n_left == 0) continue;
    best.score = cut.score;
    best.feature = feature;
    set_levels(levels, cut, column.n_levels, column.missing_code, best);
  }
  return true;
}

}  // namespace gramian::tree
