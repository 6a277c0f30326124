// The flat format of trees: each tree is the sequence of its nodes in preorder, and the trees of a
// forest stand one after another. A split's left child is the next node, its right child follows
// the whole left subtree. Only what cannot be derived is kept (see topology.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "tree/format/tree_groups.hpp"

namespace gramian::tree {

// Numbers that are stored as float where no value changes by it.
class RealSpan {
 public:
  RealSpan() = default;
  RealSpan(std::span<const double> values) : doubles_(values.data()), size_(values.size()) {}
  RealSpan(std::span<const float> values) : floats_(values.data()), size_(values.size()) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double operator[](std::size_t i) const {
    return floats_ != nullptr ? static_cast<double>(floats_[i]) : doubles_[i];
  }

  // What `function` makes of the first number's address, for loops over many.
  template <class Function>
  decltype(auto) visit(const Function& function) const {
    return floats_ != nullptr ? function(floats_) : function(doubles_);
  }

 private:
  const double* doubles_ = nullptr;
  const float* floats_ = nullptr;
  std::size_t size_ = 0;
};

inline constexpr std::int32_t kLeaf = -1;  // the feature of a leaf

// Bits of a split's flags.
inline constexpr std::uint8_t kMissingLeft = 1;  // a missing value goes left
inline constexpr std::uint8_t kCategorical = 2;  // the threshold is the start of a set of levels
inline constexpr std::uint8_t kSawMissing = 4;   // missing values were seen here at fit
inline constexpr std::uint8_t kAllFlags = kMissingLeft | kCategorical | kSawMissing;

// A full binary tree of m nodes has (m - 1) / 2 splits and (m + 1) / 2 leaves, so that the numbers
// of splits and leaves before a tree follow from the number of nodes before it.
struct TreesView {
  std::span<const std::int64_t> node_offsets;     // nodes of tree t: node_offsets[t] .. [t + 1]
  std::span<const std::int32_t> feature;          // of each node; kLeaf for a leaf
  std::span<const double> threshold;              // of each split: left if x <= threshold
  std::span<const std::uint8_t> flags;            // of each split
  std::span<const std::uint64_t> category_words;  // sets of levels: bit c set = level c goes left
  std::span<const std::int32_t> n_levels;         // of each feature; 0: numeric
  std::span<const std::uint8_t> is_double;        // of each feature; 0: rounded to float first
  std::int64_t width = 0;                         // numbers in a leaf's value
  RealSpan leaf_value;                            // leaves x width: class counts, or means
  std::span<const std::int32_t> leaf_count;       // training rows of each leaf
  RealSpan leaf_weight;                           // of each leaf; empty: see below
  std::span<const double> leaf_impurity;          // of each leaf; empty: zero, or from the counts
  std::span<const double> node_value;       // nodes x width, where the leaves do not determine it
  std::span<const double> node_impurity;    // of each node, where the leaves do not determine it
  std::span<const std::int32_t> n_classes;  // of each output; empty: regression

  bool is_classification() const { return !n_classes.empty(); }
  std::int64_t n_trees() const { return static_cast<std::int64_t>(node_offsets.size()) - 1; }
  std::int64_t n_nodes() const { return static_cast<std::int64_t>(feature.size()); }
  std::int64_t n_features() const { return static_cast<std::int64_t>(n_levels.size()); }
  std::int64_t n_outputs() const {
    return is_classification() ? static_cast<std::int64_t>(n_classes.size()) : width;
  }
  std::int64_t first_node(std::int64_t tree) const {
    return node_offsets[static_cast<std::size_t>(tree)];
  }
  std::int64_t first_split(std::int64_t tree) const { return (first_node(tree) - tree) / 2; }
  std::int64_t first_leaf(std::int64_t tree) const { return (first_node(tree) + tree) / 2; }
  std::int64_t n_leaves() const { return (n_nodes() + n_trees()) / 2; }

  // 64-bit words in the set of a categorical split on this column.
  std::int64_t n_words(std::int64_t column) const {
    return (std::int64_t{n_levels[static_cast<std::size_t>(column)]} + 63) / 64;
  }

  TreeGroups groups() const {
    return {n_trees(), [this](std::int64_t t) { return first_node(t); }};
  }

  // The leaf's weight: kept, or the sum of the first output's class counts, or its count of rows.
  double weight_of_leaf(std::int64_t leaf) const;

  // Throws InvalidArgument that names what is wrong, unless every array has its length, every tree
  // is whole and every index stays inside. Arrays of model files are not to be trusted. O(nodes).
  void check(const Context& ctx) const;
};

}  // namespace gramian::tree
