// Search of a categorical column by counts: the weight of each class at each level, and nothing
// sorted but the levels. Sums of whole weights are exact, so that counting finds what a scan of the
// rows finds (scan_categorical in split.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "tree/columns/columns.hpp"
#include "tree/columns/counted.hpp"

namespace gramian::tree {

// The best split of a categorical column; whether it varies. `levels`: memory to work in.
template <class Criterion>
bool scan_counted_levels(Criterion& criterion, const CodeCounts& counts, std::int64_t n,
                         const Column& column, std::int64_t feature, const CutRules& rules,
                         std::vector<LevelRows>& levels, Split& best) {
  levels.clear();
  for (const std::uint32_t code : counts.seen())
    levels.push_back({0.0, 0, counts.n_rows(code), code, false});
  if (levels.size() < 2) return false;
  const auto weight_of = [&](const LevelRows& level) {
    double weight = 0.0;
    for (const std::uint32_t w : counts.weights(level.code)) weight += w;
    return weight;
  };
  mark_rare(levels, weight_of);
  for (std::int64_t order = 0; order < criterion.n_orders(); ++order) {
    const std::size_t ordered = criterion.ordered_class(order);
    order_levels(levels, [&](const LevelRows& level) {
      return std::pair{static_cast<double>(counts.weights(level.code)[ordered]), weight_of(level)};
    });
    auto walk = criterion.count_walk();
    Cut cut;
    std::int64_t n_left = 0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      double score = 0.0;
      if (k > 0 && !(levels[k].is_rare && levels[k - 1].is_rare) &&
          n_left >= rules.min_samples_leaf && n - n_left >= rules.min_samples_leaf &&
          walk.improves(std::max(cut.score, best.score), score) && is_heavy_enough(walk, rules))
        cut = {score, walk.left_weight() > walk.right_weight(), 0.0, n_left};
      walk.move(counts.weights(levels[k].code).data());
      n_left += levels[k].end;
    }
    if (cut.n_left == 0) continue;
    best.score = cut.score;
    best.feature = feature;
    set_levels(levels, cut, column.n_levels, column.missing_code, best);
  }
  return true;
}

}  // namespace gramian::tree
