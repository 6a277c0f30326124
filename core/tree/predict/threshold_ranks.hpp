// The ranks of a forest's thresholds among those of the same column, for ranked.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/format/tree_groups.hpp"
#include "tree/predict/rank_table.hpp"
#include "tree/predict/walk_kernel.hpp"

namespace gramian::tree {

// What the values of a slot are ranked by, for the trees from first_tree on.
struct SlotTable {
  std::int64_t first_tree;
  std::int64_t slot;
  RankTable thresholds;
  Buffer<std::uint16_t> rank_of_key = {};  // instead, where keys are few enough for a list
};

// The nodes of all trees in the form of walk_kernel.hpp.
template <class Node>
struct NodesOfTrees {
  const Node* nodes;
  const WalkForest& forest;
  std::int64_t n_nodes;
  std::uint32_t idle_slot;

  std::int64_t first(std::int64_t tree) const {
    return tree < forest.n_trees ? forest.first_slot[tree] : n_nodes;
  }
  TreeGroups groups() const {
    return {forest.n_trees, [this](std::int64_t t) { return first(t); }};
  }
};

template <class Node>
class ThresholdRanks {
 public:
  // n_ranks: see KeySpace.
  ThresholdRanks(const NodesOfTrees<Node>& trees, const std::vector<std::int64_t>& n_ranks);

  const TreeGroups& groups() const { return groups_; }

  // Finds the ranks, and adds the tables, by their first tree. False if one tree has more
  // thresholds of a column than there are ranks.
  bool make(std::vector<SlotTable>& tables, const Context& ctx);

  // Gives the ranks of a group's nodes, from the last to the first.
  class Reader {
   public:
    Reader(const ThresholdRanks& all, std::int64_t group)
        : ranks_(all.ranks_.data()), next_(all.ends_of(group)) {}

    // Of the next node, which is on this slot; 0 for a leaf.
    std::uint16_t read(std::uint32_t slot, std::uint32_t is_split) {
      return static_cast<std::uint16_t>(ranks_[next_[slot] -= is_split]);
    }

   private:
    const std::uint32_t* ranks_;
    std::vector<std::uint32_t> next_;
  };

 private:
  std::span<const Node> nodes_of(std::int64_t group) const;
  std::vector<std::uint32_t> places_of(std::int64_t group) const;
  std::vector<std::uint32_t> ends_of(std::int64_t group) const;
  void count(const Context& ctx);
  void place();
  void gather(const Context& ctx);
  bool rank(std::vector<SlotTable>& tables, const Context& ctx);

  const NodesOfTrees<Node> trees_;
  const std::vector<std::int64_t>& n_ranks_;
  const TreeGroups groups_;
  // Thresholds stand column by column, and in each in the order of the nodes. places_[slot *
  // n_groups + group] is where those of a group begin; leaves share a place for each group.
  Buffer<std::uint32_t> places_;
  Buffer<std::uint32_t> ranks_;  // until they are known, the keys
};

extern template class ThresholdRanks<PackedNode>;
extern template class ThresholdRanks<WideNode>;

}  // namespace gramian::tree
