#include "tree/predict/ranked.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

constexpr double kCutCost = 10.0;  // nanoseconds for a node, to decide on threads

// Rows that walk through the trees, for each split, before the form pays.
constexpr double kWalksPerSplit = 1.25;

// Bytes of the blocks, for each split.
constexpr std::int64_t kBytesPerSplit = 18;

// The nodes of a tree. Children stand behind their parents. Nothing branches on whether a node is
// a leaf, which nobody can foretell.
template <class Node>
void write_ranked_nodes(std::span<const Node> nodes, const std::uint8_t* missing_left,
                        std::uint32_t idle_slot, typename ThresholdRanks<Node>::Reader& ranks,
                        RankedNode* made) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node node = nodes[i];
    const std::uint32_t slot = node.slot(), child = node.child();
    const std::uint32_t is_split = slot != idle_slot ? 1U : 0U, mask = 0U - is_split;
    const std::uint32_t n_below = made[child].n_splits + made[child + 1U].n_splits;
    made[i] = {(n_below + 1U) & mask, (child & mask) | (node.key & ~kIdleKey & ~mask),
               static_cast<std::uint16_t>(slot), ranks.read(slot, is_split), missing_left[i]};
  }
}

// Of each node of a tree the levels that go right, where levels are asked for.
template <class Node>
void write_levels(std::span<const Node> nodes, const WalkForest& forest, RankedNode* made,
                  std::uint64_t* levels) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const SlotKind kind = forest.slot_kinds[nodes[i].slot()];
    levels[i] = 0;
    if (kind == SlotKind::numbers) continue;
    const std::uint32_t key = nodes[i].key;
    levels[i] = ~(kind == SlotKind::few_levels ? std::uint64_t{key} : forest.words[key]);
    made[i].rank = kRankOfLevels;
  }
}

}  // namespace

RankedBlock::RankedBlock(std::int64_t n_rows, std::int64_t n_slots, std::int64_t row_size)
    : n_slots_(n_slots),
      row_size_(row_size),
      n_slices_((n_rows + kRankSlice - 1) / kRankSlice),
      keys_(n_slices_ * kRankSlice * (n_slots + 1)),
      ranks_(n_slices_ * kRankSlice * row_size),
      sliced_(n_slices_ * kRankSlice * n_slots),
      active_rows_((n_slices_ + 1) * kRankSlice),
      active_links_((n_slices_ + 1) * kRankSlice) {}

std::optional<RankedForm> RankedForm::make(const WalkForest& forest, const KeySpace& keys,
                                           std::int64_t n_nodes, const Context& ctx) {
  constexpr std::int64_t kMax16 = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  if (keys.n_slots() > kMax16 || n_nodes > kMax32) return std::nullopt;
  RankedForm form;
  form.has_node_blocks_ = cpu_level() == Level::v4 && keys.idle_slot() <= kMaxBlockSlots;
  if (keys.has_levels()) {
    if (!form.has_node_blocks_ || keys.max_levels() > kMaxBlockLevels) return std::nullopt;
    form.slot_kinds_ = keys.slot_kinds();
  }
  const auto idle = static_cast<std::uint32_t>(keys.idle_slot());
  const auto n_ranks = keys.n_ranks();
  const bool fits =
      forest.packed != nullptr
          ? form.build(NodesOfTrees<PackedNode>{forest.packed, forest, n_nodes, idle}, n_ranks, ctx)
          : form.build(NodesOfTrees<WideNode>{forest.wide, forest, n_nodes, idle}, n_ranks, ctx);
  if (!fits) return std::nullopt;
  return form;
}

template <class Node>
bool RankedForm::build(const NodesOfTrees<Node>& trees, const std::vector<std::int64_t>& n_ranks,
                       const Context& ctx) {
  // Places of blocks have 32 bits, even if each block of nodes had but one split.
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kMaxTreeNodes =
      2 * (kMax / static_cast<std::int64_t>(sizeof(LevelNodeBlock)));
  for (std::int64_t t = 0; t < trees.forest.n_trees; ++t)
    if (trees.first(t + 1) - trees.first(t) > kMaxTreeNodes) return false;
  ThresholdRanks<Node> ranks(trees, n_ranks);
  if (!ranks.make(tables_, ctx)) return false;
  row_size_ = !has_node_blocks_ ? trees.idle_slot : trees.idle_slot <= 32 ? 32 : 64;
  tops_.resize(at(trees.forest.n_trees));
  if (!slot_kinds_.empty())
    level_node_blocks_ = cut<LevelNodeBlock>(trees, ranks, ctx);
  else if (has_node_blocks_)
    node_blocks_ = cut<NodeBlock>(trees, ranks, ctx);
  else
    two_level_blocks_ = cut<TwoLevelBlock>(trees, ranks, ctx);
  return true;
}

template <class NodeBlockType, class Node>
BlockStore<NodeBlockType> RankedForm::cut(const NodesOfTrees<Node>& trees,
                                          const ThresholdRanks<Node>& ranks, const Context& ctx) {
  const TreeGroups& groups = ranks.groups();
  BlockStore<NodeBlockType> store(trees.forest.n_trees, trees.n_nodes / 2 * kBytesPerSplit /
                                                            std::int64_t{sizeof(NodeBlockType)});
  std::mutex mutex;
  const double cost_ns = kCutCost * static_cast<double>(trees.n_nodes);
  parallel_for(ctx, groups.count(), cost_ns, [&](std::int64_t i) {
    const auto begin = groups.begin(i), end = groups.end(i);
    typename ThresholdRanks<Node>::Reader reader(ranks, i);
    BlockCutter<NodeBlockType> cutter;
    Buffer<RankedNode> nodes(trees.first(end) - trees.first(begin));
    Buffer<std::uint64_t> levels(slot_kinds_.empty() ? 0 : nodes.size());
    for (auto t = end; t-- > begin;) {
      const auto first = trees.first(t), n_nodes = trees.first(t + 1) - first;
      const std::span own(trees.nodes + first, at(n_nodes));
      write_ranked_nodes(own, trees.forest.missing_left + first, trees.idle_slot, reader,
                         nodes.data());
      if (!slot_kinds_.empty()) write_levels(own, trees.forest, nodes.data(), levels.data());
      const auto blocks =
          cutter.cut({nodes.data(), at(n_nodes)}, {levels.data(), at(levels.size())}, tops_[at(t)]);
      std::unique_lock lock(mutex);
      const auto kept = store.take(t, std::ssize(blocks));
      lock.unlock();
      std::ranges::copy(blocks, kept.begin());
    }
  });
  return store;
}

RankedBlock RankedForm::block(const AnyDense& X, std::int64_t begin, std::int64_t end,
                              const KeySpace& keys) const {
  RankedBlock block(end - begin, keys.idle_slot(), row_size_);
  const std::int64_t size = kRankSlice * keys.n_slots();
  std::fill_n(block.keys_.end() - size, size, 1U);  // any number, where the last is not full
  block.has_missing = keys.write_groups(X, begin, end, kRankSlice, block.keys_.data());
  return block;
}

// Where tables begin with this tree. A table stays in the cache for all rows, and then a slice for
// all tables.
void RankedForm::write_ranks_for(std::int64_t tree, RankedBlock& block) const {
  const auto own = std::equal_range(tables_.begin(), tables_.end(), tree, FirstTree());
  const std::int64_t n_slots = block.n_slots_, row_size = block.row_size_;
  for (auto table = own.first; table != own.second; ++table) {
    const RankLevels levels = table->thresholds.levels();
    const std::uint16_t* const listed = table->rank_of_key.data();
    const bool holds_levels =
        !slot_kinds_.empty() && slot_kinds_[at(table->slot)] != SlotKind::numbers;
    for (std::int64_t k = 0; k < block.n_slices_; ++k) {
      const auto* keys = block.keys_.data() + (k * (n_slots + 1) + table->slot) * kRankSlice;
      auto* sliced = block.sliced_.data() + (k * n_slots + table->slot) * kRankSlice;
      if (listed != nullptr)
        for (std::int64_t i = 0; i < kRankSlice; ++i)
          sliced[i] = keys[i] == kMissingKey ? kMissingRank : listed[keys[i]];
      else if (!holds_levels)
        GRAMIAN_DISPATCH(write_ranks, keys, levels, sliced);
      else  // c of the key c + 1, and kMissingRank of kNoLevel
        for (std::int64_t i = 0; i < kRankSlice; ++i)
          sliced[i] = static_cast<std::uint16_t>(keys[i] - 1U);
    }
  }
  for (std::int64_t k = 0; k < block.n_slices_; ++k)
    for (auto table = own.first; table != own.second; ++table) {
      const auto* sliced = block.sliced_.data() + (k * n_slots + table->slot) * kRankSlice;
      auto* ranks = block.ranks_.data() + k * kRankSlice * row_size + table->slot;
      for (std::int64_t i = 0; i < kRankSlice; ++i) ranks[i * row_size] = sliced[i];
    }
}

template <class NodeBlockType>
RankedTree<NodeBlockType> RankedForm::tree_at(std::int64_t tree,
                                              const BlockStore<NodeBlockType>& blocks) const {
  const TreeTop& top = tops_[at(tree)];
  const auto next = blocks.of_tree((tree + 1) % std::ssize(tops_));
  return {blocks.of_tree(tree).data(), top.split, top.n_splits, top.exit, next.data(),
          next.data() + next.size()};
}

void RankedForm::find_leaves(std::int64_t tree, RankedBlock& block, std::uint32_t* leaves) const {
  write_ranks_for(tree, block);
  const RankedRows rows{block.ranks_.data(), block.sliced_.data(), block.row_size_, block.n_slots_,
                        block.n_slices_ * kRankSlice};
  const ActiveRows active{block.active_rows_.data(), block.active_links_.data()};
  if (!slot_kinds_.empty())
    GRAMIAN_DISPATCH(walk_ranked, tree_at(tree, level_node_blocks_), rows, true, active, leaves);
  else if (has_node_blocks_)
    GRAMIAN_DISPATCH(walk_ranked, tree_at(tree, node_blocks_), rows, block.has_missing, active,
                     leaves);
  else
    GRAMIAN_DISPATCH(walk_ranked, tree_at(tree, two_level_blocks_), rows, block.has_missing, active,
                     leaves);
}

const RankedForm* LazyRankedForm::form(std::int64_t n_rows, const WalkForest& forest,
                                       const KeySpace& keys, const Context& ctx) {
  const std::lock_guard lock(mutex_);
  n_rows_asked_ += n_rows;
  const double n_splits = static_cast<double>(n_nodes_) / 2.0;
  if (!is_made_ && kWalksPerSplit * n_splits <=
                       static_cast<double>(n_rows_asked_) * static_cast<double>(forest.n_trees)) {
    form_ = RankedForm::make(forest, keys, n_nodes_, ctx);
    is_made_ = true;
  }
  return form_ ? &*form_ : nullptr;
}

}  // namespace gramian::tree
