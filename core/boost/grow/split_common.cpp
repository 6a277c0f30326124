// One split for all nodes of a level: the search of symmetric trees.
#include <cmath>
#include <limits>

#include "base/arg_max.hpp"
#include "base/index.hpp"
#include "boost/grow/split_finder.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::uint16_t kNoisePurpose = 23;

// The stream of the noise of one column in one level of a tree; -1: of the choice among columns.
std::uint64_t noise_id(std::size_t n_nodes, std::int32_t feature) {
  return static_cast<std::uint64_t>(n_nodes) << 32 | static_cast<std::uint32_t>(feature);
}

}  // namespace

// The best common cut of one column, its score being the sum of the gains.
SplitFinder::Cut SplitFinder::find_common_in(std::span<const NodeView> nodes,
                                             std::int32_t feature) const {
  const Feature& column = bins_[feature];
  std::array<std::array<double, kMaxCodes>, kWays.size()> sums{};
  bool any_missing = false;
  Sequence cells;
  Scores scores;
  for (const NodeView& node : nodes) {
    read(column, node, cells);
    if (column.is_categorical()) set_levels_apart(column, cells);
    score(node, feature, cells, scores);
    const bool has_missing = hessian_of(cells.missing) > 0;
    any_missing |= has_missing;
    const double base = unsplit_score(node);
    const auto add = [&](Way from, Way to) {
      for (std::int32_t i = 0; i < n_cuts(cells, from); ++i)
        if (const double value = scores.of[index(from)][at(i)]; value >= 0.0)
          sums[index(to)][at(i)] += gain_of(value, base);
    };
    for (const Way way : kWays) add(way, way);
    // Without missing values it makes no difference where they would go.
    if (!has_missing) add(Way::missing_right, Way::missing_left);
  }
  Cut best{0.0, Way::missing_right, -1};
  for (const Way way : kWays) {
    if (way == Way::missing_left && !any_missing) continue;
    for (std::int32_t i = 0; i < kMaxCodes; ++i)
      if (sums[index(way)][at(i)] > best.score) best = {sums[index(way)][at(i)], way, i};
  }
  return best;
}

// Adds a node's part of the cosine of each cut of one way.
void SplitFinder::add_cosines(const NodeView& node, const Sequence& cells, Way way,
                              CosineSums& sums) const {
  if (cells.is_one_hot != (way == Way::alone)) return;
  const auto add = [&](Pair side, std::size_t i) {
    const auto hessian = static_cast<double>(hessian_of(side));
    const auto gradient = static_cast<double>(gradient_of(side));
    const double value = hessian > 0.0 ? gradient / (hessian + rules_.l2) : 0.0;
    sums.along[i] += gradient * value;
    sums.length[i] += hessian * value * value;
  };
  Pair sum = way == Way::missing_left ? cells.missing : 0;
  for (std::int32_t i = 0; i < cells.n; ++i) {
    sum += cells.cells[at(i)];
    const Pair left = way == Way::alone ? cells.cells[at(i)] : sum;
    const Pair right = node.total - left;
    add(left, at(i));
    add(right, at(i));
    const bool is_left = hessian_of(left) > 0, is_right = hessian_of(right) > 0;
    sums.has_left[at(i)] |= is_left;
    sums.has_right[at(i)] |= is_right;
    sums.is_cut[at(i)] |= is_left && is_right;
  }
}

// The best common cut of one column, its score being the cosine between the gradients and the
// values of the leaves, times the length of the former. It may be one that was made before and
// parts no node any more: then none that does is better.
SplitFinder::Cut SplitFinder::find_cosine_in(std::span<const NodeView> nodes,
                                             std::int32_t feature) const {
  const Feature& column = bins_[feature];
  std::vector<Sequence> cells(nodes.size());
  bool any_missing = false;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    read(column, nodes[k], cells[k]);
    if (column.is_categorical()) set_levels_apart(column, cells[k]);
    any_missing |= hessian_of(cells[k].missing) > 0;
  }
  // A score with noise decides; without it is what the columns are compared by.
  Cut best{0.0, Way::missing_right, -1};
  double highest = options_.noise > 0.0 ? -std::numeric_limits<double>::infinity() : 0.0;
  const double unit = std::sqrt(gain_unit_);
  Stream stream(options_.seed, noise_id(nodes.size(), feature), kNoisePurpose);
  for (const Way way : kWays) {
    if (way == Way::missing_left && !any_missing) continue;
    CosineSums sums{};
    for (std::size_t k = 0; k < nodes.size(); ++k) add_cosines(nodes[k], cells[k], way, sums);
    for (std::size_t i = 0; i < sums.along.size(); ++i) {
      if (!sums.has_left[i] || !sums.has_right[i] || sums.length[i] == 0.0) continue;
      const double score = unit * sums.along[i] / std::sqrt(sums.length[i]);
      const double drawn = options_.noise > 0.0 ? options_.noise * stream.normal() : 0.0;
      if (score + drawn > highest) {
        highest = score + drawn;
        best = {score, way, static_cast<std::int32_t>(i), !sums.is_cut[i]};
      }
    }
  }
  return best;
}

// Adds what is drawn at random to the scores of the columns' best cuts.
void SplitFinder::add_noise(std::span<Cut> cuts, std::size_t n_nodes) const {
  Stream stream(options_.seed, noise_id(n_nodes, -1), kNoisePurpose);
  for (Cut& cut : cuts) cut.score += options_.noise * stream.normal();
}

std::vector<NodeSplit> SplitFinder::find_common(std::span<const NodeView> nodes,
                                                std::span<const std::int32_t> features,
                                                const Context& ctx) const {
  const auto n = static_cast<std::int64_t>(features.size());
  std::vector<Cut> cuts(at(n));
  const double cost =
      kScanCost * static_cast<double>(bins_.n_cells()) * static_cast<double>(nodes.size());
  const bool by_cosine = options_.by_cosine && options_.monotone.empty();
  parallel_for(ctx, n, cost, [&](std::int64_t k) {
    const std::int32_t feature = features[at(k)];
    cuts[at(k)] = by_cosine ? find_cosine_in(nodes, feature) : find_common_in(nodes, feature);
  });
  if (options_.noise > 0.0) add_noise(cuts, nodes.size());
  const auto best = arg_max(n, [&](std::int64_t k) {
    return cuts[at(k)].place >= 0 ? cuts[at(k)].score : -std::numeric_limits<double>::infinity();
  });
  if (!best) return {};
  const Cut& cut = cuts[at(*best)];
  const bool has_drawn = options_.noise > 0.0;  // a score may be negative then
  if (cut.is_idle || (!has_drawn && !(cut.score > options_.min_gain))) return {};
  const std::int32_t feature = features[at(*best)];
  std::vector<NodeSplit> splits;
  for (const NodeView& node : nodes) splits.push_back(make_common(node, feature, cut));
  unify(splits, bins_[feature]);
  return splits;
}

NodeSplit SplitFinder::make_common(const NodeView& node, std::int32_t feature,
                                   const Cut& cut) const {
  Sequence cells;
  read(bins_[feature], node, cells);
  if (bins_[feature].is_categorical()) set_levels_apart(bins_[feature], cells);
  const Pair left = left_of(cells, cut), right = node.total - left;
  const bool is_one_sided = hessian_of(left) == 0 || hessian_of(right) == 0;
  double gain = 0.0;
  if (!is_one_sided)
    gain = gain_of(bounded_score(left, right, 0, node.bounds, options_.l2), unsplit_score(node));
  NodeSplit split = make_split(node, feature, cells, cut, gain);
  if (cut.way == Way::missing_left) split.missing_left = true;
  return split;
}

// The same condition in all nodes: what is unknown in one of them follows the others.
void SplitFinder::unify(std::span<NodeSplit> splits, const Feature& feature) const {
  NodeSplit common = splits.front();
  double left = 0.0, right = 0.0;
  for (const NodeSplit& split : splits) {
    if (split.saw_missing && !common.saw_missing) common = split;
    (split.missing_left ? left : right) += 1.0;
  }
  if (!common.saw_missing) common.missing_left = left > right;
  common.bins[at(feature.n_bins)] = common.missing_left;
  for (NodeSplit& split : splits) {
    split.saw_missing = common.saw_missing;
    split.missing_left = common.missing_left;
    split.bins = common.bins;
  }
}

}  // namespace gramian::boost
