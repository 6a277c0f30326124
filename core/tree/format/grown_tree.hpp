// The preorder arrays that a grown tree becomes, written node by node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/format/trees.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {

// The arrays of the flat format (see trees.hpp), of one tree or of several, one after the other.
// leaf_impurity is empty if all are zero.
struct GrownTrees {
  std::vector<std::int64_t> node_offsets{0};
  std::vector<std::int32_t> feature;
  std::vector<double> threshold;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint64_t> category_words;
  std::vector<double> leaf_value;
  std::vector<std::int32_t> leaf_count;
  std::vector<double> leaf_weight;
  std::vector<double> leaf_impurity;
  std::vector<double> node_value;
  std::vector<double> node_impurity;
  std::vector<double> split_gain;  // of each split, where gains are kept
  // In place of leaf_value and leaf_weight where float32 holds all of them.
  std::vector<float> leaf_value_single, leaf_weight_single;

  // Puts other trees behind these.
  void append(const GrownTrees& other);
  // The same, as part of a tree.
  void append_nodes(const GrownTrees& other);
};

// Calls function(&GrownTrees::array) for each array of nodes, splits and leaves.
template <class Function>
void for_each_array(const Function& function) {
  function(&GrownTrees::feature);
  function(&GrownTrees::threshold);
  function(&GrownTrees::flags);
  function(&GrownTrees::category_words);
  function(&GrownTrees::leaf_value);
  function(&GrownTrees::leaf_value_single);
  function(&GrownTrees::leaf_count);
  function(&GrownTrees::leaf_weight);
  function(&GrownTrees::leaf_weight_single);
  function(&GrownTrees::leaf_impurity);
  function(&GrownTrees::node_value);
  function(&GrownTrees::node_impurity);
  function(&GrownTrees::split_gain);
}

// What is known of a node when it becomes a leaf; of inner nodes only if the criterion keeps them.
struct NodeFacts {
  std::span<const double> value;
  double weight = 0.0;
  double impurity = 0.0;
  std::int64_t count = 0;
};

// What of the nodes' facts is written out.
struct EmittedFacts {
  bool of_inner_nodes = false;  // values and impurities
  bool beside_values = false;   // weights and impurities of leaves; class counts imply them
  bool gains = false;           // the scores of splits, as their gains
};

// A split as it is written.
struct FlatSplit {
  std::int32_t feature = -1;
  std::uint8_t flags = 0;
  double threshold = 0.0;  // of a numeric split
  double gain = 0.0;
  std::span<const std::uint64_t> levels;  // of a categorical one

  FlatSplit() = default;
  explicit FlatSplit(const Split& split);
};

// Appends a tree whose nodes come in preorder.
class TreeWriter {
 public:
  TreeWriter(const EmittedFacts& emitted, GrownTrees& out) : emitted_(emitted), out_(out) {}

  // Room for a tree of so many leaves, each of `width` values. It is memory only once it is filled.
  void reserve(std::int64_t width, std::int64_t most_leaves);

  // A leaf, or what is kept of the next split.
  void describe(const NodeFacts& facts, bool is_leaf);
  void split(const FlatSplit& split);
  // All nodes of a part, which stands for one node.
  void graft(const GrownTrees& part) { out_.append_nodes(part); }
  // The last node has been written.
  void finish() { out_.node_offsets.push_back(static_cast<std::int64_t>(out_.feature.size())); }

 private:
  EmittedFacts emitted_;
  GrownTrees& out_;
};

// Nodes in any order. Node 0 is the root; a node starts as a leaf and may be split.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::int64_t width) : width_(width) { nodes_.push_back({}); }

  void describe(std::int64_t node, const NodeFacts& facts);

  // Splits a node; its children are added, the right one behind the left one. Returns the left.
  std::int64_t split(std::int64_t node, const Split& split);

  // A node that stands for a tree grown elsewhere, which must live until write().
  void graft(std::int64_t node, const GrownTrees& part);

  void write(TreeWriter& writer) const;

 private:
  static constexpr std::uint8_t kGrafted = 0x80;

  struct Item {
    double threshold = 0.0;   // of a categorical split the start of its words
    std::uint32_t left = 0;   // the right child is the next; 0, which is the root: none
    std::uint32_t facts = 0;  // of a grafted node the number of its graft
    std::int32_t feature = -1;
    std::int32_t n_words = 0;
    std::uint8_t flags = 0;
    bool is_described = false;
  };

  Item& at(std::int64_t node) { return nodes_[static_cast<std::size_t>(node)]; }
  NodeFacts facts_of(const Item& item) const;
  FlatSplit split_of(const Item& item) const;

  std::int64_t width_;
  std::vector<Item> nodes_;
  std::vector<const GrownTrees*> grafts_;
  std::vector<std::uint64_t> words_;
  std::vector<double> values_, weights_, impurities_;
  std::vector<std::int32_t> counts_;
};

}  // namespace gramian::tree
