// The form of a forest that walk_kernel.hpp works on.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/keys.hpp"
#include "tree/predict/walk_kernel.hpp"

namespace gramian::tree {

class WalkForm {
 public:
  // `trees` has passed its check, and `keys` was made from it.
  WalkForm(const TreesView& trees, const KeySpace& keys, const Context& ctx);

  WalkForest forest() const;

  std::int64_t n_nodes() const { return missing_left_.size(); }

  // Of the nodes of one tree, which a walk through it has in use.
  std::int64_t bytes_per_tree() const;

  // Of each leaf: its node, in preorder.
  Buffer<std::int32_t> leaf_nodes(const KeySpace& keys, const Context& ctx) const;

 private:
  template <class Node>
  void fill(const TreesView& trees, const KeySpace& keys, Buffer<Node>& nodes, const Context& ctx);

  template <class Node>
  void find_leaf_nodes(const Node* nodes, std::int64_t idle_slot, Buffer<std::int32_t>& found,
                       const Context& ctx) const;

  Buffer<PackedNode> packed_;
  Buffer<WideNode> wide_;
  std::vector<std::int64_t> first_slot_;
  Buffer<std::uint8_t> missing_left_;  // of each slot
  std::vector<SlotKind> slot_kinds_;
  std::vector<std::uint64_t> words_;
};

}  // namespace gramian::tree
