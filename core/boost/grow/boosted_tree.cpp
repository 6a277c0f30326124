#include "boost/grow/boosted_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "tree/search/search.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kChunkRows = 8192, kTileRows = 8192;

tree::Split flat_split(const Feature& feature, const NodeSplit& split) {
  tree::Split out;
  out.feature = split.feature;
  out.score = split.gain;
  out.missing_left = split.missing_left;
  out.saw_missing = split.saw_missing;
  if (feature.is_categorical()) {
    out.levels.resize((at(feature.n_levels) + 63) / 64);
    for (std::size_t level = 0; level < feature.bin_of_level.size(); ++level)
      if (split.bins[feature.bin_of_level[level]])
        out.levels[level / 64] |= std::uint64_t{1} << (level % 64);
  } else {
    out.threshold = at(split.last_bin) < feature.edges.size()
                        ? feature.edges[at(split.last_bin)]
                        : std::numeric_limits<double>::infinity();
  }
  return out;
}

}  // namespace

std::int64_t BoostedTree::split(std::int64_t node, const NodeSplit& split) {
  const auto left = static_cast<std::int64_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  Node& own = nodes_[at(node)];
  own.left = left;
  own.split = split;
  return left;
}

std::vector<std::int64_t> BoostedTree::leaf_nodes() const {
  std::vector<std::int64_t> leaves, pending{0};
  while (!pending.empty()) {
    const std::int64_t node = pending.back();
    pending.pop_back();
    const std::int64_t left = nodes_[at(node)].left;
    if (left < 0) {
      leaves.push_back(node);
    } else {
      pending.push_back(left + 1);
      pending.push_back(left);
    }
  }
  return leaves;
}

void BoostedTree::set_leaf(std::int64_t node, std::int64_t leaf, const LeafFacts& facts) {
  if (n_leaves() <= leaf) leaves_.resize(at(leaf) + 1);
  nodes_[at(node)].leaf = static_cast<std::int32_t>(leaf);
  leaves_[at(leaf)] = facts;
}

void BoostedTree::count_rows(std::span<const std::uint32_t> leaf_of,
                             std::span<const double> weight) {
  for (LeafFacts& leaf : leaves_) leaf.n_rows = 0, leaf.hessian = 0.0;
  std::vector<TreeSum> sums(leaves_.size());
  const Tiles tiles = Tiles::of_rows(static_cast<std::int64_t>(leaf_of.size()), kTileRows);
  for (std::int64_t tile = 0; tile < tiles.count(); ++tile) {
    for (auto row = at(tiles.begin(tile)); row < at(tiles.end(tile)); ++row) {
      LeafFacts& leaf = leaves_[leaf_of[row]];
      leaf.n_rows += weight.empty() || weight[row] > 0.0;
      leaf.hessian += weight.empty() ? 1.0 : weight[row];
    }
    for (std::size_t k = 0; k < sums.size(); ++k)
      sums[k].add(tile, std::exchange(leaves_[k].hessian, 0.0));
  }
  for (std::size_t k = 0; k < sums.size(); ++k) leaves_[k].hessian = sums[k].total();
}

std::vector<std::vector<std::int32_t>> BoostedTree::path_columns(const Bins& bins) const {
  std::vector<std::vector<std::int32_t>> of_leaf(leaves_.size());
  struct Pending {
    std::int64_t node;
    std::vector<std::int32_t> columns;
  };
  std::vector<Pending> pending{{0, {}}};
  while (!pending.empty()) {
    auto [number, columns] = std::move(pending.back());
    pending.pop_back();
    const Node& node = nodes_[at(number)];
    if (node.left < 0) {
      of_leaf[at(node.leaf)] = std::move(columns);
      continue;
    }
    const auto column = static_cast<std::int32_t>(node.split.feature);
    const auto place = std::lower_bound(columns.begin(), columns.end(), column);
    if (!bins[column].is_categorical() && (place == columns.end() || *place != column))
      columns.insert(place, column);
    pending.push_back({node.left + 1, columns});
    pending.push_back({node.left, std::move(columns)});
  }
  return of_leaf;
}

void BoostedTree::add_leaf(std::int64_t leaf, const AnyDense* X,
                           std::span<const std::uint32_t> rows, double scale,
                           std::span<double> scores) const {
  const double value = leaves_[at(leaf)].value;
  if (!linear_.empty()) return linear_.add(leaf, value, *X, rows, scale, scores);
  for (const std::uint32_t row : rows) scores[row] += scale * value;
}

template <class Use>
void BoostedTree::run_down(const Bins& bins, std::span<const std::uint32_t> rows,
                           const Context& ctx, Use&& use) const {
  const std::int64_t n = rows.empty() ? bins.n_rows() : static_cast<std::int64_t>(rows.size());
  const Chunks chunks = Chunks::of_rows(n, kChunkRows);
  struct Pending {
    std::int64_t node;
    std::span<std::uint32_t> rows;
  };
  // Other rows may have columns in other tracks than those that the tree was grown on.
  struct Test {
    TrackCodes codes;
    CodeSet goes_left;
  };
  std::vector<Test> tests(nodes_.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (const NodeSplit& split = nodes_[k].split; nodes_[k].left >= 0) {
      const Feature& feature = bins[split.feature];
      tests[k] = {bins.track_codes(feature.track), codes_left(feature, split)};
    }
  parallel_for(ctx, chunks.count(), 10.0 * static_cast<double>(n), [&](std::int64_t chunk) {
    std::vector<std::uint32_t> own(at(chunks.end(chunk) - chunks.begin(chunk))), scratch;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::size_t k = at(chunks.begin(chunk)) + i;
      own[i] = rows.empty() ? static_cast<std::uint32_t>(k) : rows[k];
    }
    std::vector<Pending> pending{{0, own}};
    while (!pending.empty()) {
      const auto [number, held] = pending.back();
      pending.pop_back();
      const Node& node = nodes_[at(number)];
      if (node.left < 0) {
        use(node.leaf, std::span<const std::uint32_t>(held));
        continue;
      }
      if (held.empty()) continue;
      const auto& [codes, goes_left] = tests[at(number)];
      std::size_t n_left = 0;
      tree::part_stably(
          held,
          [&](std::uint32_t row) {
            const bool is_left = goes_left[codes[row]] != 0;
            n_left += is_left;
            return !is_left;
          },
          scratch);
      pending.push_back({node.left + 1, held.subspan(n_left)});
      pending.push_back({node.left, held.first(n_left)});
    }
  });
}

void BoostedTree::add(const Bins& bins, const AnyDense* X, std::span<const std::uint32_t> rows,
                      double scale, std::span<double> scores, const Context& ctx) const {
  run_down(bins, rows, ctx, [&](std::int32_t leaf, std::span<const std::uint32_t> held) {
    add_leaf(leaf, X, held, scale, scores);
  });
}

void BoostedTree::find_leaves(const Bins& bins, std::span<std::uint32_t> leaf_of,
                              const Context& ctx) const {
  run_down(bins, {}, ctx, [&](std::int32_t leaf, std::span<const std::uint32_t> held) {
    for (const std::uint32_t row : held) leaf_of[row] = static_cast<std::uint32_t>(leaf);
  });
}

void BoostedTree::emit(const Bins& bins, tree::GrownTrees& out) const {
  tree::TreeWriter writer({.beside_values = true, .gains = true}, out);
  writer.reserve(1, n_leaves());
  std::vector<std::int64_t> pending{0};
  while (!pending.empty()) {
    const Node& node = nodes_[at(pending.back())];
    pending.pop_back();
    if (node.left < 0) {
      const LeafFacts& facts = leaves_[at(node.leaf)];
      writer.describe({std::span(&facts.value, 1), facts.hessian, 0.0, facts.n_rows}, true);
      continue;
    }
    writer.split(tree::FlatSplit(flat_split(bins[node.split.feature], node.split)));
    pending.push_back(node.left + 1);
    pending.push_back(node.left);
  }
  writer.finish();
}

}  // namespace gramian::boost
