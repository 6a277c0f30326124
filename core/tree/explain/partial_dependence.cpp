#include "tree/explain/partial_dependence.hpp"

#include <bit>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/explain/row_block.hpp"
#include "tree/format/split_fractions.hpp"

namespace gramian::tree {
namespace {

constexpr double kNodeCost = 20.0;  // nanoseconds for a node and a block of points

struct Node {
  std::int32_t column = kLeaf;
  bool ends = true;            // no known column is asked here or below
  std::int64_t right = 0;      // the left child is the next node
  std::int64_t split = 0;      // among those of all trees
  double left_fraction = 0.0;  // of the training weight
};

struct TreeMeans {
  std::vector<Node> nodes;    // in preorder
  std::vector<double> means;  // nodes x outputs: what the leaves below give on average
};

TreeMeans means_of(const ShapEnsemble& ensemble, std::int64_t number,
                   std::span<const std::uint8_t> is_known) {
  const TreesView& trees = ensemble.trees;
  const auto columns = nodes_of(trees, number);
  const std::vector<SplitFractions> fractions = split_fractions_of(trees, number);
  const std::int64_t width = ensemble.leaf_outputs.n_cols;
  TreeMeans out{std::vector<Node>(columns.size()), std::vector<double>(columns.size() * at(width))};
  std::vector<std::int64_t> waiting;  // children whose parents come, a left one behind its sibling
  std::int64_t leaf = trees.first_leaf(number + 1), split = trees.first_split(number + 1);
  for (auto i = static_cast<std::int64_t>(columns.size()) - 1; i >= 0; --i) {
    double* mean = out.means.data() + i * width;
    const std::int32_t column = columns[at(i)];
    if (column == kLeaf) {
      --leaf;
      for (std::int64_t k = 0; k < width; ++k)
        mean[k] = ensemble.scale[at(number)] * ensemble.leaf_outputs(leaf, k);
      waiting.push_back(i);
      continue;
    }
    --split;
    const auto [left_fraction, right_fraction] = fractions[at(split - trees.first_split(number))];
    const std::int64_t left = i + 1;
    waiting.pop_back();
    const std::int64_t right = waiting.back();
    for (std::int64_t k = 0; k < width; ++k)
      mean[k] = left_fraction * out.means[at(left * width + k)] +
                right_fraction * out.means[at(right * width + k)];
    const bool ends =
        is_known[at(column)] == 0 && out.nodes[at(left)].ends && out.nodes[at(right)].ends;
    out.nodes[at(i)] = {column, ends, right, split, left_fraction};
    waiting.back() = i;
  }
  return out;
}

// Points that are on the same way; the weight of that way is the same for all of them.
struct Way {
  std::int64_t node;
  std::uint64_t points;
  double weight;
};

void walk(const TreeMeans& tree, const RowBlock& block, std::span<const std::uint8_t> is_known,
          std::uint64_t points, MatrixView<double> out) {
  std::vector<Way> pending{{0, points, 1.0}};
  while (!pending.empty()) {
    auto [number, here, weight] = pending.back();
    pending.pop_back();
    const Node& node = tree.nodes[at(number)];
    if (node.ends) {
      const double* mean = tree.means.data() + number * out.n_cols;
      for (; here != 0; here &= here - 1)
        for (std::int64_t k = 0; k < out.n_cols; ++k)
          out(std::countr_zero(here), k) += weight * mean[k];
      continue;
    }
    if (is_known[at(node.column)] == 0) {
      pending.push_back({node.right, here, weight * (1.0 - node.left_fraction)});
      pending.push_back({number + 1, here, weight * node.left_fraction});
      continue;
    }
    const std::uint64_t left = here & block.goes_left(node.split, node.column);
    if (left != here) pending.push_back({node.right, here & ~left, weight});
    if (left != 0) pending.push_back({number + 1, left, weight});
  }
}

}  // namespace

void partial_dependence(const ShapEnsemble& ensemble, MatrixView<const double> X,
                        std::span<const std::uint8_t> is_known, MatrixView<double> out,
                        const Context& ctx) {
  const TreesView& trees = ensemble.trees;
  const auto n_nodes = static_cast<double>(trees.n_nodes());
  std::vector<TreeMeans> means(at(trees.n_trees()));
  parallel_for(ctx, trees.n_trees(), kNodeCost * n_nodes,
               [&](std::int64_t t) { means[at(t)] = means_of(ensemble, t, is_known); });
  const Chunks chunks = Chunks::of_rows(X.n_rows, RowBlock::kRows);
  const double cost = kNodeCost * n_nodes * static_cast<double>(chunks.count());
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
    const std::int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
    RowBlock block(trees);
    block.load(X.rows(begin, end));
    const std::uint64_t points = ~std::uint64_t{0} >> (RowBlock::kRows - (end - begin));
    for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
      ctx.check();
      const std::int64_t first = ensemble.is_interleaved ? t % ensemble.n_outputs : 0;
      const std::int64_t last = ensemble.is_interleaved ? first + 1 : ensemble.n_outputs;
      walk(means[at(t)], block, is_known, points, out.rows(begin, end).cols(first, last));
    }
  });
}

}  // namespace gramian::tree
