// Exact search of columns that were sorted once: a node scans its part of each. For trees that look
// at most columns in every node.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "parallel/parallel_for.hpp"
#include "tree/search/presorted_columns.hpp"

namespace gramian::tree {

template <class Criterion>
class PresortedSearch : public PresortedColumns {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    PartScratch part;
  };

  PresortedSearch(const Columns& columns, const Target& target, Sample& sample,
                  const Options& options, std::uint64_t seed, const Context& ctx)
      : PresortedColumns(columns, target, sample, options, seed, ctx),
        items_(Criterion::items(target, sample.weight)) {}

  Scratch scratch(const Criterion& criterion) const {
    return {criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features), {}};
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
    Split best = scratch.draw.takes_all() ? best_of_all(node, scratch.criterion, ctx)
                                          : best_of_drawn(node, scratch);
    if (!best.is_found()) return {};
    best.is_perfect = best.score >= scratch.criterion.perfect_score(node.size());
    if (!best.is_categorical()) set_threshold(best, best.left_handle, best.right_handle);
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context& ctx) {
    part(node, split, scratch.part, ctx);
  }

 private:
  auto handles(const Node& node) const {
    return [rows = rows_.data() + node.begin](std::int64_t i) { return rows[i]; };
  }

  Split best_of_drawn(const Node& node, Scratch& scratch) const {
    Split best;
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      if (is_constant(node, f)) return Seen::constant;
      look(node, f, scratch.criterion, best);
      return Seen::varying;
    });
    return best;
  }

  Split best_of_all(Node& node, Criterion& criterion, const Context& ctx) const {
    drop_constant(node);
    const auto& varying = *node.varying;
    const auto n_varying = static_cast<std::int64_t>(varying.size());
    const double cost_ns = 4.0 * static_cast<double>(node.size() * n_varying);
    LookOrder order;
    if (options_.random_ties) order = LookOrder(seed_, node.path, varying.size());
    Split best;
    if (useful_threads(ctx, n_varying, cost_ns) <= 1) {
      const double perfect = criterion.perfect_score(node.size());
      for (std::int64_t k = 0; k < n_varying; ++k) {
        look(node, varying[order.next()], criterion, best);
        if (best.is_found() && best.score >= perfect) break;
      }
      return best;
    }
    std::vector<Split> found(varying.size());
    parallel_for(ctx, n_varying, cost_ns, [&](std::int64_t k) {
      const auto i = static_cast<std::size_t>(k);
      Criterion own = criterion;
      look(node, varying[i], own, found[i]);
    });
    for (std::size_t k = 0; k < found.size(); ++k)
      if (Split& split = found[order.next()]; split.score > best.score) best = std::move(split);
    return best;
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

  std::vector<typename Criterion::Item> items_;  // by row number
};

}  // namespace gramian::tree
