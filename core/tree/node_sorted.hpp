// Exact search that sorts the rows of a node by each column it looks at. For trees that look at few
// columns in every node, such as those of a random forest.
//
// The target and weight of a node's rows are gathered once; the keys that are sorted carry the
// row's number in the node, so that a scan touches nothing but the node's own small arrays.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "tree/local_search.hpp"
#include "tree/sort_keys.hpp"

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
    std::vector<double> value;  // of a leaf
    std::vector<typename Criterion::Item> items;
    std::vector<std::uint32_t> keys, keys_scratch;
    std::vector<std::uint64_t> wide_keys, wide_scratch;
    std::vector<std::uint32_t> rows;
  };

  NodeSortedSearch(const Columns& columns, const Target& target, const Sample& sample,
                   const Options& options, std::uint64_t seed, const Context&)
      : Base(columns, target, sample, options, seed) {}

  Scratch scratch(const Criterion& criterion) const {
    return {criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features),
            {},        {},
            {},        {},
            {},        {},
            {}};
  }

  double cost(std::int64_t n) const {
    return 10.0 * static_cast<double>(n * options_.limits.max_features);
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
    if (!best.is_categorical())
      this->set_threshold(best, rows[best.left_handle], rows[best.right_handle]);
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    std::visit([&](const auto& codes) { part(node, codes, split, scratch.rows); },
               columns_.codes(split.feature));
  }

 private:
  // Scans one column; whether it varies in the node.
  bool look(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    const auto place_bits = static_cast<int>(std::bit_width(rows_of(node).size() - 1));
    const auto code_bits = static_cast<int>(std::bit_width(columns_[feature].missing_code));
    if (place_bits + code_bits <= 32)
      return look_with(node, feature, place_bits, code_bits, scratch.keys, scratch.keys_scratch,
                       scratch.criterion, best);
    return look_with(node, feature, place_bits, code_bits, scratch.wide_keys, scratch.wide_scratch,
                     scratch.criterion, best);
  }

  template <class Key>
  bool look_with(const Node& node, std::int64_t feature, int place_bits, int code_bits,
                 std::vector<Key>& buffer, std::vector<Key>& scratch, Criterion& criterion,
                 Split& best) const {
    const auto rows = rows_of(node);
    if (buffer.size() < rows.size()) buffer.resize(rows.size());
    Key* keys = buffer.data();
    const bool varies = std::visit(
        [&](const auto& codes) { return make_keys(codes.data(), rows, place_bits, keys); },
        columns_.codes(feature));
    if (!varies) return false;
    sort_keys(std::span(keys, rows.size()), scratch, place_bits, place_bits + code_bits);
    const Key mask = static_cast<Key>((Key{1} << place_bits) - 1);
    const auto code_at = [=](std::int64_t i) {
      return static_cast<std::uint32_t>(keys[i] >> place_bits);
    };
    const auto handle_at = [=](std::int64_t i) {
      return static_cast<std::uint32_t>(keys[i] & mask);
    };
    const Column& column = columns_[feature];
    const SortedRows<decltype(code_at), decltype(handle_at)> sorted{node.size(), code_at, handle_at,
                                                                    column.missing_code};
    scan_column(criterion, sorted, feature, column.n_levels, rules_of(node, feature), best);
    return true;
  }

  template <class Code>
  void part(const Node& node, const Buffer<Code>& codes, const Split& split,
            std::vector<std::uint32_t>& scratch) {
    const std::uint32_t missing = columns_[split.feature].missing_code;
    if (split.is_categorical() || split.saw_missing)
      return part_stably(
          rows_of(node),
          [&](std::uint32_t row) { return !split.code_goes_left(codes[row], missing); }, scratch);
    part_stably(
        rows_of(node),
        [last_left = split.last_left, all = codes.data()](std::uint32_t row) {
          return all[row] > last_left;
        },
        scratch);
  }
};

}  // namespace gramian::tree
