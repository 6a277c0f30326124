#include "ensemble/samme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tree/criterion.hpp"
#include "tree/grow.hpp"

namespace gramian::ensemble {
namespace {

double sum_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Calls visit(row) for the rows that are not of their leaf's class; of equally frequent classes the
// first is a leaf's.
template <class Visit>
void visit_wrong(const tree::GrownTrees& grown, const tree::Target& target,
                 std::span<const std::uint32_t> rows_by_leaf, const Visit& visit) {
  const auto width = static_cast<std::ptrdiff_t>(target.width());
  auto counts = grown.leaf_value.begin();
  std::size_t i = 0;
  for (const std::int32_t n_rows : grown.leaf_count) {
    const auto best = std::max_element(counts, counts + width) - counts;
    for (const std::size_t end = i + static_cast<std::size_t>(n_rows); i < end; ++i)
      if (target.labels[rows_by_leaf[i]] != best) visit(rows_by_leaf[i]);
    counts += width;
  }
}

}  // namespace

SammeTrees boost_samme(const tree::Columns& columns, const tree::Target& target,
                       const tree::Options& options, std::span<const double> weight, double rate,
                       std::span<const std::uint64_t> seeds, const Context& ctx) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon();  // no row is ever forgotten
  const double n_classes = target.n_classes[0];
  std::vector<double> w(weight.begin(), weight.end());
  tree::Sample sample;
  for (std::uint32_t i = 0; i < w.size(); ++i)
    if (w[i] > 0.0) sample.rows.push_back(i);
  std::vector<double> rounded(w.size());  // sums of these are exact, so that a tie is a tie
  sample.weight = rounded;
  tree::Options limited = options;
  std::vector<std::uint32_t> rows_by_leaf;
  SammeTrees out;
  for (const std::uint64_t seed : seeds) {
    for (const std::uint32_t row : sample.rows) w[row] = std::max(w[row], kLeast);
    sample.total_weight = sum_of(w);
    const tree::Grid grid(sample.total_weight);
    for (std::size_t i = 0; i < w.size(); ++i) rounded[i] = grid.round(w[i]);
    limited.limits.min_weight_leaf = options.limits.min_weight_leaf * sample.total_weight;
    tree::GrownTrees grown;
    tree::grow_tree({columns, target, limited, sample, seed, ctx, &rows_by_leaf}, grown);
    double wrong = 0.0;
    visit_wrong(grown, target, rows_by_leaf, [&](std::uint32_t row) { wrong += w[row]; });
    const double error = wrong / sample.total_weight;
    const bool is_perfect = error <= 0.0;
    if (!is_perfect && error >= 1.0 - 1.0 / n_classes) return out;
    const double a =
        is_perfect ? 1.0 : rate * (std::log((1.0 - error) / error) + std::log(n_classes - 1.0));
    out.trees.append(grown);
    out.weights.push_back(a);
    out.errors.push_back(is_perfect ? 0.0 : error);
    if (is_perfect || out.weights.size() == seeds.size()) return out;
    const double factor = std::exp(a);
    visit_wrong(grown, target, rows_by_leaf, [&](std::uint32_t row) { w[row] *= factor; });
    const double total = sum_of(w);
    out.has_overflown = !std::isfinite(total);
    if (out.has_overflown || total <= 0.0) return out;
    for (double& each : w) each /= total;
  }
  return out;
}

}  // namespace gramian::ensemble
