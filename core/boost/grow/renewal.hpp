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

// For each leaf scale times the quantile of the residuals y - score of its rows: the least one up
// to which the share of the weight is reached, half-way to the next where the share ends exactly
// between them; 0 without rows.
std::vector<double> leaf_quantiles(const LeafRows& leaves, const ScoredTarget& rows, double share,
                                   double scale, const Context& ctx);

// Sets the value of every leaf of the tree that `grower` grew last to scale times that quantile
// of the residuals of its rows.
void renew_by_quantile(const TreeGrower& grower, std::span<const double> y,
                       std::span<const double> scores, std::span<const double> weight, double share,
                       double scale, BoostedTree& tree, const Context& ctx);

}  // namespace gramian::boost
