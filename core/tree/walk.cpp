#include "tree/walk.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"

namespace gramian::tree {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct NodeMaker {
  int feature_bits;
  std::uint32_t idle_slot;

  void make(PackedNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) const {
    node = {key, child << feature_bits | slot};
  }
  void make(WideNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) const {
    node = {key, slot, child};
  }
  // In an even slot no key is above the threshold key, in an odd one every key is: either way the
  // next slot is this one.
  template <class Node>
  void make_leaf(Node& node, std::uint32_t own) const {
    make(node, own % 2U == 0 ? kMissingKey : 0U, idle_slot, own & ~1U);
  }
};

int n_bits(std::int64_t largest) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
}

// Bits for the largest child reference: twice the number of a pair of children.
int child_bits(const TreesView& trees) {
  std::int64_t largest = 0;
  for (std::int64_t t = 0; t < trees.n_trees(); ++t)
    largest = std::max(largest, trees.first_split(t + 1) - trees.first_split(t));
  return n_bits(2 * largest + 1);
}

}  // namespace

WalkForm::WalkForm(const TreesView& trees, const KeySpace& keys)
    : feature_bits_(n_bits(keys.n_slots() - 1)),
      leaf_in_slot_(at(trees.n_nodes() + trees.n_trees()), 0),
      words_(trees.category_words.begin(), trees.category_words.end()) {
  if (words_.size() > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument("the sets of levels of these trees take more than 32 GiB");
  if (keys.has_levels()) level_slots_ = keys.level_slots();
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) first_slot_.push_back(trees.first_node(t) + t);
  if (feature_bits_ + child_bits(trees) <= 32)
    fill(trees, keys, packed_);
  else
    fill(trees, keys, wide_);
}

template <class Node>
void WalkForm::fill(const TreesView& trees, const KeySpace& keys, std::vector<Node>& nodes) {
  const NodeMaker maker{feature_bits_, static_cast<std::uint32_t>(keys.idle_slot())};
  nodes.resize(leaf_in_slot_.size());
  std::vector<std::uint32_t> waiting;  // slots of right children whose turn comes later
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    Node* tree = nodes.data() + first_slot_[at(t)];
    std::uint32_t* leaf_in_slot = leaf_in_slot_.data() + first_slot_[at(t)];
    const auto first_split = trees.first_split(t);
    std::uint32_t slot = 0, n_splits = 0, n_leaves = 0;
    maker.make_leaf(tree[1], 1U);
    for (auto node = trees.first_node(t); node < trees.first_node(t + 1); ++node) {
      const auto column = trees.feature[at(node)];
      if (column == kLeaf) {
        maker.make_leaf(tree[slot], slot);
        leaf_in_slot[slot] = n_leaves++;
        if (waiting.empty()) continue;
        slot = waiting.back();
        waiting.pop_back();
        continue;
      }
      const auto split = at(first_split + n_splits);
      const bool is_set = (trees.flags[split] & kCategorical) != 0;
      const auto key = is_set ? static_cast<std::uint32_t>(trees.threshold[split])
                              : keys.threshold_key(column, trees.threshold[split]);
      const std::uint32_t child = 2U * n_splits++ + 2U;
      const std::uint32_t is_missing_left = (trees.flags[split] & kMissingLeft) != 0 ? 1U : 0U;
      maker.make(tree[slot], key, static_cast<std::uint32_t>(keys.slot_of(column)),
                 child | is_missing_left);
      waiting.push_back(child + 1U);
      slot = child;
    }
  }
}

WalkForest WalkForm::forest() const {
  WalkForest forest;
  forest.packed = packed_.empty() ? nullptr : packed_.data();
  forest.wide = wide_.data();
  forest.feature_bits = feature_bits_;
  forest.first_slot = first_slot_.data();
  forest.level_slots = level_slots_.empty() ? nullptr : level_slots_.data();
  forest.words = words_.data();
  forest.n_trees = static_cast<std::int64_t>(first_slot_.size());
  return forest;
}

}  // namespace gramian::tree
