// The form of a forest of deep trees that ranked_kernel.hpp works on: 16 to 18 bytes for a split
// (29 where some ask for levels), and 4 for each different threshold.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/predict/block_store.hpp"
#include "tree/predict/keys.hpp"
#include "tree/predict/node_blocks.hpp"
#include "tree/predict/ranked_kernel.hpp"
#include "tree/predict/threshold_ranks.hpp"
#include "tree/predict/walk.hpp"

namespace gramian::tree {

// Rows of a block as ranks. A column with more thresholds than there are ranks has several tables,
// each for a range of trees, so that ranks are good for one tree after another only.
class RankedBlock {
 public:
  RankedBlock(std::int64_t n_rows, std::int64_t n_slots, std::int64_t row_size);

  bool has_missing = false;

 private:
  friend class RankedForm;
  std::int64_t n_slots_;  // without the idle one
  std::int64_t row_size_;
  std::int64_t n_slices_;
  Buffer<std::uint32_t> keys_;  // in slices, as sliced_, but with the idle slot
  Buffer<std::uint16_t> ranks_;
  Buffer<std::uint16_t> sliced_;
  Buffer<std::uint32_t> active_rows_, active_links_;
};

class RankedForm {
 public:
  // Nothing where the forest does not fit: it splits by sets of levels that node blocks cannot
  // hold, or a tree has more thresholds of a column than there are ranks.
  static std::optional<RankedForm> make(const WalkForest& forest, const KeySpace& keys,
                                        std::int64_t n_nodes, const Context& ctx);

  // The rows begin .. end of X, ready for the first tree.
  RankedBlock block(const AnyDense& X, std::int64_t begin, std::int64_t end,
                    const KeySpace& keys) const;

  // Numbers of the leaves of all rows of the block, with room for a multiple of kRankSlice. Trees
  // must come in their order.
  void find_leaves(std::int64_t tree, RankedBlock& block, std::uint32_t* leaves) const;

 private:
  struct FirstTree {  // the order of tables
    bool operator()(const SlotTable& table, std::int64_t tree) const {
      return table.first_tree < tree;
    }
    bool operator()(std::int64_t tree, const SlotTable& table) const {
      return tree < table.first_tree;
    }
  };
  RankedForm() = default;
  template <class Node>
  bool build(const NodesOfTrees<Node>& trees, const std::vector<std::int64_t>& n_ranks,
             const Context& ctx);
  template <class NodeBlockType, class Node>
  BlockStore<NodeBlockType> cut(const NodesOfTrees<Node>& trees, const ThresholdRanks<Node>& ranks,
                                const Context& ctx);
  template <class NodeBlockType>
  RankedTree<NodeBlockType> tree_at(std::int64_t tree,
                                    const BlockStore<NodeBlockType>& blocks) const;
  void write_ranks_for(std::int64_t tree, RankedBlock& block) const;

  bool has_node_blocks_ = false;
  std::vector<SlotKind> slot_kinds_;  // empty: all numbers
  std::int64_t row_size_ = 0;
  std::vector<SlotTable> tables_;               // by first_tree
  std::vector<TreeTop> tops_;                   // of each tree
  BlockStore<TwoLevelBlock> two_level_blocks_;  // or
  BlockStore<NodeBlock> node_blocks_;           // or
  BlockStore<LevelNodeBlock> level_node_blocks_;
};

// The form, made once enough rows have asked for it: until then it costs more than it saves.
class LazyRankedForm {
 public:
  explicit LazyRankedForm(std::int64_t n_nodes) : n_nodes_(n_nodes) {}  // of the walk's form

  // For n_rows rows, or null. Made from the same forest and keys at every call.
  const RankedForm* form(std::int64_t n_rows, const WalkForest& forest, const KeySpace& keys,
                         const Context& ctx);

 private:
  std::int64_t n_nodes_;
  std::mutex mutex_;
  std::int64_t n_rows_asked_ = 0;
  bool is_made_ = false;
  std::optional<RankedForm> form_;
};

}  // namespace gramian::tree
