// Where the nodes of a tree stand when children stand side by side: slots 0 and 1 are the root and
// nothing; the split number s, in preorder, has its children in slots 2 s + 2 and 2 s + 3.
#pragma once

#include <cstdint>

namespace gramian::tree {

// Goes through the slots of a tree in preorder. Holds the right children whose turn comes later, in
// memory with room for all splits of the tree and two more. Nothing branches on whether a node is a
// leaf, which nobody can foretell.
class PreorderSlots {
 public:
  explicit PreorderSlots(std::uint32_t* waiting) : top_(waiting) {
    *waiting = 0;  // behind the last leaf
  }

  // The slot of the node behind one in preorder: of the left child of a split, or of the right
  // child that has waited for less than all others.
  std::uint32_t next(std::uint32_t is_split, std::uint32_t left_child) {
    top_[1] = left_child + 1U;
    const std::uint32_t slot = top_[is_split] - is_split;
    top_ += 2 * std::int64_t{is_split} - 1;
    return slot;
  }

 private:
  std::uint32_t* top_;
};

}  // namespace gramian::tree
