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

#include "tree/search.hpp"
#include "tree/sort_keys.hpp"

namespace gramian::tree {

// The target and weights of one node's rows, side by side.
struct LocalPayload {
  std::vector<std::int32_t> labels;
  std::vector<double> values;
  std::vector<double> weight;

  void gather(const Payload& by_row, std::span<const std::uint32_t> rows, std::int64_t n_outputs) {
    if (by_row.labels != nullptr) copy_rows(by_row.labels, rows, n_outputs, labels);
    if (by_row.values != nullptr) copy_rows(by_row.values, rows, n_outputs, values);
    if (by_row.weight != nullptr) copy_rows(by_row.weight, rows, 1, weight);
  }
  Payload view() const {
    return {labels.data(), values.data(), weight.empty() ? nullptr : weight.data()};
  }

 private:
  template <class T>
  static void copy_rows(const T* from, std::span<const std::uint32_t> rows, std::int64_t width,
                        std::vector<T>& to) {
    const auto w = static_cast<std::size_t>(width);
    if (to.size() < rows.size() * w) to.resize(rows.size() * w);
    if (w == 1) {
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(from + rows[i] * w, w, to.data() + i * w);
  }
};

template <class Criterion>
class NodeSortedSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    LocalPayload local;
    std::vector<std::uint32_t> keys, keys_scratch;
    std::vector<std::uint64_t> wide_keys, wide_scratch;
    std::vector<std::uint32_t> rows;
  };

  NodeSortedSearch(const Columns& columns, const Target& target, const Sample& sample,
                   const Options& options, std::uint64_t seed, const Context&)
      : SearchBase(columns, target, sample, options, seed) {}

  Scratch scratch(const Criterion& criterion) const {
    return {criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features),
            {},        {},
            {},        {},
            {},        {}};
  }

  double cost(std::int64_t n) const {
    return 10.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    scratch.local.gather(by_row(), rows_of(node), target_.n_outputs);
    scratch.criterion.enter(scratch.local.view(), node.size(), own_number);
  }

  double impurity(const Node& node, const Scratch& scratch) const {
    return scratch.criterion.impurity(node.size(), own_number);
  }

  Split find(Node& node, Scratch& scratch, const Context&) const {
    Split best;
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      return std::visit([&](const auto& codes) { return look(node, f, codes, scratch, best); },
                        columns_.codes(f));
    });
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    std::visit([&](const auto& codes) { part(node, codes, split, scratch.rows); },
               columns_.codes(split.feature));
  }

 private:
  static constexpr auto own_number = [](std::int64_t i) { return static_cast<std::uint32_t>(i); };

  std::span<const std::uint32_t> rows_of(const Node& node) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(node.begin),
                                    static_cast<std::size_t>(node.size()));
  }

  // Scans one column; whether it varies in the node.
  template <class Code>
  bool look(const Node& node, std::int64_t feature, const Buffer<Code>& codes, Scratch& scratch,
            Split& best) const {
    const auto rows = rows_of(node);
    const std::uint32_t largest = columns_[feature].missing_code;
    const auto place_bits = static_cast<int>(std::bit_width(rows.size() - 1));
    const auto code_bits = static_cast<int>(std::bit_width(largest));
    if (place_bits + code_bits <= 32)
      return look_with_keys(node, feature, codes.data(), place_bits, code_bits, scratch.keys,
                            scratch.keys_scratch, scratch.criterion, best);
    return look_with_keys(node, feature, codes.data(), place_bits, code_bits, scratch.wide_keys,
                          scratch.wide_scratch, scratch.criterion, best);
  }

  template <class Code, class Key>
  bool look_with_keys(const Node& node, std::int64_t feature, const Code* codes, int place_bits,
                      int code_bits, std::vector<Key>& buffer, std::vector<Key>& buffer_scratch,
                      Criterion& criterion, Split& best) const {
    const auto rows = rows_of(node);
    if (buffer.size() < rows.size()) buffer.resize(rows.size());
    Key* keys = buffer.data();
    Code lowest = codes[rows[0]], highest = lowest;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Code code = codes[rows[i]];
      lowest = std::min(lowest, code);
      highest = std::max(highest, code);
      keys[i] = static_cast<Key>(static_cast<Key>(code) << place_bits | static_cast<Key>(i));
    }
    if (lowest == highest) return false;
    sort_keys(std::span(keys, rows.size()), buffer_scratch, place_bits, place_bits + code_bits);
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
    if (column.n_levels > 0)
      scan_categorical(criterion, sorted, feature, column.n_levels, rules_of(node, feature), best);
    else
      scan_numeric(criterion, sorted, feature, rules_of(node, feature), best);
    return true;
  }

  template <class Code>
  void part(const Node& node, const Buffer<Code>& codes, Split& split,
            std::vector<std::uint32_t>& scratch) {
    const auto n = static_cast<std::size_t>(node.size());
    std::uint32_t* rows = rows_.data() + node.begin;
    if (scratch.size() < n) scratch.resize(n);
    const std::uint32_t missing = columns_[split.feature].missing_code;
    std::size_t n_left = 0, n_right = 0;
    // The rows next to the cut: the largest code on the left, the smallest on the right.
    std::uint32_t left_row = 0, right_row = 0, left_code = 0, right_code = missing;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t row = rows[i];
      const std::uint32_t code = codes[row];
      const bool goes_left = split.code_goes_left(code, missing);
      if (code <= split.last_left && code >= left_code) {
        left_code = code;
        left_row = row;
      }
      if (code > split.last_left && code < right_code) {
        right_code = code;
        right_row = row;
      }
      rows[n_left] = row;
      scratch[n_right] = row;
      n_left += goes_left;
      n_right += !goes_left;
    }
    std::copy_n(scratch.data(), n_right, rows + n_left);
    if (split.is_categorical()) return;
    split.threshold = right_code < missing ? threshold_between(split.feature, left_row, right_row)
                                           : std::numeric_limits<double>::infinity();
  }
};

}  // namespace gramian::tree
