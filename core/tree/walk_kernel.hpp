// From the root to a leaf, many rows at a time.
//
// A tree is an array of slots, children side by side: a row in slot n goes on to
// child(n) + (key > threshold key). A leaf leads to itself, so that rows take several steps without
// asking whether they have arrived; nothing in a step branches, and several walks are in flight at
// once. Slots 0 and 1 are the root and nothing; the split number s, in preorder, has its
// children in slots 2 s + 2 and 2 s + 3.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::tree {

// 8 bytes. The link holds, from its lowest bit: the slot of the key (feature_bits of them), whether
// a missing value goes left (one bit), and the number of the pair of children.
struct PackedNode {
  std::uint32_t key;
  std::uint32_t link;
};

// The same for trees that are too large for 32 bits.
struct WideNode {
  std::uint32_t key;
  std::uint32_t slot;
  std::uint32_t child;  // first of the two, and in its lowest bit whether missing goes left
};

// A threshold key stands for a set of levels where the key's slot holds levels: level c goes left
// if bit c % 64 of words[threshold key + c / 64] is set.
struct WalkForest {
  const PackedNode* packed = nullptr;  // of all trees; or null, and
  const WideNode* wide = nullptr;      // these
  int feature_bits = 0;
  const std::int64_t* first_slot = nullptr;   // of each tree, in the arrays above
  const std::uint8_t* level_slots = nullptr;  // null: no column has levels
  const std::uint64_t* words = nullptr;
  std::int64_t n_trees = 0;
};

// The rows of a block: keys[i * row_step + slot].
struct WalkRows {
  const std::uint32_t* keys;
  std::int64_t row_step;
  std::int64_t n_rows;
  bool has_missing;  // a numeric key may be kMissingKey
};

}  // namespace gramian::tree

namespace gramian {

// reached[i] = slot in tree `tree` of the leaf that row i reaches.
GRAMIAN_DECLARE_KERNEL(void walk_rows(const tree::WalkForest& forest, std::int64_t tree,
                                      const tree::WalkRows& rows, std::uint32_t* reached))

// reached[t] = slot in tree t of the leaf that the first row reaches.
GRAMIAN_DECLARE_KERNEL(void walk_trees(const tree::WalkForest& forest, const tree::WalkRows& rows,
                                       std::uint32_t* reached))

}  // namespace gramian
