// A tree as the grower makes it, node by node, and the preorder arrays it becomes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/split.hpp"

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
  std::vector<double> split_gain;  // of each split, where the builder keeps gains

  // Puts other trees behind these.
  void append(const GrownTrees& other);
};

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
};

// Nodes in the order they were made. Node 0 is the root; a node starts as a leaf and may be split.
class TreeBuilder {
 public:
  // Room for the largest tree there can be, which is memory only once it is filled: vectors that
  // grow by doubling would leave gaps.
  TreeBuilder(std::int64_t width, std::int64_t most_leaves) : width_(width) {
    const auto n_leaves = static_cast<std::size_t>(most_leaves);
    nodes_.reserve(2 * n_leaves - 1);
    values_.reserve(static_cast<std::size_t>(width) * n_leaves);
    weights_.reserve(n_leaves);
    impurities_.reserve(n_leaves);
    counts_.reserve(n_leaves);
  }

  std::int64_t add_node() {
    nodes_.push_back({});
    return static_cast<std::int64_t>(nodes_.size()) - 1;
  }

  void describe(std::int64_t node, const NodeFacts& facts) {
    Item& item = nodes_[static_cast<std::size_t>(node)];
    item.facts = static_cast<std::uint32_t>(counts_.size());
    values_.insert(values_.end(), facts.value.begin(), facts.value.end());
    weights_.push_back(facts.weight);
    impurities_.push_back(facts.impurity);
    counts_.push_back(static_cast<std::int32_t>(facts.count));
  }

  // Splits a node; its children are added.
  void split(std::int64_t node, const Split& split) {
    const std::int64_t left = add_node();
    add_node();
    Item& item = nodes_[static_cast<std::size_t>(node)];
    item.left = static_cast<std::uint32_t>(left);
    item.feature = static_cast<std::int32_t>(split.feature);
    item.threshold = split.threshold;
    if (keeps_gains_) {
      gains_.resize(nodes_.size());
      gains_[static_cast<std::size_t>(node)] = split.score;
    }
    item.flags =
        static_cast<std::uint8_t>((split.missing_left ? 1 : 0) | (split.is_categorical() ? 2 : 0) |
                                  (split.saw_missing ? 4 : 0));
    if (!split.is_categorical()) return;
    item.threshold = static_cast<double>(words_.size());
    item.n_words = static_cast<std::int32_t>(split.levels.size());
    words_.insert(words_.end(), split.levels.begin(), split.levels.end());
  }
  std::int64_t left_of(std::int64_t node) const { return at(node).left; }
  std::int64_t right_of(std::int64_t node) const { return left_of(node) + 1; }

  // A node that stands for a tree grown elsewhere, whose builder must live until emit().
  void graft(std::int64_t node, const TreeBuilder& other) {
    Item& item = nodes_[static_cast<std::size_t>(node)];
    item.facts = static_cast<std::uint32_t>(grafts_.size());
    item.flags = kGrafted;
    grafts_.push_back(&other);
  }

  // From now on the scores of splits are kept, as their gains.
  void keep_gains() { keeps_gains_ = true; }

  // Appends the tree in preorder.
  void emit(const EmittedFacts& emitted, GrownTrees& out) const;

 private:
  static constexpr std::uint8_t kGrafted = 0x80;

  struct Item {
    double threshold = 0.0;
    std::uint32_t left = 0;   // the right child is the next; 0, which is the root: none
    std::uint32_t facts = 0;  // of a grafted node the number of its graft
    std::int32_t feature = -1;
    std::int32_t n_words = 0;
    std::uint8_t flags = 0;
  };

  const Item& at(std::int64_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
  std::size_t n_nodes() const;
  void reserve(const EmittedFacts& emitted, GrownTrees& out) const;
  void emit_facts(const Item& item, bool is_leaf, const EmittedFacts& emitted,
                  GrownTrees& out) const;

  std::int64_t width_;
  std::vector<Item> nodes_;
  std::vector<const TreeBuilder*> grafts_;
  std::vector<std::uint64_t> words_;
  std::vector<double> values_, weights_, impurities_;
  std::vector<std::int32_t> counts_;
  bool keeps_gains_ = false;
  std::vector<double> gains_;  // by node
};

}  // namespace gramian::tree
