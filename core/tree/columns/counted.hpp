// Search of a column with few distinct values: the weight of each class at each code is counted,
// and nothing sorted. Sums of whole weights are exact, so that counting finds what a scan of the
// sorted rows finds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/search/split.hpp"

namespace gramian::tree {

// The counts of one column of a node, by code. Where it has many codes for the rows, only those of
// the rows cost time.
class CodeCounts {
 public:
  // Whether a node has so many rows for the codes that all of these are looked at, in their order.
  static bool are_few(std::int64_t n_codes, std::int64_t n_rows) { return 4 * n_codes <= n_rows; }

  // label_of(i), weight_of(i): of the node's row i.
  template <class CodeOf, class LabelOf, class WeightOf>
  void enter(const CodeOf& code_of, std::span<const std::uint32_t> rows, const LabelOf& label_of,
             const WeightOf& weight_of, std::uint32_t n_codes, std::size_t n_classes) {
    clear();
    width_ = n_classes + 1;  // the number of rows, then the weights of the classes
    if (counts_.size() < n_codes * width_) counts_.resize(n_codes * width_, 0);
    if (seen_.size() <= n_codes) seen_.resize(n_codes + 1);
    if (are_few(n_codes, std::ssize(rows)))
      count_many(code_of, rows, label_of, weight_of, n_codes);
    else
      count_few(code_of, rows, label_of, weight_of);
  }

  // The codes of the rows; ascending where these are few.
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

  std::vector<std::uint32_t> counts_;  // zero but for the codes that were seen
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint32_t> seen_;  // room for one more than there are
  std::size_t n_seen_ = 0;
  std::size_t width_ = 0;
};

// The best split of a numeric column of few codes without missing values; whether it varies.
template <class Criterion>
bool scan_counted(Criterion& criterion, const CodeCounts& counts, std::int64_t n,
                  std::int64_t feature, const CutRules& rules, Split& best) {
  auto walk = criterion.count_walk();
  std::int64_t n_left = 0;
  std::uint32_t last = 0;  // the code moved last
  double best_score = best.score;
  bool varies = false;
  for (const std::uint32_t code : counts.seen()) {
    if (n_left > 0) {
      varies = true;
      double score = 0.0;
      if (n_left >= rules.min_samples_leaf && n - n_left >= rules.min_samples_leaf &&
          walk.improves(best_score, score) && is_heavy_enough(walk, rules)) {
        best_score = best.score = score;
        best.feature = feature;
        best.n_left = n_left;
        best.last_left = best.left_handle = last;
        best.right_handle = code;
        best.has_right = true;
        best.saw_missing = false;
        best.missing_left = walk.left_weight() > walk.right_weight();
        best.levels.clear();
      }
    }
    walk.move(counts.weights(code).data());
    n_left += counts.n_rows(code);
    last = code;
  }
  return varies;
}

}  // namespace gramian::tree
