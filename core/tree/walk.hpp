// The form of a forest that walk_kernel.hpp works on.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/keys.hpp"
#include "tree/trees.hpp"
#include "tree/walk_kernel.hpp"

namespace gramian::tree {

class WalkForm {
 public:
  // `trees` has passed its check, and `keys` was made from it.
  WalkForm(const TreesView& trees, const KeySpace& keys);

  WalkForest forest() const;

  std::int64_t n_nodes() const { return static_cast<std::int64_t>(missing_left_.size()); }

  // Of the nodes of one tree, which a walk through it has in use.
  std::int64_t bytes_per_tree() const;

 private:
  template <class Node>
  void fill(const TreesView& trees, const KeySpace& keys, std::vector<Node>& nodes);

  std::vector<PackedNode> packed_;
  std::vector<WideNode> wide_;
  std::vector<std::int64_t> first_slot_;
  std::vector<std::uint8_t> missing_left_;  // of each slot
  std::vector<std::uint8_t> level_slots_;
  std::vector<std::uint64_t> words_;
};

}  // namespace gramian::tree
