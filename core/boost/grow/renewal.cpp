#include "boost/grow/renewal.hpp"

#include <algorithm>
#include <vector>

#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

struct Residual {
  double value;
  double weight;
};

// Half-way between two neighbours where the share ends exactly between them.
double quantile(std::vector<Residual>& residuals, double share) {
  std::sort(residuals.begin(), residuals.end(),
            [](const Residual& a, const Residual& b) { return a.value < b.value; });
  double total = 0.0;
  for (const Residual& residual : residuals) total += residual.weight;
  double sum = 0.0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    sum += residuals[i].weight;
    if (sum > share * total) return residuals[i].value;
    if (sum == share * total && i + 1 < residuals.size())
      return 0.5 * residuals[i].value + 0.5 * residuals[i + 1].value;
  }
  return residuals.back().value;
}

}  // namespace

std::vector<double> leaf_quantiles(const LeafRows& leaves, const ScoredTarget& rows, double share,
                                   double scale, const Context& ctx) {
  std::vector<std::vector<Residual>> residuals(static_cast<std::size_t>(leaves.n_leaves));
  for (std::size_t row = 0; row < leaves.leaf_of.size(); ++row)
    residuals[leaves.leaf_of[row]].push_back(
        {rows.y[row] - rows.scores[row], rows.weight.empty() ? 1.0 : rows.weight[row]});
  std::vector<double> values(residuals.size());
  const double cost = 60.0 * static_cast<double>(leaves.leaf_of.size());
  parallel_for(ctx, leaves.n_leaves, cost, [&](std::int64_t leaf) {
    auto& own = residuals[static_cast<std::size_t>(leaf)];
    if (!own.empty()) values[static_cast<std::size_t>(leaf)] = scale * quantile(own, share);
  });
  return values;
}

void renew_by_quantile(const TreeGrower& grower, std::span<const double> y,
                       std::span<const double> scores, std::span<const double> weight, double share,
                       double scale, BoostedTree& tree, const Context& ctx) {
  const double cost = 60.0 * static_cast<double>(y.size());
  parallel_for(ctx, grower.n_leaves(), cost, [&](std::int64_t leaf) {
    std::vector<Residual> residuals;
    for (const std::uint32_t row : grower.leaf_rows(leaf))
      residuals.push_back({y[row] - scores[row], weight.empty() ? 1.0 : weight[row]});
    if (!residuals.empty()) tree.set_value(leaf, scale * quantile(residuals, share));
  });
}

}  // namespace gramian::boost
