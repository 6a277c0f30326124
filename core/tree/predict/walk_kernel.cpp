#include "tree/predict/walk_kernel.hpp"

#include "tree/predict/keys_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kLanes;
using tree::SlotKind;
using tree::WalkForest;

template <class Node>
inline bool is_right_of_set(const WalkForest& forest, const Node& node, std::uint32_t key,
                            bool is_missing_left) {
  if (key == tree::kNoLevel) return !is_missing_left;
  const std::uint32_t level = key - 1U;
  return ((forest.words[std::uint64_t{node.key} + level / 64U] >> (level % 64U)) & 1U) == 0;
}

// One tree for one lane: its nodes, and where in the arrays of all trees they begin.
template <class Node>
struct Lane {
  const Node* nodes;
  const std::uint8_t* missing_left;
};

template <class Node>
Lane<Node> lane_of_tree(const WalkForest& forest, const Node* nodes, std::int64_t tree) {
  const auto first = forest.first_slot[tree];
  return {nodes + first, forest.missing_left + first};
}

template <bool kHasMissing, bool kHasLevels, class Node>
inline std::uint32_t step(const WalkForest& forest, const Lane<Node>& lane, std::uint32_t at,
                          const std::uint32_t* keys, std::uint32_t slot_step) {
  const Node& node = lane.nodes[at];
  const std::uint32_t slot = node.slot();
  const std::uint32_t key = keys[slot * slot_step];
  const std::uint32_t shift = kHasMissing ? lane.missing_left[at] : 0U;
  const std::uint32_t is_above = key + shift > node.key + shift ? 1U : 0U;
  if constexpr (!kHasLevels) return node.child() + is_above;
  // Numbers and few levels are both asked, and arithmetic chooses: nobody could foretell which.
  const SlotKind kind = forest.slot_kinds[slot];
  if (kind == SlotKind::many_levels) [[unlikely]]
    return node.child() + (is_right_of_set(forest, node, key, shift != 0) ? 1U : 0U);
  // Level c has key c + 1, a missing one 0.
  const std::uint64_t set = std::uint64_t{node.key} << 1 | shift;
  const std::uint32_t is_outside = static_cast<std::uint32_t>(~set >> (key % 64U)) & 1U;
  const std::uint32_t is_few = 0U - static_cast<std::uint32_t>(kind == SlotKind::few_levels);
  return node.child() + ((is_outside & is_few) | (is_above & ~is_few));
}

// Lane k walks through lane_of(k) with the keys at keys_of(k)[slot * kSlotStep]. Two steps between
// looks at whether all have arrived.
template <int kCount, int kSlotStep, bool kHasMissing, bool kHasLevels, class LaneOf, class KeysOf>
inline void walk_group(const WalkForest& forest, const LaneOf& lane_of, const KeysOf& keys_of,
                       std::uint32_t* leaves) {
  std::uint32_t at[kCount] = {};
  std::uint32_t is_moving = 0;
  do {
    is_moving = 0;
    for (int k = 0; k < kCount; ++k)
      at[k] = step<kHasMissing, kHasLevels>(forest, lane_of(k), at[k], keys_of(k), kSlotStep);
    for (int k = 0; k < kCount; ++k) {
      const auto next =
          step<kHasMissing, kHasLevels>(forest, lane_of(k), at[k], keys_of(k), kSlotStep);
      is_moving |= next ^ at[k];
      at[k] = next;
    }
  } while (is_moving != 0);
  for (int k = 0; k < kCount; ++k) leaves[k] = lane_of(k).nodes[at[k]].key & ~tree::kIdleKey;
}

template <bool kHasMissing, bool kHasLevels, class Node>
void rows_of_tree(const WalkForest& forest, const Lane<Node>& lane, const std::uint32_t* keys,
                  std::int64_t n_slots, std::int64_t n_groups, std::uint32_t* leaves) {
  for (std::int64_t g = 0; g < n_groups; ++g)
    walk_group<kLanes, kLanes, kHasMissing, kHasLevels>(
        forest, [lane](int) { return lane; },
        [group = keys + g * n_slots * kLanes](int k) { return group + k; }, leaves + g * kLanes);
}

template <bool kHasMissing, bool kHasLevels, class Node>
void some_rows_of_tree(const WalkForest& forest, const Lane<Node>& lane, const tree::SomeRows& some,
                       std::uint32_t* leaves) {
  const auto lane_of = [lane](int) { return lane; };
  const auto n = static_cast<std::int64_t>(some.rows.size());
  std::int64_t i = 0;
  const auto keys_of = [&](int k) {
    return some.keys + some.rows[static_cast<std::size_t>(i + k)] * some.n_slots;
  };
  for (; i + kLanes <= n; i += kLanes)
    walk_group<kLanes, 1, kHasMissing, kHasLevels>(forest, lane_of, keys_of, leaves + i);
  for (; i < n; ++i)
    walk_group<1, 1, kHasMissing, kHasLevels>(forest, lane_of, keys_of, leaves + i);
}

template <bool kHasMissing, bool kHasLevels, class Node>
void trees_of_row(const WalkForest& forest, const Node* nodes, const std::uint32_t* keys,
                  std::uint32_t* leaves) {
  const auto lane_of = [&](std::int64_t tree) { return lane_of_tree(forest, nodes, tree); };
  const auto keys_of = [keys](int) { return keys; };
  std::int64_t t = 0;
  for (; t + kLanes <= forest.n_trees; t += kLanes)
    walk_group<kLanes, 1, kHasMissing, kHasLevels>(
        forest, [&](int k) { return lane_of(t + k); }, keys_of, leaves + t);
  for (; t < forest.n_trees; ++t)
    walk_group<1, 1, kHasMissing, kHasLevels>(
        forest, [&](int) { return lane_of(t); }, keys_of, leaves + t);
}

// Calls the variant of `function` for what the forest and the rows have.
template <class Function>
void choose(const WalkForest& forest, bool has_missing, const Function& function) {
  if (forest.slot_kinds != nullptr)
    function.template operator()<true, true>();
  else if (has_missing)
    function.template operator()<true, false>();
  else
    function.template operator()<false, false>();
}

// Calls function(nodes) with the nodes in the form that the forest has.
template <class Function>
void with_nodes(const WalkForest& forest, const Function& function) {
  if (forest.packed != nullptr)
    function(forest.packed);
  else
    function(forest.wide);
}

}  // namespace

void walk_rows(const WalkForest& forest, std::int64_t tree, const std::uint32_t* keys,
               std::int64_t n_slots, std::int64_t n_groups, bool has_missing,
               std::uint32_t* leaves) {
  with_nodes(forest, [&](const auto* nodes) {
    const auto lane = lane_of_tree(forest, nodes, tree);
    choose(forest, has_missing, [&]<bool kHasMissing, bool kHasLevels>() {
      rows_of_tree<kHasMissing, kHasLevels>(forest, lane, keys, n_slots, n_groups, leaves);
    });
  });
}

void walk_some_rows(const WalkForest& forest, std::int64_t tree, const tree::SomeRows& some,
                    bool has_missing, std::uint32_t* leaves) {
  with_nodes(forest, [&](const auto* nodes) {
    const auto lane = lane_of_tree(forest, nodes, tree);
    choose(forest, has_missing, [&]<bool kHasMissing, bool kHasLevels>() {
      some_rows_of_tree<kHasMissing, kHasLevels>(forest, lane, some, leaves);
    });
  });
}

void walk_trees(const WalkForest& forest, const std::uint32_t* keys, bool has_missing,
                std::uint32_t* leaves) {
  with_nodes(forest, [&](const auto* nodes) {
    choose(forest, has_missing, [&]<bool kHasMissing, bool kHasLevels>() {
      trees_of_row<kHasMissing, kHasLevels>(forest, nodes, keys, leaves);
    });
  });
}

}  // namespace gramian::GRAMIAN_ISA
