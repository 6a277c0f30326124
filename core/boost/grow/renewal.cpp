#include "boost/grow/renewal.hpp"

#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "loss/weighted_quantile.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr double kCost = 60.0;  // nanoseconds for a row

// The quantile of y - score over some rows; NaN where none of them has a weight.
double residual_quantile(std::span<const std::uint32_t> rows, const ScoredTarget& target,
                         double level) {
  return loss::quantile_of_rows(
      rows, target.weight, level, loss::QuantileMethod::averaged_inverted_cdf,
      [&](std::uint32_t row) { return target.y[row] - target.scores[row]; });
}

}  // namespace

std::vector<double> leaf_quantiles(const LeafRows& leaves, const ScoredTarget& target, double level,
                                   double scale, const Context& ctx) {
  std::vector<std::vector<std::uint32_t>> rows(at(leaves.n_leaves));
  for (std::uint32_t row = 0; row < leaves.leaf_of.size(); ++row)
    rows[leaves.leaf_of[row]].push_back(row);
  std::vector<double> values(rows.size());
  const double cost = kCost * static_cast<double>(leaves.leaf_of.size());
  parallel_for(ctx, leaves.n_leaves, cost, [&](std::int64_t leaf) {
    const double found = residual_quantile(rows[at(leaf)], target, level);
    if (!std::isnan(found)) values[at(leaf)] = scale * found;
  });
  return values;
}

void renew_by_quantile(const TreeGrower& grower, const ScoredTarget& target, double level,
                       double scale, BoostedTree& tree, const Context& ctx) {
  const double cost = kCost * static_cast<double>(target.y.size());
  parallel_for(ctx, grower.n_leaves(), cost, [&](std::int64_t leaf) {
    const double found = residual_quantile(grower.leaf_rows(leaf), target, level);
    if (!std::isnan(found)) tree.set_value(leaf, scale * found);
  });
}

}  // namespace gramian::boost
