// Exact search that sorts the rows of a node by each column it looks at. For trees that look at few
// columns in every node, such as those of a random forest.
//
// The target and weight of a node's rows are gathered once; the keys that are sorted carry the
// row's number in the node, so that a scan touches nothing but the node's own small arrays. Where
// weights are whole, the keys of two classes carry weight and label instead (packed.hpp), and
// columns of few values or of levels are counted, not sorted (counted.hpp, counted_levels.hpp): the
// splits are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/columns/counted.hpp"
#include "tree/search/counted_levels.hpp"
#include "tree/search/local_search.hpp"
#include "tree/search/node_codes.hpp"
#include "tree/search/packed.hpp"
#include "tree/search/sort_keys.hpp"

namespace gramian::tree {

template <class Criterion>
class NodeSortedSearch : public LocalSearch<Criterion> {
  using Base = LocalSearch<Criterion>;
  using Base::columns_;
  using Base::options_;
  using Base::own_number;
  using Base::rows_of;
  using Base::rules_of;
  using Base::seed_;

 public:
  using Base::n_features;

  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    std::vector<typename Criterion::Item> items;
    std::vector<std::uint32_t> keys;
    std::vector<std::uint64_t> wide_keys;
    KeySorter<std::uint32_t> sort;
    KeySorter<std::uint64_t> sort_wide;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint8_t> packed;
    bool has_items = false;  // of the node entered last, where rows are packed
    CodeCounts counts;
    std::vector<LevelRows> levels;
  };

  NodeSortedSearch(const Columns& columns, const Target& target, Sample& sample,
                   const Options& options, std::uint64_t seed, const Context&)
      : Base(columns, target, sample, options, seed) {
    if constexpr (Criterion::is_packed)
      if (options.monotone.empty() && options.limits.min_weight_leaf <= 0.0)
        packed_ = packed_rows(target, this->rows_, sample.weight);
    bool needs_items = false;
    for (std::int64_t f = 0; f < columns.n_features(); ++f)
      needs_items |= !is_packed(f) && !(Criterion::is_packed && counts_levels(f));
    if (needs_items) this->make_items(sample);
  }

  Scratch scratch(const Criterion& criterion) const {
    FeatureDraw draw(seed_, n_features(), options_.limits.max_features);
    return {criterion, std::move(draw), {}, {}, {}, {}, {}, {}, {}, false, {}, {}};
  }

  double cost(std::int64_t n) const {
    return 10.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    if constexpr (Criterion::is_packed)
      if (!packed_.empty()) return enter_packed(node, scratch);
    Base::enter(node, scratch);
  }

  Split find(Node& node, Scratch& scratch, const Context&) const {
    Split best;
    const double perfect = scratch.criterion.perfect_score(node.size());
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      const bool varies = look(node, f, scratch, best);
      if (best.is_found() && best.score >= perfect) return Seen::enough;
      return varies ? Seen::varying : Seen::constant;
    });
    if (!best.is_found()) return best;
    best.is_perfect = best.score >= perfect;
    const auto rows = rows_of(node);
    // There the rows beside the cut are known by their codes.
    if (is_packed(best.feature) || is_counted(node, best.feature))
      set_threshold_by_codes(node, best);
    else if (!best.is_categorical())
      this->set_threshold(best, rows[best.left_handle], rows[best.right_handle]);
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    part_by_code(columns_, split, rows_of(node), scratch.rows);
  }

 private:
  NodeColumn column_of(const Node& node, std::int64_t feature) const {
    return {columns_, rows_of(node), feature};
  }

  // Whether a column's keys carry weight and label (packed.hpp) in place of the row's number.
  bool is_packed(std::int64_t feature) const {
    const Column& column = columns_[feature];
    return !packed_.empty() && column.is_whole() && column.missing_code < 1u << (32 - kPackedBits);
  }

  // Whether a column has so few codes that counting them is faster than sorting.
  bool is_counted(const Node& node, std::int64_t feature) const {
    if constexpr (!Criterion::is_counted && !Criterion::is_packed) return false;
    if (!Criterion::is_counted && packed_.empty()) return false;
    const Column& column = columns_[feature];
    return has_exact_counts() && column.is_whole() &&
           CodeCounts::are_few(column.missing_code, node.size());
  }

  // Whether the levels of a column are counted.
  bool counts_levels(std::int64_t feature) const {
    if (columns_[feature].n_levels == 0) return false;
    if constexpr (Criterion::is_counted) return has_exact_counts();
    return !packed_.empty();
  }
  bool has_exact_counts() const {
    constexpr double kLargest = 1 << 26;  // squares are exact
    return this->counts_weights_ && this->total_weight_ < kLargest && options_.monotone.empty();
  }

  // Sums of whole weights are exact: those of packed rows are what the items' are.
  void enter_packed(const Node& node, Scratch& scratch) const {
    const auto rows = rows_of(node);
    if (scratch.packed.size() < rows.size()) scratch.packed.resize(rows.size());
    std::uint64_t weight = 0, second = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t packed = packed_[rows[i]];
      scratch.packed[i] = static_cast<std::uint8_t>(packed);
      weight += packed >> 1;
      second += (packed >> 1) * (packed & 1);
    }
    scratch.criterion.enter(static_cast<double>(weight), static_cast<double>(second));
    scratch.has_items = false;
  }

  // Columns that are not packed need the items.
  void need_items(const Node& node, Scratch& scratch) const {
    if (packed_.empty() || scratch.has_items) return;
    Base::enter(node, scratch);
    scratch.has_items = true;
  }

  // The weight of each class at each code of a column.
  void count(const Node& node, std::int64_t feature, std::uint32_t n_codes,
             Scratch& scratch) const {
    const auto enter = [&](const auto& label_of, const auto& weight_of, std::size_t n_classes) {
      column_of(node, feature).visit_codes([&](const auto& code_of) {
        scratch.counts.enter(code_of, rows_of(node), label_of, weight_of, n_codes, n_classes);
      });
    };
    if constexpr (Criterion::is_packed)
      enter([from = scratch.packed.data()](std::size_t i) { return std::size_t{from[i]} & 1; },
            [from = scratch.packed.data()](std::size_t i) { return std::uint32_t{from[i]} >> 1; },
            2);
    else
      enter([&](std::size_t i) { return static_cast<std::size_t>(scratch.items[i].value); },
            [&](std::size_t i) { return static_cast<std::uint32_t>(scratch.items[i].weight); },
            scratch.criterion.n_classes());
  }

  bool look_counted(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    count(node, feature, columns_[feature].missing_code, scratch);
    return scan_counted(scratch.criterion, scratch.counts, node.size(), feature,
                        rules_of(node, feature), best);
  }

  bool look_levels(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    const Column& column = columns_[feature];
    count(node, feature, column.missing_code + 1, scratch);
    return scan_counted_levels(scratch.criterion, scratch.counts, node.size(), column, feature,
                               rules_of(node, feature), scratch.levels, best);
  }

  bool look_packed(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    const std::size_t n = rows_of(node).size();
    if (scratch.keys.size() < n) scratch.keys.resize(n);
    const std::span<std::uint32_t> keys{scratch.keys.data(), n};
    if (!sort_packed(column_of(node, feature), scratch.packed, keys, scratch.sort)) return false;
    scan_packed(keys, {scratch.criterion.weight(), scratch.criterion.second()}, feature,
                options_.limits.min_samples_leaf, best);
    return true;
  }

  void set_threshold_by_codes(const Node& node, Split& split) const {
    const std::int64_t f = split.feature;
    if (columns_.has_code_values(f))
      split.set_threshold(columns_.code_value(split.left_handle, f),
                          columns_.code_value(split.right_handle, f));
    else
      this->set_threshold(split, row_with(column_of(node, f), split.left_handle),
                          row_with(column_of(node, f), split.right_handle));
  }

  // Scans one column; whether it varies in the node.
  bool look(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    if constexpr (Criterion::is_packed || Criterion::is_counted) {
      if (is_counted(node, feature)) return look_counted(node, feature, scratch, best);
      if (counts_levels(feature)) return look_levels(node, feature, scratch, best);
    }
    if constexpr (Criterion::is_packed)
      if (is_packed(feature)) return look_packed(node, feature, scratch, best);
    need_items(node, scratch);
    const NodeColumn column = column_of(node, feature);
    if (column.place_bits() + column.code_bits() <= 32)
      return look_with(node, column, scratch.keys, scratch.sort, scratch.criterion, best);
    return look_with(node, column, scratch.wide_keys, scratch.sort_wide, scratch.criterion, best);
  }

  template <class Key>
  bool look_with(const Node& node, const NodeColumn& column, std::vector<Key>& buffer,
                 KeySorter<Key>& sort, Criterion& criterion, Split& best) const {
    const std::size_t n = column.rows.size();
    if (buffer.size() < n) buffer.resize(n);
    Key* keys = buffer.data();
    if (!sort_by_code(column, std::span(keys, n), sort)) return false;
    const int place_bits = column.place_bits();
    const Key mask = static_cast<Key>((Key{1} << place_bits) - 1);
    const auto code_at = [=](std::int64_t i) {
      return static_cast<std::uint32_t>(keys[i] >> place_bits);
    };
    const auto handle_at = [=](std::int64_t i) {
      return static_cast<std::uint32_t>(keys[i] & mask);
    };
    const Column& known = columns_[column.feature];
    const SortedRows<decltype(code_at), decltype(handle_at)> sorted{node.size(), code_at, handle_at,
                                                                    known.missing_code};
    scan_column(criterion, sorted, column.feature, known.n_levels, rules_of(node, column.feature),
                best);
    return true;
  }

  std::vector<std::uint8_t> packed_;  // weight and label by row number; empty: not packed
};

}  // namespace gramian::tree
