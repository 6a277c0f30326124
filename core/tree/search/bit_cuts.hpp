// The search of extra-trees for two classes, no weights and no missing values: see
// bit_cuts_kernel.hpp. The trees are those of random_cuts.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tree/search/bit_cuts_kernel.hpp"
#include "tree/search/random_cuts.hpp"

namespace gramian::tree {

template <class Criterion, class T>
class BitCutSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    std::vector<T> values;  // of the column looked at
    // Of the best column of the node searched last: its children follow at once, most often.
    std::vector<T> best_values;
    std::uint64_t path = 0;
    std::vector<std::uint32_t> right;
  };

  // Whether the search does what is asked, and is the fastest.
  static bool serves(const Columns& columns, const Sample& sample, const Options& options) {
    if (columns.is_single() != std::is_same_v<T, float> || !sample.weight.empty()) return false;
    const RowTable<T> table = columns.template row_table<T>();
    return table.values != nullptr && options.monotone.empty() &&
           !RowCuts<T>::pays(table, options.limits.max_features);
  }

  BitCutSearch(const Columns& columns, const Target& target, Sample& sample, const Options& options,
               std::uint64_t seed, const Context& ctx)
      : SearchBase(columns, target, sample, options, seed),
        table_(columns.template row_table<T>()) {
    columns.make_columns(ctx);
    for (std::uint32_t& word : rows_)
      if (target.labels[word] != 0) word |= kSecondClass;
  }

  Scratch scratch(const Criterion& criterion) const {
    FeatureDraw draw(seed_, n_features(), options_.limits.max_features);
    return {criterion, std::move(draw), {}, {}, 0, {}};
  }

  double cost(std::int64_t n) const {
    return 4.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    const std::int64_t n_second = GRAMIAN_DISPATCH(count_second, words_of(node), node.size());
    scratch.criterion.enter(static_cast<double>(node.size()), static_cast<double>(n_second));
  }

  double impurity(const Node&, const Scratch&) const { return 0.0; }  // follows from the counts

  Split find(Node& node, Scratch& scratch, const Context&) const {
    const std::int64_t n = node.size();
    if (static_cast<std::int64_t>(scratch.values.size()) < n) {
      scratch.values.resize(static_cast<std::size_t>(n));
      scratch.best_values.resize(static_cast<std::size_t>(n));
    }
    const CutRules rules = rules_of(node, 0);
    const double perfect = highest_score(n, scratch.criterion);
    Split best;
    Stream stream(seed_, node.path, kCutPurpose);
    double place = stream.uniform();
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      const BitCut cut = GRAMIAN_DISPATCH(cut_words, column(node, f), words_of(node), n, place,
                                          scratch.values.data());
      if (!cut.varies) return Seen::constant;
      if (keep(cut, f, n, rules, scratch.criterion, best))
        std::swap(scratch.values, scratch.best_values);
      if (best.is_found() && best.score >= perfect) return Seen::enough;
      place = stream.uniform();
      return Seen::varying;
    });
    scratch.path = node.path;
    return best;
  }

  void apply(const Node& node, const Split& split, Scratch& scratch, const Context&) {
    const auto n = static_cast<std::size_t>(node.size());
    constexpr std::size_t kRoom = 16;  // of a vector
    if (scratch.right.size() < n + kRoom) scratch.right.resize(n + kRoom);
    std::uint32_t* words = rows_.data() + node.begin;
    if (scratch.path != node.path) {
      const auto [values, step] = column(node, split.feature);
      if (scratch.best_values.size() < n) scratch.best_values.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        scratch.best_values[i] = values[static_cast<std::int64_t>(words[i] & kRowNumber) * step];
    }
    scratch.path = 0;
    GRAMIAN_DISPATCH(part_words, scratch.best_values.data(), split.threshold, words, node.size(),
                     scratch.right.data());
  }

  std::vector<std::uint32_t> take_rows() {
    for (std::uint32_t& word : rows_) word &= kRowNumber;
    return std::move(rows_);
  }

 private:
  const std::uint32_t* words_of(const Node& node) const { return rows_.data() + node.begin; }

  // In a node of few rows the values of a row share lines of the cache (see node_values.cpp).
  CutColumn<T> column(const Node& node, std::int64_t feature) const {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    if (node.size() * kLine < table_.n_rows) return {table_.values + feature, table_.row_stride};
    if constexpr (std::is_same_v<T, float>)
      return {columns_.singles(feature).data(), 1};
    else
      return {columns_.doubles(feature).data(), 1};
  }

  // Whether the cut keeps to the rules and is better than the best, which it then becomes.
  static bool keep(const BitCut& cut, std::int64_t feature, std::int64_t n, const CutRules& rules,
                   const Criterion& criterion, Split& best) {
    if (std::min(cut.n_left, n - cut.n_left) < rules.min_samples_leaf) return false;
    const auto left = static_cast<double>(cut.n_left);
    const auto walk = criterion.walk_to(left, static_cast<double>(cut.n_second));
    if (!is_heavy_enough(walk, rules) || !walk.improves(best.score, best.score)) return false;
    best.feature = feature;
    best.threshold = cut.threshold;
    best.n_left = cut.n_left;
    best.missing_left = 2 * cut.n_left > n;
    return true;
  }

  RowTable<T> table_;
};

}  // namespace gramian::tree
