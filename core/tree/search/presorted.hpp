// Exact search with every column sorted once: a node scans its part of each column and then parts
// it stably, so that nothing is ever sorted again. For trees that look at most columns in every
// node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/search/search.hpp"

namespace gramian::tree {

template <class Criterion>
class PresortedSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    std::vector<double> value;    // of a leaf
    std::vector<Record> records;  // room for the right side while a column is parted
    std::vector<std::uint32_t> rows;
  };

  PresortedSearch(const Columns& columns, const Target& target, Sample& sample,
                  const Options& options, std::uint64_t seed, const Context& ctx)
      : SearchBase(columns, target, sample, options, seed),
        items_(Criterion::items(target, sample.weight)),
        is_right_(static_cast<std::size_t>(columns.n_rows())),
        is_whole_(n_rows() == columns.n_rows()),
        records_(static_cast<std::size_t>(columns.n_features())) {
    if (is_whole_) return;
    std::vector<std::uint8_t> is_taken(is_right_.size(), 0);
    for (const std::uint32_t row : rows_) is_taken[row] = 1;
    const double cost = 2.0 * static_cast<double>(columns.n_rows() * columns.n_features());
    parallel_for(ctx, columns.n_features(), cost, [&](std::int64_t f) {
      Buffer<Record> kept(n_rows() + 1);  // all are written, so that there is no branch
      std::int64_t n_kept = 0;
      for (const Record record : columns.sorted(f)) {
        kept[n_kept] = record;
        n_kept += is_taken[record.row];
      }
      records_[static_cast<std::size_t>(f)] = std::move(kept);
    });
  }

  Scratch scratch(const Criterion& criterion) const {
    return {criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features), {}, {}, {}};
  }

  // Nanoseconds to scan and part a node of n rows.
  double cost(std::int64_t n) const { return 5.0 * static_cast<double>(n * n_features()); }

  void enter(const Node& node, Scratch& scratch) const {
    scratch.criterion.enter(items_.data(), node.size(), handles(node));
  }

  double impurity(const Node& node, const Scratch& scratch) const {
    return scratch.criterion.impurity(node.size(), handles(node));
  }

  Split find(Node& node, Scratch& scratch, const Context& ctx) const {
    Split best;
    if (!scratch.draw.takes_all()) {
      scratch.draw.visit(node.path, [&](std::int64_t f) {
        if (is_constant(node, f)) return Seen::constant;
        look(node, f, scratch.criterion, best);
        return Seen::varying;
      });
      return finished(best, scratch.criterion.perfect_score(node.size()));
    }
    drop_constant(node);
    const auto& varying = *node.varying;
    const auto n_varying = static_cast<std::int64_t>(varying.size());
    const double cost_ns = 4.0 * static_cast<double>(node.size() * n_varying);
    LookOrder order;
    if (options_.random_ties) order = LookOrder(seed_, node.path, varying.size());
    if (useful_threads(ctx, n_varying, cost_ns) <= 1) {
      const double perfect = scratch.criterion.perfect_score(node.size());
      for (std::int64_t k = 0; k < n_varying; ++k) {
        look(node, varying[order.next()], scratch.criterion, best);
        if (best.is_found() && best.score >= perfect) break;
      }
      return finished(best, scratch.criterion.perfect_score(node.size()));
    }
    std::vector<Split> found(varying.size());
    parallel_for(ctx, n_varying, cost_ns, [&](std::int64_t k) {
      const auto i = static_cast<std::size_t>(k);
      Criterion criterion = scratch.criterion;
      look(node, varying[i], criterion, found[i]);
    });
    for (std::size_t k = 0; k < found.size(); ++k)
      if (Split& split = found[order.next()]; split.score > best.score) best = std::move(split);
    return finished(best, scratch.criterion.perfect_score(node.size()));
  }

  // Parts the rows and, if the children are to be searched, every column's records.
  void apply(const Node& node, Split& split, Scratch& scratch, const Context& ctx) {
    const std::span<const Record> winner = records_of(node, split.feature);
    const std::uint32_t missing = columns_[split.feature].missing_code;
    for (const Record& record : winner)
      is_right_[record.row] = !split.code_goes_left(record.code, missing);
    part_stably(rows_of(node), [&](std::uint32_t row) { return is_right_[row]; }, scratch.rows);
    if (ends_growth(node, split)) return;
    std::vector<std::uint32_t> all;
    if (node.varying == nullptr) {
      all.resize(static_cast<std::size_t>(n_features()));
      std::iota(all.begin(), all.end(), 0u);
    }
    const auto& features = node.varying == nullptr ? all : *node.varying;
    const auto n = static_cast<std::int64_t>(features.size());
    const double cost_ns = 1.5 * static_cast<double>(node.size() * n);
    const auto part = [&](std::int64_t k, std::vector<Record>& moved) {
      const std::int64_t f = features[static_cast<std::size_t>(k)];
      if (is_shared(node)) return part_shared(f, split.n_left);
      part_stably(
          own_records(node, f), [&](const Record& record) { return is_right_[record.row]; }, moved);
    };
    if (useful_threads(ctx, n, cost_ns) <= 1) {
      for (std::int64_t k = 0; k < n; ++k) part(k, scratch.records);
      return;
    }
    parallel_for(ctx, n, cost_ns, [&](std::int64_t k) {
      std::vector<Record> moved;
      part(k, moved);
    });
  }

 private:
  auto handles(const Node& node) const {
    return [rows = rows_.data() + node.begin](std::int64_t i) { return rows[i]; };
  }
  // The root of a tree with all rows reads the columns as they are; its children are the first to
  // have records of their own.
  bool is_shared(const Node& node) const { return is_whole_ && node.depth == 0; }

  std::span<Record> own_records(const Node& node, std::int64_t feature) {
    return {records_[static_cast<std::size_t>(feature)].data() + node.begin,
            static_cast<std::size_t>(node.size())};
  }
  std::span<const Record> records_of(const Node& node, std::int64_t feature) const {
    if (is_shared(node)) return columns_.sorted(feature);
    return {records_[static_cast<std::size_t>(feature)].data() + node.begin,
            static_cast<std::size_t>(node.size())};
  }

  void part_shared(std::int64_t feature, std::int64_t n_left) {
    Buffer<Record> parted(n_rows());
    std::int64_t left = 0, right = n_left;
    for (const Record record : columns_.sorted(feature)) {
      const bool is_right = is_right_[record.row] != 0;
      parted[is_right ? right : left] = record;
      left += !is_right;
      right += is_right;
    }
    records_[static_cast<std::size_t>(feature)] = std::move(parted);
  }

  bool is_constant(const Node& node, std::int64_t feature) const {
    const auto records = records_of(node, feature);
    return records.front().code == records.back().code;
  }

  // A column constant in a node is constant below it: it is neither scanned nor parted again.
  void drop_constant(Node& node) const {
    std::vector<std::uint32_t> kept;
    const auto keep = [&](std::uint32_t f) {
      if (!is_constant(node, f)) kept.push_back(f);
    };
    if (node.varying == nullptr) {
      for (std::uint32_t f = 0; f < n_features(); ++f) keep(f);
    } else {
      for (const std::uint32_t f : *node.varying) keep(f);
      if (kept.size() == node.varying->size()) return;
    }
    node.varying = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
  }

  void look(const Node& node, std::int64_t feature, Criterion& criterion, Split& best) const {
    const auto records = records_of(node, feature);
    const auto code_at = [r = records.data()](std::int64_t i) { return r[i].code; };
    const auto handle_at = [r = records.data()](std::int64_t i) { return r[i].row; };
    const Column& column = columns_[feature];
    const SortedRows<decltype(code_at), decltype(handle_at)> rows{node.size(), code_at, handle_at,
                                                                  column.missing_code};
    scan_column(criterion, rows, feature, column.n_levels, rules_of(node, feature), best);
  }

  Split finished(Split& split, double perfect) const {
    if (!split.is_found()) return {};
    split.is_perfect = split.score >= perfect;
    if (!split.is_categorical()) set_threshold(split, split.left_handle, split.right_handle);
    return std::move(split);
  }

  std::vector<typename Criterion::Item> items_;  // by row number
  std::vector<std::uint8_t> is_right_;           // by row number
  bool is_whole_;                                // all rows of the columns
  std::vector<Buffer<Record>> records_;
};

}  // namespace gramian::tree
