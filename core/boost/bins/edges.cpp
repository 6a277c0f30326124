#include "boost/bins/edges.hpp"

#include <algorithm>
#include <numeric>

namespace gramian::boost {
namespace {

double between(double left, double right) {
  const double middle = left / 2.0 + right / 2.0;
  return middle < right ? middle : left;
}

}  // namespace

std::vector<double> choose_edges(std::span<const Distinct> values, std::int32_t max_bins) {
  std::vector<double> edges;
  const bool takes_all = values.size() <= static_cast<std::size_t>(max_bins);
  double rest = 0.0;  // weight of the values that are not in a bin yet
  for (const Distinct& item : values) rest += item.weight;
  auto bins_left = static_cast<double>(max_bins);
  double filled = 0.0;  // of the open bin
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    filled += values[i].weight;
    const double goal = rest / bins_left;
    // The bin is closed where its weight comes nearest to the goal; a heavy next value stays alone.
    const bool is_full = filled >= goal || filled + 0.5 * values[i + 1].weight > goal || takes_all;
    if (!is_full || bins_left <= 1.0) continue;
    edges.push_back(between(values[i].value, values[i + 1].value));
    rest -= filled;
    bins_left -= 1.0;
    filled = 0.0;
  }
  return edges;
}

std::int32_t choose_level_bins(std::span<const double> weight, std::int32_t max_bins,
                               std::vector<std::uint8_t>& bin_of_level) {
  std::vector<std::size_t> order(weight.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  const auto n_levels = static_cast<std::int32_t>(weight.size());
  const std::int32_t n_bins = std::clamp(n_levels, 1, max_bins);
  bin_of_level.assign(weight.size(), static_cast<std::uint8_t>(n_bins - 1));
  for (std::int32_t k = 0; k < std::min(n_levels, n_bins); ++k)
    bin_of_level[order[static_cast<std::size_t>(k)]] = static_cast<std::uint8_t>(k);
  return n_bins;
}

}  // namespace gramian::boost
