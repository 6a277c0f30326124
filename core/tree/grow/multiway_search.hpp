// The best split of one column in a node, for trees with a branch for every level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/arg_max.hpp"
#include "base/index.hpp"
#include "tree/columns/columns.hpp"
#include "tree/criterion/impurity_terms.hpp"

namespace gramian::tree {

inline constexpr double kGainNoise = 1e-12;  // bits: gains that differ by less are equal

struct MultiwaySplit {
  double gain = -std::numeric_limits<double>::infinity();  // bits; infinite: no split
  double entropy = 0.0;                                    // of the split itself
  std::uint32_t n_left = 0;                                // numbers: how many are on the left
  bool missing_left = false;
};

// The classes of the rows of each level of a column, node after node.
class LevelCounts {
 public:
  LevelCounts(std::int32_t n_levels, std::int64_t n_classes, EntropyTerms terms)
      : n_classes_(static_cast<std::size_t>(n_classes)),
        terms_{terms},
        n_rows_(static_cast<std::size_t>(n_levels) + 1, 0),
        counts_(n_rows_.size() * n_classes_, 0.0) {}

  void add(std::uint32_t code, std::int32_t label, double weight) {
    if (n_rows_[code]++ == 0) used_.push_back(code);
    counts_[code * n_classes_ + static_cast<std::size_t>(label)] += weight;
  }

  // The split of the rows added since the last call, which have `weight` and `node_score`.
  MultiwaySplit split(double weight, double node_score) {
    double score = 0.0, terms = 0.0;
    for (const std::uint32_t code : used_) {
      const auto counts = std::span(counts_).subspan(code * n_classes_, n_classes_);
      double level_weight = 0.0;
      for (const double count : counts) level_weight += count;
      score += std::min(terms_.of(counts, level_weight), 0.0);
      terms += terms_.terms.term(level_weight);
      std::fill(counts.begin(), counts.end(), 0.0);
      n_rows_[code] = 0;
    }
    MultiwaySplit found;
    if (used_.size() > 1) {
      found.gain = std::max(score - node_score, 0.0) / weight;
      found.entropy = (terms_.terms.term(weight) - terms) / weight;
    }
    used_.clear();
    return found;
  }

 private:
  std::size_t n_classes_;
  CountTerms<EntropyTerms> terms_;
  std::vector<std::uint32_t> n_rows_;
  std::vector<double> counts_;
  std::vector<std::uint32_t> used_;
};

// The best threshold for rows in the order of a column, missing values last; these take the side
// where they gain more.
template <bool is_weighted>
class ThresholdSearch {
 public:
  using Criterion = TermCriterion<EntropyTerms, is_weighted>;
  using Item = typename Criterion::Item;

  ThresholdSearch(const Item* items, std::int64_t n_classes, EntropyTerms terms)
      : items_(items), terms_(terms), criterion_(n_classes, terms) {}

  MultiwaySplit operator()(std::span<const Record> records, std::uint32_t missing_code,
                           std::span<const double> counts, double weight, double node_score) {
    const auto present = records.first(static_cast<std::size_t>(
        std::partition_point(records.begin(), records.end(),
                             [&](const Record& record) { return record.code < missing_code; }) -
        records.begin()));
    if (present.empty() || present.front().code == present.back().code) return {};
    criterion_.enter(items_, counts);
    cuts_.clear();
    scan(present, {}, [&](std::uint32_t n_left, double score) {
      cuts_.push_back({std::max(score - node_score, 0.0) / weight, 0.0, n_left, false});
    });
    const auto missing = records.subspan(present.size());
    if (!missing.empty()) {
      std::size_t k = 0;
      scan(present, missing, [&](std::uint32_t, double score) {
        MultiwaySplit& cut = cuts_[k++];
        const double gain = std::max(score - node_score, 0.0) / weight;
        if (!(gain > cut.gain + kGainNoise)) return;
        cut.gain = gain;
        cut.missing_left = true;
      });
    }
    const auto gain = [&](std::int64_t k) { return cuts_[at(k)].gain; };
    const auto first = first_near_max(std::ssize(cuts_), gain, kGainNoise);
    if (!first) return {};
    MultiwaySplit best = cuts_[at(*first)];
    double left = best.missing_left ? weight_of(missing) : 0.0;
    left += weight_of(present.first(best.n_left));
    best.entropy = (terms_.term(weight) - terms_.term(left) - terms_.term(weight - left)) / weight;
    return best;
  }

 private:
  // Calls at_cut(n_left, score) between neighbours of different codes, with `first` on the left.
  template <class AtCut>
  void scan(std::span<const Record> present, std::span<const Record> first, const AtCut& at_cut) {
    auto walk = criterion_.walk(0, 0);
    for (const Record& record : first) walk.move(record.row);
    for (std::size_t i = 0; i + 1 < present.size(); ++i) {
      walk.move(present[i].row);
      if (present[i].code == present[i + 1].code) continue;
      double score = 0.0;
      walk.improves(-std::numeric_limits<double>::infinity(), score);
      at_cut(static_cast<std::uint32_t>(i + 1), score);
    }
  }
  double weight_of(std::span<const Record> records) const {
    if constexpr (!is_weighted) return static_cast<double>(records.size());
    double sum = 0.0;
    for (const Record& record : records) sum += items_[record.row].weight;
    return sum;
  }

  const Item* items_;
  EntropyTerms terms_;
  Criterion criterion_;
  std::vector<MultiwaySplit> cuts_;
};

}  // namespace gramian::tree
