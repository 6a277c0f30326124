// From the root to a leaf, many rows at a time.
//
// A tree is an array of slots, children side by side (preorder_slots.hpp): a row in slot n goes on
// to child(n) + (key > threshold key). A leaf leads to itself, so that rows take several steps
// without asking whether they have arrived; nothing in a step branches, and several walks are in
// flight at once. A leaf asks for the idle slot of the keys, so that its threshold key is free but
// for its highest bit: it is the leaf's number, which thus comes with the last step. Slots 0 and 1
// are the root and nothing; the split number s, in preorder, has its children in slots 2 s + 2 and
// 2 s + 3.
#pragma once

#include <cstdint>
#include <span>

#include "simd/level.hpp"
#include "tree/predict/keys_kernel.hpp"

namespace gramian::tree {

// 8 bytes: for trees of less than 2^24 slots on up to 256 slots of keys.
struct PackedNode {
  std::uint32_t key;
  std::uint32_t link;  // the slot of the key in the lowest byte, above it the left child

  static constexpr int kSlotBits = 8;
  static constexpr int kChildBits = 24;
  std::uint32_t slot() const { return link & 0xFFU; }
  std::uint32_t child() const { return link >> kSlotBits; }
};

// The same for any trees.
struct WideNode {
  std::uint32_t key;
  std::uint32_t key_slot;
  std::uint32_t left_child;

  std::uint32_t slot() const { return key_slot; }
  std::uint32_t child() const { return left_child; }
};

// What the slot of a key holds (keys.hpp), as a threshold key stands for a set where it holds
// levels. Few: level c goes left if bit c of the threshold key is set. Many: if bit c % 64 of
// words[threshold key + c / 64] is.
struct WalkForest {
  const PackedNode* packed = nullptr;          // of all trees; or null, and
  const WideNode* wide = nullptr;              // these
  const std::uint8_t* missing_left = nullptr;  // of each slot: 1 if a missing value goes left
  const std::int64_t* first_slot = nullptr;    // of each tree, in the arrays above
  const SlotKind* slot_kinds = nullptr;        // null: no column has levels
  const std::uint64_t* words = nullptr;
  std::int64_t n_trees = 0;
};

// Walks in flight at once: a step waits for two loads, one after the other, so that one walk alone
// leaves the processor idle; with more than these the registers run out.
inline constexpr std::int64_t kLanes = 8;

// Some rows whose keys stand row by row: keys[row * n_slots + slot].
struct SomeRows {
  const std::uint32_t* keys;
  std::int64_t n_slots;
  std::span<const std::uint32_t> rows;
};

}  // namespace gramian::tree

namespace gramian {

// leaves[i] = number, in tree `tree`, of the leaf that row i reaches, for n_groups groups of kLanes
// rows. Keys of a group stand slot by slot: keys[(group * n_slots + slot) * kLanes + lane].
// `has_missing`: a number may be kMissingKey.
GRAMIAN_DECLARE_KERNEL(void walk_rows(const tree::WalkForest& forest, std::int64_t tree,
                                      const std::uint32_t* keys, std::int64_t n_slots,
                                      std::int64_t n_groups, bool has_missing,
                                      std::uint32_t* leaves))

// leaves[i] = number, in tree `tree`, of the leaf that some.rows[i] reaches.
GRAMIAN_DECLARE_KERNEL(void walk_some_rows(const tree::WalkForest& forest, std::int64_t tree,
                                           const tree::SomeRows& some, bool has_missing,
                                           std::uint32_t* leaves))

// leaves[t] = number, in tree t, of the leaf that one row reaches; keys[slot].
GRAMIAN_DECLARE_KERNEL(void walk_trees(const tree::WalkForest& forest, const std::uint32_t* keys,
                                       bool has_missing, std::uint32_t* leaves))

}  // namespace gramian
