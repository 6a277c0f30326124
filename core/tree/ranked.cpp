#include "tree/ranked.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/ranked_pieces.hpp"

namespace gramian::tree {
namespace {

constexpr double kSortCost = 100.0;  // nanoseconds for a threshold, to decide on threads
constexpr double kCutCost = 50.0;    // for a split

// Rows that walk through the trees, for each split, before the form pays.
constexpr double kWalksPerSplit = 8.0;

// A threshold key above the number of its node, so that sorting keeps them together.
using KeyedNode = std::uint64_t;
std::uint32_t key_part(KeyedNode keyed) { return static_cast<std::uint32_t>(keyed >> 32); }
std::uint32_t node_part(KeyedNode keyed) { return static_cast<std::uint32_t>(keyed); }

std::int64_t n_distinct(std::span<const KeyedNode> sorted) {
  std::int64_t n = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    n += key_part(sorted[i]) != key_part(sorted[i - 1]) ? 1 : 0;
  return n;
}

std::int64_t end_of_tree(const WalkForest& forest, std::int64_t tree, std::int64_t n_nodes) {
  return tree + 1 < forest.n_trees ? forest.first_slot[tree + 1] : n_nodes;
}

// The ranks of one column's thresholds, and its tables.
class ColumnRanks {
 public:
  ColumnRanks(const WalkForest& forest, std::vector<std::uint16_t>& rank)
      : forest_(forest), rank_(rank) {}

  // Of the trees begin .. end, whose thresholds these are: in one table if they fit, else half of
  // the trees in each. False if one tree's do not.
  bool add(std::vector<KeyedNode> keyed, std::int64_t begin, std::int64_t end) {
    std::sort(keyed.begin(), keyed.end());
    return add_sorted(std::move(keyed), begin, end);
  }

  struct Part {
    std::int64_t first_tree;
    std::vector<std::uint32_t> thresholds;
  };
  std::vector<Part> parts;

 private:
  bool add_sorted(std::vector<KeyedNode> sorted, std::int64_t begin, std::int64_t end) {
    if (n_distinct(sorted) <= kMaxThresholds) {
      add_part(sorted, begin);
      return true;
    }
    if (end - begin == 1) return false;
    const std::int64_t middle = begin + (end - begin) / 2;
    const auto bound = static_cast<std::uint32_t>(forest_.first_slot[middle]);
    const auto is_first = [bound](KeyedNode keyed) { return node_part(keyed) < bound; };
    const auto cut = std::stable_partition(sorted.begin(), sorted.end(), is_first);
    std::vector<KeyedNode> second(cut, sorted.end());
    sorted.erase(cut, sorted.end());
    return add_sorted(std::move(sorted), begin, middle) &&
           add_sorted(std::move(second), middle, end);
  }

  void add_part(const std::vector<KeyedNode>& sorted, std::int64_t begin) {
    Part part{begin, {}};
    for (const KeyedNode keyed : sorted) {
      if (part.thresholds.empty() || part.thresholds.back() != key_part(keyed))
        part.thresholds.push_back(key_part(keyed));
      rank_[node_part(keyed)] = static_cast<std::uint16_t>(part.thresholds.size() - 1);
    }
    parts.push_back(std::move(part));
  }

  const WalkForest& forest_;
  std::vector<std::uint16_t>& rank_;
};

// One tree's nodes. Children stand behind their parents.
template <class Node>
std::vector<RankedNode> ranked_nodes(std::span<const Node> nodes, const std::uint8_t* missing_left,
                                     const std::uint16_t* rank, std::uint32_t idle_slot) {
  std::vector<RankedNode> made(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    if (node.slot() == idle_slot) {
      made[i] = {0, node.key & ~kIdleKey, 0, 0, 0};
      continue;
    }
    const std::uint32_t child = node.child();
    const std::uint32_t n_splits = 1U + made[child].n_splits + made[child + 1U].n_splits;
    made[i] = {n_splits, child, static_cast<std::uint16_t>(node.slot()), rank[i], missing_left[i]};
  }
  return made;
}

}  // namespace

RankedBlock::RankedBlock(std::int64_t n_rows, std::int64_t n_slots, std::int64_t row_size)
    : n_slots_(n_slots),
      row_size_(row_size),
      n_slices_((n_rows + kRankSlice - 1) / kRankSlice),
      keys_(n_slices_ * kRankSlice * (n_slots + 1)),
      ranks_(n_slices_ * kRankSlice * row_size),
      sliced_(n_slices_ * kRankSlice * n_slots),
      way_rows_((n_slices_ + 1) * kRankSlice),
      way_links_((n_slices_ + 1) * kRankSlice) {}

std::optional<RankedForm> RankedForm::make(const WalkForest& forest, const KeySpace& keys,
                                           std::int64_t n_nodes, const Context& ctx) {
  constexpr std::int64_t kMax16 = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  // Places of pieces have 32 bits, even if each piece had but one split.
  constexpr std::int64_t kMaxTreeNodes = 2 * (kMax32 / static_cast<std::int64_t>(sizeof(Bunch)));
  if (keys.has_levels() || keys.n_slots() > kMax16 || n_nodes > kMax32) return std::nullopt;
  for (std::int64_t t = 0; t < forest.n_trees; ++t)
    if (end_of_tree(forest, t, n_nodes) - forest.first_slot[t] > kMaxTreeNodes) return std::nullopt;
  RankedForm form;
  const std::int64_t idle = keys.idle_slot();
  const bool fits = forest.packed != nullptr ? form.build(forest.packed, forest, idle, n_nodes, ctx)
                                             : form.build(forest.wide, forest, idle, n_nodes, ctx);
  if (!fits) return std::nullopt;
  return form;
}

// The tables of all columns, and the rank of each node's threshold.
template <class Node>
bool RankedForm::rank_thresholds(const Node* nodes, const WalkForest& forest,
                                 std::int64_t idle_slot, std::vector<std::uint16_t>& rank,
                                 const Context& ctx) {
  const auto n_nodes = static_cast<std::int64_t>(rank.size());
  std::vector<std::vector<KeyedNode>> keyed(at(idle_slot));
  for (std::int64_t i = 0; i < n_nodes; ++i)
    if (const auto slot = nodes[i].slot(); slot != idle_slot)
      keyed[slot].push_back(KeyedNode{nodes[i].key} << 32 | static_cast<std::uint32_t>(i));
  std::vector<ColumnRanks> columns(at(idle_slot), ColumnRanks(forest, rank));
  std::vector<std::uint8_t> fits(at(idle_slot), 0);
  const double cost_ns = kSortCost * static_cast<double>(n_nodes / 2);
  parallel_for(ctx, idle_slot, cost_ns, [&](std::int64_t slot) {
    fits[at(slot)] = columns[at(slot)].add(std::move(keyed[at(slot)]), 0, forest.n_trees) ? 1 : 0;
  });
  if (std::count(fits.begin(), fits.end(), 0) > 0) return false;
  for (std::int64_t slot = 0; slot < idle_slot; ++slot)
    for (auto& [first_tree, thresholds] : columns[at(slot)].parts)
      tables_.push_back({first_tree, slot, RankTable(thresholds)});
  std::stable_sort(tables_.begin(), tables_.end(),
                   [](const Table& a, const Table& b) { return a.first_tree < b.first_tree; });
  return true;
}

template <class Node>
bool RankedForm::build(const Node* nodes, const WalkForest& forest, std::int64_t idle_slot,
                       std::int64_t n_nodes, const Context& ctx) {
  std::vector<std::uint16_t> rank(at(n_nodes));
  if (!rank_thresholds(nodes, forest, idle_slot, rank, ctx)) return false;
  has_bunches_ = cpu_level() == Level::v4 && idle_slot <= kMaxBunchSlots;
  row_size_ = !has_bunches_ ? idle_slot : idle_slot <= 32 ? 32 : 64;
  if (has_bunches_)
    bunches_ = cut<Bunch>(nodes, forest, idle_slot, rank, ctx);
  else
    quads_ = cut<Quad>(nodes, forest, idle_slot, rank, ctx);
  return true;
}

template <class Piece, class Node>
Buffer<Piece> RankedForm::cut(const Node* nodes, const WalkForest& forest, std::int64_t idle_slot,
                              const std::vector<std::uint16_t>& rank, const Context& ctx) {
  const auto n_nodes = static_cast<std::int64_t>(rank.size());
  std::vector<RankedPieces<Piece>> made(at(forest.n_trees));
  const double cost_ns = kCutCost * static_cast<double>(n_nodes / 2);
  parallel_for(ctx, forest.n_trees, cost_ns, [&](std::int64_t t) {
    const auto first = forest.first_slot[t];
    const auto end = end_of_tree(forest, t, n_nodes);
    made[at(t)] = cut_into<Piece>(ranked_nodes(std::span(nodes + first, at(end - first)),
                                               forest.missing_left + first, rank.data() + first,
                                               static_cast<std::uint32_t>(idle_slot)));
  });
  Tree next{0, 0, 0};
  for (const auto& tree : made) {
    trees_.push_back(next);
    next.first_piece += static_cast<std::int64_t>(tree.pieces.size());
    next.first_top += static_cast<std::int64_t>(tree.top.size());
    next.first_exit += static_cast<std::int64_t>(tree.exits.size());
  }
  trees_.push_back(next);
  Buffer<Piece> pieces(next.first_piece);
  for (std::size_t t = 0; t < made.size(); ++t) {
    auto& tree = made[t];
    std::copy(tree.pieces.begin(), tree.pieces.end(), pieces.begin() + trees_[t].first_piece);
    top_.insert(top_.end(), tree.top.begin(), tree.top.end());
    exits_.insert(exits_.end(), tree.exits.begin(), tree.exits.end());
    tree.pieces = {};
  }
  return pieces;
}

RankedBlock RankedForm::block(const AnyMatrix& X, std::int64_t begin, std::int64_t end,
                              const KeySpace& keys) const {
  RankedBlock block(end - begin, keys.idle_slot(), row_size_);
  const std::int64_t size = kRankSlice * keys.n_slots();
  for (std::int64_t k = 0; k < block.n_slices_; ++k) {
    const std::int64_t first = begin + k * kRankSlice, last = std::min(first + kRankSlice, end);
    std::uint32_t* own = block.keys_.data() + k * size;
    if (last - first < kRankSlice) std::fill_n(own, size, 1U);  // any number
    block.has_missing |= keys.write(X, first, last, own, 1, kRankSlice);
  }
  return block;
}

// Where tables begin with this tree. A table stays in the cache for all rows, and then a slice for
// all tables.
void RankedForm::write_ranks_for(std::int64_t tree, RankedBlock& block) const {
  const auto own = std::equal_range(tables_.begin(), tables_.end(), tree, FirstTree());
  const std::int64_t n_slots = block.n_slots_, row_size = block.row_size_;
  for (auto table = own.first; table != own.second; ++table) {
    const RankLevels levels = table->thresholds.levels();
    for (std::int64_t k = 0; k < block.n_slices_; ++k) {
      const auto* keys = block.keys_.data() + (k * (n_slots + 1) + table->slot) * kRankSlice;
      auto* sliced = block.sliced_.data() + (k * n_slots + table->slot) * kRankSlice;
      GRAMIAN_DISPATCH(write_ranks, keys, levels, sliced);
    }
  }
  for (std::int64_t k = 0; k < block.n_slices_; ++k)
    for (auto table = own.first; table != own.second; ++table) {
      const auto* sliced = block.sliced_.data() + (k * n_slots + table->slot) * kRankSlice;
      auto* ranks = block.ranks_.data() + k * kRankSlice * row_size + table->slot;
      for (std::int64_t i = 0; i < kRankSlice; ++i) ranks[i * row_size] = sliced[i];
    }
}

template <class Piece>
RankedTree<Piece> RankedForm::tree_at(std::int64_t tree, const Buffer<Piece>& pieces) const {
  const Tree& own = trees_[at(tree)];
  const bool is_last = tree + 2 == static_cast<std::int64_t>(trees_.size());
  const Tree& next = trees_[is_last ? 0 : at(tree) + 1];
  const Tree& next_end = trees_[is_last ? 1 : at(tree) + 2];
  return {pieces.data() + own.first_piece,
          top_.data() + own.first_top,
          static_cast<int>(trees_[at(tree) + 1].first_top - own.first_top),
          exits_.data() + own.first_exit,
          pieces.data() + next.first_piece,
          pieces.data() + next_end.first_piece};
}

void RankedForm::find_leaves(std::int64_t tree, RankedBlock& block, std::uint32_t* leaves) const {
  write_ranks_for(tree, block);
  const RankedRows rows{block.ranks_.data(), block.sliced_.data(), block.row_size_, block.n_slots_,
                        block.n_slices_ * kRankSlice};
  const RankedWay way{block.way_rows_.data(), block.way_links_.data()};
  if (has_bunches_)
    GRAMIAN_DISPATCH(walk_ranked, tree_at(tree, bunches_), rows, block.has_missing, way, leaves);
  else
    GRAMIAN_DISPATCH(walk_ranked, tree_at(tree, quads_), rows, block.has_missing, way, leaves);
}

const RankedForm* RankedWhenAsked::form(std::int64_t n_rows, const WalkForest& forest,
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
