// Search of a column with few distinct values: the weight of each class at each code is counted,
// and nothing sorted. Sums of whole weights are exact, so that counting finds what a scan of the
// sorted rows finds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/split.hpp"

namespace gramian::tree {

// The counts of one column of a node, by code.
class CodeCounts {
 public:
  // Reads the codes of a node's rows; label_of(i), weight_of(i): of its row i. Two tables take the
  // rows in turn: a row need not wait for the count before it.
  template <class CodeOf, class LabelOf, class WeightOf>
  void enter(const CodeOf& code_of, std::span<const std::uint32_t> rows, const LabelOf& label_of,
             const WeightOf& weight_of, std::uint32_t n_codes, std::size_t n_classes) {
    n_codes_ = n_codes;
    width_ = n_classes + 1;  // the number of rows, then the weights of the classes
    const std::size_t size = n_codes * width_;
    counts_.assign(2 * size, 0);
    std::uint32_t* tables[2] = {counts_.data(), counts_.data() + size};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint32_t* at = tables[i % 2] + static_cast<std::size_t>(code_of(rows[i])) * width_;
      at[0] += 1;
      at[1 + label_of(i)] += weight_of(i);
    }
    for (std::size_t k = 0; k < size; ++k) counts_[k] += counts_[size + k];
  }

  std::uint32_t n_codes() const { return n_codes_; }
  std::uint32_t n_rows(std::uint32_t code) const { return counts_[code * width_]; }
  const std::uint32_t* weights(std::uint32_t code) const { return &counts_[code * width_ + 1]; }

 private:
  std::vector<std::uint32_t> counts_;
  std::uint32_t n_codes_ = 0;
  std::size_t width_ = 0;
};

// The best split of a numeric column without missing values; whether it varies.
template <class Criterion>
bool scan_counted(Criterion& criterion, const CodeCounts& counts, std::int64_t n,
                  std::int64_t feature, const CutRules& rules, Split& best) {
  auto walk = criterion.count_walk();
  std::int64_t n_left = 0;
  std::uint32_t last = 0;  // the code moved last
  double best_score = best.score;
  bool varies = false;
  for (std::uint32_t code = 0; code < counts.n_codes(); ++code) {
    if (counts.n_rows(code) == 0) continue;
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
    walk.move(counts.weights(code));
    n_left += counts.n_rows(code);
    last = code;
  }
  return varies;
}

}  // namespace gramian::tree
