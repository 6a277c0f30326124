#include "tree/walk_kernel.hpp"

#include "tree/keys_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::PackedNode;
using tree::WalkForest;
using tree::WalkRows;
using tree::WideNode;

// Walks in flight at once: a step waits for two loads, one after the other, so that one walk alone
// leaves the processor idle; with more than these the registers run out.
constexpr int kLanes = 8;

struct Question {
  std::uint32_t key;
  std::uint32_t slot;
  std::uint32_t child;  // and in its lowest bit whether missing goes left
};

inline Question question(const PackedNode& node, int feature_bits) {
  return {node.key, node.link & ((1U << feature_bits) - 1U), node.link >> feature_bits};
}
inline Question question(const WideNode& node, int) { return {node.key, node.slot, node.child}; }

inline bool is_right_of_set(const WalkForest& forest, const Question& asked, std::uint32_t key) {
  if (key == tree::kNoLevel) return (asked.child & 1U) == 0;
  const std::uint32_t level = key - 1U;
  return ((forest.words[std::uint64_t{asked.key} + level / 64U] >> (level % 64U)) & 1U) == 0;
}

template <bool kHasMissing, bool kHasLevels, class Node>
inline std::uint32_t step(const WalkForest& forest, const Node& node, const std::uint32_t* row) {
  const Question asked = question(node, forest.feature_bits);
  const std::uint32_t key = row[asked.slot];
  const std::uint32_t child = asked.child & ~1U;
  if constexpr (kHasLevels)
    if (forest.level_slots[asked.slot] != 0)
      return child + (is_right_of_set(forest, asked, key) ? 1U : 0U);
  const std::uint32_t shift = kHasMissing ? asked.child & 1U : 0U;
  return child + (key + shift > asked.key + shift ? 1U : 0U);
}

// Lanes are rows in one tree or trees for one row: lane i walks through nodes_of(i) with row_of(i).
template <int kCount, bool kHasMissing, bool kHasLevels, class NodesOf, class RowOf>
inline void walk_group(const WalkForest& forest, std::int64_t first, const NodesOf& nodes_of,
                       const RowOf& row_of, std::uint32_t* reached) {
  std::uint32_t slots[kCount] = {};
  std::uint32_t is_moving = 0;
  do {
    is_moving = 0;
    for (int k = 0; k < kCount; ++k) {
      const auto next =
          step<kHasMissing, kHasLevels>(forest, nodes_of(first + k)[slots[k]], row_of(first + k));
      is_moving |= next ^ slots[k];
      slots[k] = next;
    }
  } while (is_moving != 0);
  for (int k = 0; k < kCount; ++k) reached[first + k] = slots[k];
}

template <bool kHasMissing, bool kHasLevels, class NodesOf, class RowOf>
void walk(const WalkForest& forest, std::int64_t n_lanes, const NodesOf& nodes_of,
          const RowOf& row_of, std::uint32_t* reached) {
  std::int64_t i = 0;
  for (; i + kLanes <= n_lanes; i += kLanes)
    walk_group<kLanes, kHasMissing, kHasLevels>(forest, i, nodes_of, row_of, reached);
  for (; i < n_lanes; ++i)
    walk_group<1, kHasMissing, kHasLevels>(forest, i, nodes_of, row_of, reached);
}

template <class NodesOf, class RowOf>
void walk_any(const WalkForest& forest, bool has_missing, std::int64_t n_lanes,
              const NodesOf& nodes_of, const RowOf& row_of, std::uint32_t* reached) {
  if (forest.level_slots != nullptr)
    walk<true, true>(forest, n_lanes, nodes_of, row_of, reached);
  else if (has_missing)
    walk<true, false>(forest, n_lanes, nodes_of, row_of, reached);
  else
    walk<false, false>(forest, n_lanes, nodes_of, row_of, reached);
}

template <class Node>
void rows_of_tree(const WalkForest& forest, const Node* nodes, const WalkRows& rows,
                  std::uint32_t* reached) {
  walk_any(
      forest, rows.has_missing, rows.n_rows, [nodes](std::int64_t) { return nodes; },
      [&rows](std::int64_t lane) { return rows.keys + lane * rows.row_step; }, reached);
}

template <class Node>
void trees_of_row(const WalkForest& forest, const Node* nodes, const WalkRows& rows,
                  std::uint32_t* reached) {
  walk_any(
      forest, rows.has_missing, forest.n_trees,
      [&](std::int64_t lane) { return nodes + forest.first_slot[lane]; },
      [&rows](std::int64_t) { return rows.keys; }, reached);
}

}  // namespace

void walk_rows(const WalkForest& forest, std::int64_t tree, const WalkRows& rows,
               std::uint32_t* reached) {
  const auto first = forest.first_slot[tree];
  if (forest.packed != nullptr)
    rows_of_tree(forest, forest.packed + first, rows, reached);
  else
    rows_of_tree(forest, forest.wide + first, rows, reached);
}

void walk_trees(const WalkForest& forest, const WalkRows& rows, std::uint32_t* reached) {
  if (forest.packed != nullptr)
    trees_of_row(forest, forest.packed, rows, reached);
  else
    trees_of_row(forest, forest.wide, rows, reached);
}

}  // namespace gramian::GRAMIAN_ISA
