// A tree as the grower makes it, node by node, and the preorder arrays it becomes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/split.hpp"

namespace gramian::tree {

// The arrays of the flat format (see trees.hpp), of one tree or of several, one after the other.
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
  std::vector<double> split_gain;  // of each split; kept if keeps_gains
  bool keeps_gains = false;
};

// What is known of a node when it becomes a leaf; of inner nodes only if the criterion keeps them.
struct NodeFacts {
  std::span<const double> value;
  double weight = 0.0;
  double impurity = 0.0;
  std::int64_t count = 0;
};

// Nodes in the order they were made. Node 0 is the root; a node starts as a leaf and may be split.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::int64_t width) : width_(width) {}

  std::int64_t add_node() {
    nodes_.push_back({});
    return static_cast<std::int64_t>(nodes_.size()) - 1;
  }

  void describe(std::int64_t node, const NodeFacts& facts) {
    Item& item = nodes_[static_cast<std::size_t>(node)];
    item.facts = static_cast<std::int64_t>(counts_.size());
    values_.insert(values_.end(), facts.value.begin(), facts.value.end());
    weights_.push_back(facts.weight);
    impurities_.push_back(facts.impurity);
    counts_.push_back(static_cast<std::int32_t>(facts.count));
  }

  // Splits a node; its children are added.
  void split(std::int64_t node, const Split& split) {
    const std::int64_t left = add_node();
    const std::int64_t right = add_node();
    Item& item = nodes_[static_cast<std::size_t>(node)];
    item.left = left;
    item.right = right;
    item.feature = static_cast<std::int32_t>(split.feature);
    item.threshold = split.threshold;
    item.gain = split.score;
    item.flags =
        static_cast<std::uint8_t>((split.missing_left ? 1 : 0) | (split.is_categorical() ? 2 : 0) |
                                  (split.saw_missing ? 4 : 0));
    if (!split.is_categorical()) return;
    item.threshold = static_cast<double>(words_.size());
    item.n_words = static_cast<std::int32_t>(split.levels.size());
    words_.insert(words_.end(), split.levels.begin(), split.levels.end());
  }
  std::int64_t left_of(std::int64_t node) const { return at(node).left; }
  std::int64_t right_of(std::int64_t node) const { return at(node).right; }

  // A node that stands for a tree grown elsewhere, whose builder must live until emit().
  void graft(std::int64_t node, const TreeBuilder& other) {
    nodes_[static_cast<std::size_t>(node)].graft = &other;
  }

  // Appends the tree in preorder.
  void emit(bool keeps_nodes, GrownTrees& out) const;

 private:
  struct Item {
    std::int64_t left = -1, right = -1;
    std::int64_t facts = -1;
    double threshold = 0.0;
    double gain = 0.0;
    std::int32_t feature = -1;
    std::int32_t n_words = 0;
    std::uint8_t flags = 0;
    const TreeBuilder* graft = nullptr;
  };

  const Item& at(std::int64_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
  void emit_facts(const Item& item, bool is_leaf, bool keeps_nodes, GrownTrees& out) const;

  std::int64_t width_;
  std::vector<Item> nodes_;
  std::vector<std::uint64_t> words_;
  std::vector<double> values_, weights_, impurities_;
  std::vector<std::int32_t> counts_;
};

}  // namespace gramian::tree
