// One tree of the flat format from its leaves to its root, and how its training weight divides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/format/trees.hpp"

namespace gramian::tree {

inline std::span<const std::int32_t> nodes_of(const TreesView& trees, std::int64_t number) {
  const auto first = trees.first_node(number);
  return trees.feature.subspan(static_cast<std::size_t>(first),
                               static_cast<std::size_t>(trees.first_node(number + 1) - first));
}

// From the leaves to the root: leaf(number) gives a leaf's result, join(number, left, right) that
// of a split from its children's. Returns the root's.
template <class Leaf, class Join>
auto fold_up(std::span<const std::int32_t> nodes, Leaf&& leaf, Join&& join) {
  using Result = decltype(leaf(std::int64_t{0}));
  const auto n_nodes = static_cast<std::int64_t>(nodes.size());
  std::int64_t next_leaf = (n_nodes + 1) / 2, next_split = (n_nodes - 1) / 2;
  std::vector<Result> waiting;  // the results of children, a left child behind its sibling
  for (std::int64_t i = n_nodes - 1; i >= 0; --i) {
    if (nodes[static_cast<std::size_t>(i)] == kLeaf) {
      waiting.push_back(leaf(--next_leaf));
      continue;
    }
    const Result left = waiting.back();
    waiting.pop_back();
    waiting.back() = join(--next_split, left, waiting.back());
  }
  return waiting.back();
}

// The fractions of a split's training weight on its two sides.
struct SplitFractions {
  double left;
  double right;
};

// Of each split of a tree: by weights, by rows where all weights are zero.
std::vector<SplitFractions> split_fractions_of(const TreesView& trees, std::int64_t number);

}  // namespace gramian::tree
