// Leaf values that no Newton step gives: quantiles of what is left to explain.
#pragma once

#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/grow/tree_grower.hpp"

namespace gramian::boost {

// Rows that leaves are fitted to.
struct ScoredTarget {
  std::span<const double> y, scores;
  std::span<const double> weight;  // empty: one each
};

// The leaf of each row, from 0 to n_leaves - 1.
struct LeafRows {
  std::span<const std::uint32_t> leaf_of;
  std::int64_t n_leaves;
};

// For each leaf scale times the quantile of the residuals y - score of its rows (the averaged
// inverted CDF of loss/weighted_quantile.hpp); 0 without rows of any weight.
std::vector<double> leaf_quantiles(const LeafRows& leaves, const ScoredTarget& target, double level,
                                   double scale, const Context& ctx);

// Sets the value of every leaf of the tree that `grower` grew last, if any of its rows has a
// weight, to scale times that quantile of the residuals of its rows.
void renew_by_quantile(const TreeGrower& grower, const ScoredTarget& target, double level,
                       double scale, BoostedTree& tree, const Context& ctx);

}  // namespace gramian::boost
