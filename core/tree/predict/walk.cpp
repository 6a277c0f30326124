#include "tree/predict/walk.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/predict/preorder_slots.hpp"

namespace gramian::tree {
namespace {

constexpr double kFillCost = 4.0;  // nanoseconds for a node, to decide on threads

void make_node(PackedNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) {
  node = {key, child << PackedNode::kSlotBits | slot};
}
void make_node(WideNode& node, std::uint32_t key, std::uint32_t slot, std::uint32_t child) {
  node = {key, slot, child};
}

// In an even slot kIdleKey is not above the threshold key, in an odd one it is: either way the next
// slot is this one.
std::uint32_t leaf_key(std::uint32_t own, std::uint32_t number) {
  return number | (~own & 1U) * kIdleKey;
}

bool fits_packed(const TreesView& trees, const KeySpace& keys) {
  std::int64_t n_slots = 0;
  for (std::int64_t t = 0; t < trees.n_trees(); ++t)
    n_slots = std::max(n_slots, trees.first_node(t + 1) - trees.first_node(t) + 1);
  return keys.n_slots() <= (std::int64_t{1} << PackedNode::kSlotBits) &&
         n_slots <= (std::int64_t{1} << PackedNode::kChildBits);
}

// Fills the nodes of one tree after another.
class TreeFiller {
 public:
  // slot_of: of a leaf, and of each column. No tree has more splits than these.
  TreeFiller(const TreesView& trees, const KeySpace& keys,
             const std::vector<std::uint32_t>& slot_of, std::int64_t max_splits)
      : trees_(trees),
        keys_(keys),
        slot_of_(slot_of.data() + 1),
        split_keys_(max_splits + 1),
        split_flags_(max_splits + 1),
        waiting_(max_splits + 2) {}

  template <class Node>
  void fill(std::int64_t tree, Node* nodes, std::uint8_t* missing_left) {
    const auto n_nodes = trees_.first_node(tree + 1) - trees_.first_node(tree);
    read_splits(tree, n_nodes / 2);
    const std::int32_t* feature = trees_.feature.data() + trees_.first_node(tree);
    const std::uint32_t* const keys = split_keys_.data();
    const std::uint8_t* const flags = split_flags_.data();
    const std::uint32_t* const slot_of = slot_of_;
    PreorderSlots slots(waiting_.data());
    std::uint32_t slot = 0, split = 0;
    for (std::int64_t node = 0; node < n_nodes; ++node) {
      const auto column = feature[node];
      const std::uint32_t is_split = column != kLeaf ? 1U : 0U, mask = 0U - is_split;
      const std::uint32_t child = 2U * split + 2U;
      const std::uint32_t leaf = leaf_key(slot, static_cast<std::uint32_t>(node) - split);
      make_node(nodes[slot], (keys[split] & mask) | (leaf & ~mask), slot_of[column],
                (child & mask) | (slot & ~1U & ~mask));
      missing_left[slot] = static_cast<std::uint8_t>(flags[split] & kMissingLeft & mask);
      slot = slots.next(is_split, child);
      split += is_split;
    }
    make_node(nodes[1], leaf_key(1U, 0U), slot_of_[kLeaf], 0U);
    missing_left[1] = 0;
  }

 private:
  // With one more, which the leaves behind the last split look at.
  void read_splits(std::int64_t tree, std::int64_t n_splits) {
    keys_.write_threshold_keys(trees_, tree, split_keys_.data());
    std::copy_n(trees_.flags.begin() + trees_.first_split(tree), n_splits, split_flags_.data());
    split_keys_[n_splits] = 0;
    split_flags_[n_splits] = 0;
  }

  const TreesView& trees_;
  const KeySpace& keys_;
  const std::uint32_t* slot_of_;
  Buffer<std::uint32_t> split_keys_;
  Buffer<std::uint8_t> split_flags_;
  Buffer<std::uint32_t> waiting_;
};

// The node of each leaf of a tree, from left to right.
template <class Node>
void number_leaves(const Node* tree, std::int64_t n_nodes, std::int64_t idle_slot,
                   PreorderSlots slots, std::int32_t* leaf) {
  std::uint32_t slot = 0;
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    const std::uint32_t is_split = tree[slot].slot() != idle_slot ? 1U : 0U;
    *leaf = static_cast<std::int32_t>(node);  // the last node is a leaf
    leaf += 1U - is_split;
    slot = slots.next(is_split, tree[slot].child());
  }
}

}  // namespace

WalkForm::WalkForm(const TreesView& trees, const KeySpace& keys, const Context& ctx)
    : missing_left_(large_buffer<std::uint8_t>(trees.n_nodes() + trees.n_trees())),
      words_(trees.category_words.begin(), trees.category_words.end()) {
  if (words_.size() > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument("the sets of levels of these trees take more than 32 GiB");
  if (keys.has_levels()) slot_kinds_ = keys.slot_kinds();
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) first_slot_.push_back(trees.first_node(t) + t);
  if (fits_packed(trees, keys))
    fill(trees, keys, packed_, ctx);
  else
    fill(trees, keys, wide_, ctx);
}

template <class Node>
void WalkForm::fill(const TreesView& trees, const KeySpace& keys, Buffer<Node>& nodes,
                    const Context& ctx) {
  nodes = large_buffer<Node>(missing_left_.size());
  std::vector<std::uint32_t> slot_of{static_cast<std::uint32_t>(keys.idle_slot())};  // of a leaf
  for (std::int64_t j = 0; j < trees.n_features(); ++j)
    slot_of.push_back(static_cast<std::uint32_t>(keys.slot_of(j)));
  const TreeGroups groups = trees.groups();
  const double cost_ns = kFillCost * static_cast<double>(trees.n_nodes());
  parallel_for(ctx, groups.count(), cost_ns, [&](std::int64_t i) {
    const auto begin = groups.begin(i), end = groups.end(i);
    TreeFiller filler(trees, keys, slot_of, trees.first_split(end) - trees.first_split(begin));
    for (auto t = begin; t < end; ++t) {
      const auto first = first_slot_[at(t)];
      filler.fill(t, nodes.data() + first, missing_left_.data() + first);
    }
  });
}

template <class Node>
void WalkForm::find_leaf_nodes(const Node* nodes, std::int64_t idle_slot,
                               Buffer<std::int32_t>& found, const Context& ctx) const {
  const auto n_trees = static_cast<std::int64_t>(first_slot_.size());
  const auto first_slot = [&](std::int64_t t) {
    return t < n_trees ? first_slot_[at(t)] : n_nodes();
  };
  const TreeGroups groups(n_trees, first_slot);
  const double cost_ns = kFillCost * static_cast<double>(n_nodes());
  parallel_for(ctx, groups.count(), cost_ns, [&](std::int64_t i) {
    const auto begin = groups.begin(i), end = groups.end(i);
    Buffer<std::uint32_t> memory((first_slot(end) - first_slot(begin)) / 2 + 1);
    for (auto t = begin; t < end; ++t)
      number_leaves(nodes + first_slot(t), first_slot(t + 1) - first_slot(t) - 1, idle_slot,
                    PreorderSlots(memory.data()), found.data() + first_slot(t) / 2);
  });
}

// A tree of k leaves has 2 k slots.
Buffer<std::int32_t> WalkForm::leaf_nodes(const KeySpace& keys, const Context& ctx) const {
  Buffer<std::int32_t> found(n_nodes() / 2);
  if (packed_.size() > 0)
    find_leaf_nodes(packed_.data(), keys.idle_slot(), found, ctx);
  else
    find_leaf_nodes(wide_.data(), keys.idle_slot(), found, ctx);
  return found;
}

std::int64_t WalkForm::bytes_per_tree() const {
  const auto node_bytes = packed_.size() > 0 ? sizeof(PackedNode) : sizeof(WideNode);
  const auto n_bytes = at(n_nodes()) * node_bytes;
  return static_cast<std::int64_t>(n_bytes / std::max<std::size_t>(first_slot_.size(), 1));
}

WalkForest WalkForm::forest() const {
  WalkForest forest;
  forest.packed = packed_.data();
  forest.wide = wide_.data();
  forest.missing_left = missing_left_.data();
  forest.first_slot = first_slot_.data();
  forest.slot_kinds = slot_kinds_.empty() ? nullptr : slot_kinds_.data();
  forest.words = words_.data();
  forest.n_trees = static_cast<std::int64_t>(first_slot_.size());
  return forest;
}

}  // namespace gramian::tree
