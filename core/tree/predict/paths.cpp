#include "tree/predict/paths.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"

namespace gramian::tree {
namespace {

// Parent of each node of a tree, -1 for the root, and how many nodes lead to it, itself included.
struct Ancestry {
  std::vector<std::int64_t> parent;
  std::vector<std::int64_t> length;
};

Ancestry ancestry(const TreesView& trees, std::int64_t tree) {
  const auto begin = trees.first_node(tree);
  const auto n = trees.first_node(tree + 1) - begin;
  Ancestry found{std::vector<std::int64_t>(at(n)), std::vector<std::int64_t>(at(n))};
  std::vector<std::int64_t> waiting;  // splits whose right child is still to come
  std::int64_t parent = -1;
  for (std::int64_t node = 0; node < n; ++node) {
    found.parent[at(node)] = parent;
    found.length[at(node)] = parent < 0 ? 1 : found.length[at(parent)] + 1;
    parent = node;
    if (trees.feature[at(begin + node)] != kLeaf) {
      waiting.push_back(node);
    } else if (!waiting.empty()) {
      parent = waiting.back();
      waiting.pop_back();
    }
  }
  return found;
}

void check_leaves(const TreesView& trees, MatrixView<const std::int64_t> leaves) {
  if (leaves.n_cols != trees.n_trees())
    throw InvalidArgument("leaves does not have one column per tree");
  for (std::int64_t i = 0; i < leaves.n_rows; ++i)
    for (std::int64_t t = 0; t < leaves.n_cols; ++t) {
      const auto leaf = leaves(i, t), begin = trees.first_node(t);
      if (leaf < 0 || leaf >= trees.first_node(t + 1) - begin ||
          trees.feature[at(begin + leaf)] != kLeaf)
        throw InvalidArgument("leaves has a number that is not a leaf of its tree");
    }
}

}  // namespace

void path_offsets(const TreesView& trees, MatrixView<const std::int64_t> leaves,
                  std::span<std::int64_t> indptr) {
  check_leaves(trees, leaves);
  if (indptr.size() != at(leaves.n_rows) + 1)
    throw InvalidArgument("indptr does not have one entry more than leaves has rows");
  std::fill(indptr.begin(), indptr.end(), 0);
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    const auto length = ancestry(trees, t).length;
    for (std::int64_t i = 0; i < leaves.n_rows; ++i) indptr[at(i) + 1] += length[at(leaves(i, t))];
  }
  for (std::size_t i = 1; i < indptr.size(); ++i) indptr[i] += indptr[i - 1];
}

void path_nodes(const TreesView& trees, MatrixView<const std::int64_t> leaves,
                std::span<const std::int64_t> indptr, std::span<std::int64_t> indices,
                const Context& ctx) {
  std::vector<std::int64_t> expected(at(leaves.n_rows) + 1);
  path_offsets(trees, leaves, expected);
  if (!std::ranges::equal(expected, indptr) || at(expected.back()) != indices.size())
    throw InvalidArgument("indptr and indices are not those of these leaves");
  // `expected` now counts where the next node of a row goes.
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    const auto [parent, length] = ancestry(trees, t);
    const auto begin = trees.first_node(t);
    for (std::int64_t i = 0; i < leaves.n_rows; ++i) {
      if (i % 4096 == 0) ctx.check();
      auto node = leaves(i, t);
      auto& next = expected[at(i)];
      next += length[at(node)];
      for (auto k = next; node >= 0; node = parent[at(node)]) indices[at(--k)] = begin + node;
    }
  }
}

}  // namespace gramian::tree
