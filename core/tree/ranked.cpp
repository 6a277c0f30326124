#include "tree/ranked.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

constexpr double kSortCost = 100.0;  // nanoseconds for a threshold, to decide on threads
constexpr double kQuadCost = 50.0;   // for a split

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

// One tree's quads and top, from its nodes in the form of walk_kernel.hpp.
template <class Node>
class TreeBuilder {
 public:
  TreeBuilder(const Node* nodes, const std::uint8_t* missing_left, const std::uint16_t* rank,
              std::uint32_t idle_slot)
      : nodes_(nodes), missing_left_(missing_left), rank_(rank), idle_slot_(idle_slot) {}

  void build(std::int64_t n_nodes) {
    count_splits(n_nodes);
    choose_top();
    add_top(0);
    exits.resize(exit_nodes_.size());
    for (std::size_t k = exits.size(); k-- > 0;)
      link(exit_nodes_[k], -1, static_cast<std::uint32_t>(k), exits[k]);
    while (!waiting_.empty()) {  // from the left, so that quads near each other are so in the tree
      const auto [node, quad, entry] = waiting_.back();
      waiting_.pop_back();
      if (quad >= 0)
        quads[at(quad)].link[entry] = add_quad(node);
      else
        exits[at(entry)] = add_quad(node);
    }
  }

  std::vector<Quad> quads;
  std::vector<TopSplit> top;
  std::vector<std::uint32_t> exits;

 private:
  bool is_leaf(std::uint32_t node) const { return nodes_[node].slot() == idle_slot_; }
  std::uint32_t child(std::uint32_t node, std::uint32_t side) const {
    return nodes_[node].child() + side;
  }

  // Of the subtree of each node. Children stand behind their parents.
  void count_splits(std::int64_t n_nodes) {
    n_splits_.assign(at(n_nodes), 0);
    for (std::int64_t i = n_nodes - 1; i >= 0; --i) {
      const auto node = static_cast<std::uint32_t>(i);
      if (i == 1 || is_leaf(node)) continue;  // node 1 is none
      n_splits_[node] = 1 + n_splits_[child(node, 0)] + n_splits_[child(node, 1)];
    }
  }

  // The largest subtrees are those that most rows enter.
  void choose_top() {
    is_top_.assign(n_splits_.size(), false);
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> largest;
    if (!is_leaf(0)) largest.emplace(n_splits_[0], 0U);
    for (int k = 0; k < kTopSplits && !largest.empty(); ++k) {
      const std::uint32_t node = largest.top().second;
      largest.pop();
      is_top_[node] = true;
      for (const std::uint32_t side : {0U, 1U})
        if (const auto next = child(node, side); !is_leaf(next))
          largest.emplace(n_splits_[next], next);
    }
  }

  // Adds the top splits from a node on; its number, or kTopSplits for an exit.
  std::uint8_t add_top(std::uint32_t node) {
    if (!is_top_[node]) {
      exit_nodes_.push_back(node);
      return kTopSplits;
    }
    const std::size_t own = top.size(), n_before = exit_nodes_.size();
    top.push_back({static_cast<std::uint16_t>(nodes_[node].slot()), rank_[node], 0, 0, 0,
                   missing_left_[node]});
    const std::uint8_t left = add_top(child(node, 0));
    top[own].left = left;
    top[own].n_left_exits = static_cast<std::uint8_t>(exit_nodes_.size() - n_before);
    const std::uint8_t right = add_top(child(node, 1));
    top[own].right = right;
    return static_cast<std::uint8_t>(own);
  }

  // Sets the link to a leaf; that to a quad, which `quad` or the top has as an entry, follows when
  // the quad's turn comes.
  void link(std::uint32_t node, std::int64_t quad, std::uint32_t entry, std::uint32_t& to) {
    if (is_leaf(node))
      to = 2U * (nodes_[node].key & ~kIdleKey) + 1U;
    else
      waiting_.push_back({node, quad, entry});
  }

  // Adds the quad of a split and its children; its link.
  std::uint32_t add_quad(std::uint32_t node) {
    const auto own = static_cast<std::int64_t>(quads.size());
    Quad quad{};
    std::uint32_t entries[8];
    entries[1] = node;
    for (std::uint32_t k = 1; k < 4; ++k) {
      const std::uint32_t asked = entries[k];
      entries[2 * k] = entries[2 * k + 1] = asked;
      if (is_leaf(asked)) continue;
      quad.slot[k] = static_cast<std::uint16_t>(nodes_[asked].slot());
      quad.rank[k] = rank_[asked];
      quad.slot[0] = static_cast<std::uint16_t>(quad.slot[0] | missing_left_[asked] << k);
      entries[2 * k] = child(asked, 0);
      entries[2 * k + 1] = child(asked, 1);
    }
    for (std::uint32_t k = 4; k-- > 0;) link(entries[4 + k], own, k, quad.link[k]);
    quads.push_back(quad);
    return static_cast<std::uint32_t>(static_cast<std::size_t>(own) * sizeof(Quad));
  }

  struct Waiting {
    std::uint32_t node;
    std::int64_t quad;  // that leads there, or -1 for the top
    std::uint32_t entry;
  };
  const Node* nodes_;
  const std::uint8_t* missing_left_;
  const std::uint16_t* rank_;
  std::uint32_t idle_slot_;
  std::vector<std::uint32_t> n_splits_;
  std::vector<bool> is_top_;
  std::vector<std::uint32_t> exit_nodes_;
  std::vector<Waiting> waiting_;
};

}  // namespace

RankedBlock::RankedBlock(std::int64_t n_rows, std::int64_t n_slots)
    : n_slots_(n_slots),
      n_slices_((n_rows + kRankSlice - 1) / kRankSlice),
      keys_(n_slices_ * kRankSlice * (n_slots + 1)),
      ranks_(n_slices_ * kRankSlice * n_slots),
      sliced_(n_slices_ * kRankSlice * n_slots),
      way_rows_((n_slices_ + 1) * kRankSlice),
      way_links_((n_slices_ + 1) * kRankSlice) {}

std::optional<RankedForm> RankedForm::make(const WalkForest& forest, const KeySpace& keys,
                                           std::int64_t n_nodes, const Context& ctx) {
  constexpr std::int64_t kMaxSlots = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int64_t kMaxNodes = std::numeric_limits<std::uint32_t>::max() / sizeof(Quad);
  if (keys.has_levels() || keys.n_slots() > kMaxSlots || n_nodes > kMaxNodes) return std::nullopt;
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
      tables_.push_back({first_tree, slot, std::move(thresholds)});
  std::stable_sort(tables_.begin(), tables_.end(),
                   [](const Table& a, const Table& b) { return a.first_tree < b.first_tree; });
  return true;
}

template <class Node>
bool RankedForm::build(const Node* nodes, const WalkForest& forest, std::int64_t idle_slot,
                       std::int64_t n_nodes, const Context& ctx) {
  std::vector<std::uint16_t> rank(at(n_nodes));
  if (!rank_thresholds(nodes, forest, idle_slot, rank, ctx)) return false;
  std::vector<std::optional<TreeBuilder<Node>>> built(at(forest.n_trees));
  const double cost_ns = kQuadCost * static_cast<double>(n_nodes / 2);
  parallel_for(ctx, forest.n_trees, cost_ns, [&](std::int64_t t) {
    const auto first = forest.first_slot[t];
    const auto end = t + 1 < forest.n_trees ? forest.first_slot[t + 1] : n_nodes;
    built[at(t)].emplace(nodes + first, forest.missing_left + first, rank.data() + first,
                         static_cast<std::uint32_t>(idle_slot));
    built[at(t)]->build(end - first);
  });
  Tree next{0, 0, 0};
  for (const auto& tree : built) {
    trees_.push_back(next);
    next.first_quad += static_cast<std::int64_t>(tree->quads.size());
    next.first_top += static_cast<std::int64_t>(tree->top.size());
    next.first_exit += static_cast<std::int64_t>(tree->exits.size());
  }
  trees_.push_back(next);
  quads_ = Buffer<Quad>(next.first_quad);
  for (std::size_t t = 0; t < built.size(); ++t) {
    std::copy(built[t]->quads.begin(), built[t]->quads.end(),
              quads_.begin() + trees_[t].first_quad);
    top_.insert(top_.end(), built[t]->top.begin(), built[t]->top.end());
    exits_.insert(exits_.end(), built[t]->exits.begin(), built[t]->exits.end());
  }
  return true;
}

RankedBlock RankedForm::block(const AnyMatrix& X, std::int64_t begin, std::int64_t end,
                              const KeySpace& keys) const {
  RankedBlock block(end - begin, keys.idle_slot());
  const std::int64_t size = kRankSlice * keys.n_slots();
  for (std::int64_t k = 0; k < block.n_slices_; ++k) {
    const std::int64_t first = begin + k * kRankSlice, last = std::min(first + kRankSlice, end);
    std::uint32_t* own = block.keys_.data() + k * size;
    if (last - first < kRankSlice) std::fill_n(own, size, 1U);  // any number
    block.has_missing |= keys.write(X, first, last, own, 1, kRankSlice);
  }
  return block;
}

void RankedForm::find_leaves(std::int64_t tree, RankedBlock& block, std::uint32_t* leaves) const {
  const std::int64_t n_slots = block.n_slots_;
  const auto is_before = [](const Table& table, std::int64_t first) {
    return table.first_tree < first;
  };
  auto table = std::lower_bound(tables_.begin(), tables_.end(), tree, is_before);
  for (; table != tables_.end() && table->first_tree == tree; ++table)
    for (std::int64_t k = 0; k < block.n_slices_; ++k) {
      const auto* keys = block.keys_.data() + (k * (n_slots + 1) + table->slot) * kRankSlice;
      auto* sliced = block.sliced_.data() + (k * n_slots + table->slot) * kRankSlice;
      auto* ranks = block.ranks_.data() + k * kRankSlice * n_slots + table->slot;
      GRAMIAN_DISPATCH(write_ranks, keys, table->thresholds.data(),
                       static_cast<std::int64_t>(table->thresholds.size()), sliced);
      for (std::int64_t i = 0; i < kRankSlice; ++i) ranks[i * n_slots] = sliced[i];
    }
  const Tree& own = trees_[at(tree)];
  const bool is_last = tree + 2 == static_cast<std::int64_t>(trees_.size());
  const Tree& next = trees_[is_last ? 0 : at(tree) + 1];
  const Tree& next_end = trees_[is_last ? 1 : at(tree) + 2];
  const RankedTree asked{quads_.data() + own.first_quad,
                         top_.data() + own.first_top,
                         static_cast<int>(trees_[at(tree) + 1].first_top - own.first_top),
                         exits_.data() + own.first_exit,
                         quads_.data() + next.first_quad,
                         quads_.data() + next_end.first_quad};
  const RankedRows rows{block.ranks_.data(), block.sliced_.data(), n_slots,
                        block.n_slices_ * kRankSlice};
  const RankedWay way{block.way_rows_.data(), block.way_links_.data()};
  GRAMIAN_DISPATCH(walk_ranked, asked, rows, block.has_missing, way, leaves);
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
