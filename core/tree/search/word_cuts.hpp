// The search of extra-trees for classes, no weights and no missing values: see bit_cuts_kernel.hpp
// for two classes and label_cuts_kernel.hpp for more. The trees are those of random_cuts.hpp.
//
// `Words` says how the classes of rows are kept in words, and what is counted of a cut:
//
//   kRow                                 the bits of a word that are the number of the row
//   serves(target, n_rows)               whether the classes and rows fit
//   word(row, label)
//   enter(words, n, criterion)           counts the classes of a node
//   cut(values, words, n, place)         the cut of a column of the node entered last
//   cut_of_two(word)                     that of two rows, one of which goes left
//   walk(criterion, cut)                 what scores a cut
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tree/search/bit_cuts_kernel.hpp"
#include "tree/search/label_cuts_kernel.hpp"
#include "tree/search/random_cuts.hpp"

namespace gramian::tree {

// Two classes.
class BitWords {
 public:
  static constexpr std::uint32_t kRow = kRowNumber;

  static bool serves(const Target& target, std::int64_t) { return target.n_classes[0] == 2; }
  static std::uint32_t word(std::uint32_t row, std::int32_t label) {
    return row | (label != 0 ? kSecondClass : 0U);
  }

  explicit BitWords(const Target&) {}

  template <class Criterion>
  void enter(const std::uint32_t* words, std::int64_t n, Criterion& criterion) {
    const std::int64_t n_second = GRAMIAN_DISPATCH(count_second, words, n);
    criterion.enter(static_cast<double>(n), static_cast<double>(n_second));
  }
  template <class T>
  BitCut cut(const T* values, const std::uint32_t* words, std::int64_t n, double place) {
    return GRAMIAN_DISPATCH(cut_words, values, words, n, place);
  }
  static BitCut cut_of_two(std::uint32_t word) { return {0.0, 1, word >> 31, true}; }
  template <class Criterion>
  static auto walk(const Criterion& criterion, const BitCut& cut) {
    return criterion.walk_to(static_cast<double>(cut.n_left), static_cast<double>(cut.n_second));
  }
};

// Several classes.
class LabelWords {
 public:
  static constexpr std::uint32_t kRow = kLabelRow;

  static bool serves(const Target& target, std::int64_t n_rows) {
    return target.n_classes[0] <= kMostLabels && n_rows <= std::int64_t{kRow} + 1;
  }
  static std::uint32_t word(std::uint32_t row, std::int32_t label) {
    return row | static_cast<std::uint32_t>(label) << kLabelShift;
  }

  explicit LabelWords(const Target& target) : n_classes_(target.n_classes[0]) {}

  template <class Criterion>
  void enter(const std::uint32_t* words, std::int64_t n, Criterion& criterion) {
    GRAMIAN_DISPATCH(count_labels, words, n, n_classes_, counts_.data());
    criterion.enter(counts_.data());
  }
  template <class T>
  LabelCut cut(const T* values, const std::uint32_t* words, std::int64_t n, double place) {
    const LabelNode node{words, n, n_classes_, counts_.data(), left_.data()};
    return GRAMIAN_DISPATCH(cut_labels, values, node, place);
  }
  static LabelCut cut_of_two(std::uint32_t) { return {0.0, 1, 1, 1, true}; }
  template <class Criterion>
  static auto walk(const Criterion& criterion, const LabelCut& cut) {
    return criterion.walk_to(static_cast<double>(cut.n_left), static_cast<double>(cut.left_squares),
                             static_cast<double>(cut.right_squares));
  }

 private:
  std::int64_t n_classes_;
  std::array<std::uint32_t, kMostLabels> counts_{}, left_{};
};

template <class Criterion, class T, class Words>
class WordCutSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    Words classes;
    FeatureDraw draw;
    // Values of the columns read last; and of the best column of the node searched last: its
    // children follow at once, most often.
    std::array<T*, kCutColumns + 1> values{};
    std::vector<T> memory;
    std::uint64_t path = 0;
    std::vector<std::uint32_t> right;
  };

  // Whether the search does what is asked, and is the fastest.
  static bool serves(const Columns& columns, const Target& target, const Sample& sample,
                     const Options& options) {
    if (columns.is_single() != std::is_same_v<T, float> || !sample.weight.empty()) return false;
    if (!Words::serves(target, columns.n_rows())) return false;
    const RowTable<T> table = columns.template row_table<T>();
    return table.values != nullptr && options.monotone.empty() &&
           !RowCuts<T>::pays(table, options.limits.max_features);
  }

  WordCutSearch(const Columns& columns, const Target& target, Sample& sample,
                const Options& options, std::uint64_t seed, const Context& ctx)
      : SearchBase(columns, target, sample, options, seed),
        table_(columns.template row_table<T>()) {
    columns.make_columns(ctx);
    for (std::uint32_t& word : rows_) word = Words::word(word, target.labels[word]);
  }

  Scratch scratch(const Criterion& criterion) const {
    FeatureDraw draw(seed_, n_features(), options_.limits.max_features);
    return {criterion, Words(target_), std::move(draw), {}, {}, 0, {}};
  }

  double cost(std::int64_t n) const {
    return 4.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    scratch.classes.enter(words_of(node), node.size(), scratch.criterion);
  }

  double impurity(const Node&, const Scratch&) const { return 0.0; }  // follows from the counts

  Split find(Node& node, Scratch& scratch, const Context&) const {
    const std::int64_t n = node.size();
    const CutRules rules = rules_of(node, 0);
    if (n == 2) return find_of_two(node, rules, scratch);
    make_room(n, scratch);
    const double perfect = highest_score(n, scratch.criterion);
    Split best;
    StreamOf<2> stream(seed_, node.path, kCutPurpose);
    double place = 0.0;
    bool is_drawn = false;
    // In a node of few rows the first column is often enough.
    scratch.draw.visit_ahead(
        node.path, n < kFewRows ? 1 : kCutColumns,
        [&](std::span<const std::uint32_t> features) {
          CutColumn<T> columns[kCutColumns];
          for (std::size_t k = 0; k < features.size(); ++k) columns[k] = column(node, features[k]);
          GRAMIAN_DISPATCH(read_cut_columns, columns, static_cast<int>(features.size()),
                           words_of(node), Words::kRow, n, scratch.values.data());
        },
        [&](std::int64_t f, std::size_t k) {
          if (!is_drawn) place = stream.uniform();
          const auto cut = scratch.classes.cut(scratch.values[k], words_of(node), n, place);
          is_drawn = !cut.varies;
          if (!cut.varies) return Seen::constant;
          if (keep(cut, f, n, rules, scratch.criterion, best))
            std::swap(scratch.values[k], scratch.values[kCutColumns]);
          return best.is_found() && best.score >= perfect ? Seen::enough : Seen::varying;
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
      const CutColumn<T> own = column(node, split.feature);
      make_room(node.size(), scratch);
      GRAMIAN_DISPATCH(read_cut_columns, &own, 1, words, Words::kRow, node.size(),
                       scratch.values.data() + kCutColumns);
    }
    scratch.path = 0;
    GRAMIAN_DISPATCH(part_words, scratch.values[kCutColumns], split.threshold, words, node.size(),
                     scratch.right.data());
  }

  std::vector<std::uint32_t> take_rows() {
    for (std::uint32_t& word : rows_) word &= Words::kRow;
    return std::move(rows_);
  }

 private:
  static constexpr std::int64_t kFewRows = 5;

  static void make_room(std::int64_t n, Scratch& scratch) {
    const auto size = static_cast<std::size_t>(n);
    if (scratch.memory.size() >= scratch.values.size() * size) return;
    scratch.memory.resize(scratch.values.size() * size);
    for (std::size_t k = 0; k < scratch.values.size(); ++k)
      scratch.values[k] = scratch.memory.data() + k * size;
  }

  // Two rows of different classes: the first column in which they differ parts them.
  Split find_of_two(const Node& node, const CutRules& rules, Scratch& scratch) const {
    const std::uint32_t* words = words_of(node);
    const double perfect = highest_score(2, scratch.criterion);
    Split best;
    Stream stream(seed_, node.path, kCutPurpose);
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      const auto [values, step] = column(node, f);
      const T first = values[static_cast<std::int64_t>(words[0] & Words::kRow) * step];
      const T second = values[static_cast<std::int64_t>(words[1] & Words::kRow) * step];
      if (first == second) return Seen::constant;
      auto cut = Words::cut_of_two(words[first < second ? 0 : 1]);
      cut.threshold =
          drawn_threshold(std::min(first, second), std::max(first, second), stream.uniform());
      keep(cut, f, 2, rules, scratch.criterion, best);
      return best.is_found() && best.score >= perfect ? Seen::enough : Seen::varying;
    });
    return best;
  }

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
  template <class AnyCut>
  static bool keep(const AnyCut& cut, std::int64_t feature, std::int64_t n, const CutRules& rules,
                   const Criterion& criterion, Split& best) {
    if (std::min(cut.n_left, n - cut.n_left) < rules.min_samples_leaf) return false;
    const auto walk = Words::walk(criterion, cut);
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
