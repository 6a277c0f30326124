// What the flat format leaves out because it can be derived: children, depths and the statistics of
// inner nodes, in one pass from the last node of a tree to its first. O(nodes x width).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

// How the impurity of a node follows from the leaves below it. The first three are functions of
// its class counts, the next two add up from the leaves' impurities and means; `kept` stands for
// criteria whose impurities are in the format itself. Several outputs: the mean over them.
enum class Impurity { gini, entropy, misclassification, squared_error, poisson, kept };

// By the name of a criterion; throws InvalidArgument for an unknown one.
Impurity impurity_of(std::string_view criterion);

// One entry per node of one tree, in preorder; value has `width` entries per node.
struct NodeArrays {
  std::span<std::int64_t> children_left;   // -1 for a leaf
  std::span<std::int64_t> children_right;  // -1 for a leaf
  std::span<std::int64_t> depth;           // 0 for the root
  std::span<std::int64_t> n_node_samples;
  std::span<double> weighted_n_node_samples;
  std::span<double> value;  // weighted class counts, or weighted means
  std::span<double> impurity;
};

// Fills the arrays of one tree; `trees` has passed its check. Throws InvalidArgument if the
// impurity cannot be derived and is not kept.
void derive_nodes(const TreesView& trees, std::int64_t tree, Impurity impurity,
                  const NodeArrays& out);

// out(t, j) = the decrease of impurity by the splits of tree t on column j, each weighted by the
// fraction of the tree's weight that reaches the split.
void impurity_decreases(const TreesView& trees, Impurity impurity, MatrixView<double> out,
                        const Context& ctx);

}  // namespace gramian::tree
