// A boosted tree on bins: what grows, and what rows of a binned table are run down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/bins/bins.hpp"
#include "boost/grow/row_partition.hpp"
#include "boost/grow/split_finder.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/format/linear_leaves.hpp"

namespace gramian::boost {

struct LeafFacts {
  double value = 0.0;
  double hessian = 0.0;
  std::int64_t n_rows = 0;
};

class BoostedTree {
 public:
  BoostedTree() { nodes_.emplace_back(); }

  // Splits a leaf; returns the left of its two children, which are numbered one after the other.
  std::int64_t split(std::int64_t node, const NodeSplit& split);
  // The nodes that stayed leaves, from left to right: leaf number k is the k-th.
  std::vector<std::int64_t> leaf_nodes() const;
  void set_leaf(std::int64_t node, std::int64_t leaf, const LeafFacts& facts);

  std::int64_t n_leaves() const { return static_cast<std::int64_t>(leaves_.size()); }
  const LeafFacts& leaf(std::int64_t number) const {
    return leaves_[static_cast<std::size_t>(number)];
  }
  void set_value(std::int64_t number, double value) {
    leaves_[static_cast<std::size_t>(number)].value = value;
  }

  // Sets numbers and weights of the leaves' rows by the leaf of each row; `weight` empty: one each.
  void count_rows(std::span<const std::uint32_t> leaf_of, std::span<const double> weight);

  // Of each leaf: the numeric columns on its path, ascending.
  std::vector<std::vector<std::int32_t>> path_columns(const Bins& bins) const;
  void set_linear(tree::LinearLeaves linear) { linear_ = std::move(linear); }
  const tree::LinearLeaves& linear() const { return linear_; }

  // scores[row] += scale * what the row's leaf gives, for these rows; for all if there are none
  // given. `X`: the rows as they were before they were cut into bins; linear leaves need them.
  void add(const Bins& bins, const AnyDense* X, std::span<const std::uint32_t> rows, double scale,
           std::span<double> scores, const Context& ctx) const;
  // The same for rows of one leaf.
  void add_leaf(std::int64_t leaf, const AnyDense* X, std::span<const std::uint32_t> rows,
                double scale, std::span<double> scores) const;

  // The number of the leaf in which each row of a table ends.
  void find_leaves(const Bins& bins, std::span<std::uint32_t> leaf_of, const Context& ctx) const;

  // Appends the tree in the flat format.
  void emit(const Bins& bins, tree::GrownTrees& out) const;

 private:
  struct Node {
    std::int64_t left = -1;
    std::int32_t leaf = -1;
    NodeSplit split;
  };

  // Calls use(leaf, rows) with rows that end in a leaf, in parts; for all rows if there are none
  // given.
  template <class Use>
  void run_down(const Bins& bins, std::span<const std::uint32_t> rows, const Context& ctx,
                Use&& use) const;

  std::vector<Node> nodes_;
  std::vector<LeafFacts> leaves_;
  tree::LinearLeaves linear_;  // of all leaves, or of none
};

}  // namespace gramian::boost
