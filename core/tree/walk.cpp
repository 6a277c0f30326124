#include "tree/walk.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"

namespace gramian::tree {
namespace {

void make_node(PackedNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) {
  node = {key, child << PackedNode::kSlotBits | slot};
}
void make_node(WideNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) {
  node = {key, slot, child};
}

// In an even slot kIdleKey is not above the threshold key, in an odd one it is: either way the next
// slot is this one.
template <class Node>
void make_leaf(Node& node, std::uint32_t idle_slot, std::uint32_t own, std::uint32_t number) {
  make_node(node, own % 2U == 0 ? number | kIdleKey : number, idle_slot, own & ~1U);
}

bool fits_packed(const TreesView& trees, const KeySpace& keys) {
  std::int64_t n_slots = 0;
  for (std::int64_t t = 0; t < trees.n_trees(); ++t)
    n_slots = std::max(n_slots, trees.first_node(t + 1) - trees.first_node(t) + 1);
  return keys.n_slots() <= (std::int64_t{1} << PackedNode::kSlotBits) &&
         n_slots <= (std::int64_t{1} << PackedNode::kChildBits);
}

}  // namespace

WalkForm::WalkForm(const TreesView& trees, const KeySpace& keys)
    : missing_left_(at(trees.n_nodes() + trees.n_trees()), 0),
      words_(trees.category_words.begin(), trees.category_words.end()) {
  if (words_.size() > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument("the sets of levels of these trees take more than 32 GiB");
  if (keys.has_levels()) level_slots_ = keys.level_slots();
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) first_slot_.push_back(trees.first_node(t) + t);
  if (fits_packed(trees, keys))
    fill(trees, keys, packed_);
  else
    fill(trees, keys, wide_);
}

template <class Node>
void WalkForm::fill(const TreesView& trees, const KeySpace& keys, std::vector<Node>& nodes) {
  const auto idle_slot = static_cast<std::uint32_t>(keys.idle_slot());
  nodes.resize(missing_left_.size());
  std::vector<std::uint32_t> waiting;  // slots of right children whose turn comes later
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    Node* tree = nodes.data() + first_slot_[at(t)];
    const auto first_split = trees.first_split(t);
    std::uint32_t slot = 0, n_splits = 0, n_leaves = 0;
    make_leaf(tree[1], idle_slot, 1U, 0U);
    for (auto node = trees.first_node(t); node < trees.first_node(t + 1); ++node) {
      const auto column = trees.feature[at(node)];
      if (column == kLeaf) {
        make_leaf(tree[slot], idle_slot, slot, n_leaves++);
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
      missing_left_[at(first_slot_[at(t)]) + slot] = trees.flags[split] & kMissingLeft;
      make_node(tree[slot], key, static_cast<std::uint32_t>(keys.slot_of(column)), child);
      waiting.push_back(child + 1U);
      slot = child;
    }
  }
}

std::int64_t WalkForm::bytes_per_tree() const {
  const auto n_bytes = packed_.size() * sizeof(PackedNode) + wide_.size() * sizeof(WideNode);
  return static_cast<std::int64_t>(n_bytes / std::max<std::size_t>(first_slot_.size(), 1));
}

WalkForest WalkForm::forest() const {
  WalkForest forest;
  forest.packed = packed_.empty() ? nullptr : packed_.data();
  forest.wide = wide_.data();
  forest.missing_left = missing_left_.data();
  forest.first_slot = first_slot_.data();
  forest.level_slots = level_slots_.empty() ? nullptr : level_slots_.data();
  forest.words = words_.data();
  forest.n_trees = static_cast<std::int64_t>(first_slot_.size());
  return forest;
}

}  // namespace gramian::tree
