// Deep trees by ranks: blocks of every kind, laid out here by hand, end in the leaf of a plain
// walk.
#include <algorithm>
#include <array>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/predict/rank_table.hpp"
#include "tree/predict/ranked_kernel.hpp"
#include "tree/random_splits.hpp"

namespace tree = gramian::tree;
using test::at;
using test::below;
using test::Random;
using tree::kMissingRank;
using tree::kRankSlice;
using tree::TopSplit;

namespace {

constexpr std::int64_t kSlots = 20;
constexpr std::int64_t kRowSize = 32;

// What a split asks: its rank, or the levels that go right.
struct Asked {
  std::uint16_t rank;
  std::uint64_t levels = 0;
};

// Every third slot holds levels where a tree has any.
bool holds_levels(std::int64_t slot) { return slot % 3 == 1; }

struct Tree {
  test::Splits shape;
  std::vector<Asked> asked;

  Tree(std::int64_t n_splits, bool has_levels, Random& random) : shape(n_splits, kSlots, random) {
    for (const auto& split : shape.splits) {
      if (has_levels && holds_levels(split.slot))
        asked.push_back({tree::kRankOfLevels, random()});
      else
        asked.push_back({static_cast<std::uint16_t>(random() % 64)});
    }
  }
  const test::Split& split(std::int64_t k) const { return shape.splits[at(k)]; }
  bool goes_right(std::int64_t k, std::uint16_t rank) const {
    if (rank == kMissingRank) return !split(k).is_missing_left;
    return rank > asked[at(k)].rank || (asked[at(k)].levels >> rank % 64 & 1U) != 0;
  }
};

std::uint32_t leaf_link(std::int64_t child) { return static_cast<std::uint32_t>(2 * ~child + 1); }

// A split and its children in each.
struct TwoLevelBlocks {
  std::vector<tree::TwoLevelBlock> blocks;

  std::uint32_t link_to(const Tree& tree, std::int64_t child) {
    if (child < 0) return leaf_link(child);
    const std::size_t place = blocks.size();
    blocks.push_back({});
    tree::TwoLevelBlock block{};
    put(tree, child, 1, block);
    const auto& split = tree.split(child);
    for (const std::size_t entry : {std::size_t{2}, std::size_t{3}}) {
      const std::int64_t next = entry == 2 ? split.left : split.right;
      std::uint32_t* links = block.link + 2 * (entry - 2);
      if (next < 0) {
        links[0] = links[1] = leaf_link(next);
        continue;
      }
      put(tree, next, entry, block);
      links[0] = link_to(tree, tree.split(next).left);
      links[1] = link_to(tree, tree.split(next).right);
    }
    blocks[place] = block;
    return static_cast<std::uint32_t>(place * sizeof(tree::TwoLevelBlock));
  }
  static void put(const Tree& tree, std::int64_t k, std::size_t entry, tree::TwoLevelBlock& block) {
    block.slot[entry] = static_cast<std::uint16_t>(tree.split(k).slot);
    block.rank[entry] = tree.asked[at(k)].rank;
    if (tree.split(k).is_missing_left)
      block.slot[0] = static_cast<std::uint16_t>(block.slot[0] | 1U << entry);
  }
};

void set_levels(tree::NodeBlock&, std::size_t, std::uint64_t) {}
void set_levels(tree::LevelNodeBlock& block, std::size_t place, std::uint64_t levels) {
  block.levels[place] = levels;
}

// Two parts in each, of up to seven splits and eight exits.
template <class NodeBlock>
struct NodeBlocks {
  static constexpr std::size_t kSplits = 7, kWays = 8;
  std::vector<NodeBlock> blocks;
  std::size_t n_parts = 0;

  struct Part {
    std::size_t block, first;
    std::size_t n_splits = 0;
    std::vector<std::pair<std::int64_t, std::uint16_t>> ends;  // a child, and what led there
    std::vector<std::uint16_t> asked;
  };

  std::uint32_t link_to(const Tree& tree, std::int64_t child) {
    if (child < 0) return leaf_link(child);
    Part part{n_parts / 2, n_parts % 2 * kWays, 0, {}, {}};
    n_parts += 1;
    if (part.first == 0) blocks.push_back({});
    follow(tree, child, 0, 0, 2, part);
    for (std::size_t exit = 0; exit < part.ends.size(); ++exit) {
      const std::uint32_t link = link_to(tree, part.ends[exit].first);
      NodeBlock& block = blocks[part.block];
      block.link[part.first + exit] = link;
      block.bits[part.first + exit] = part.ends[exit].second;
      block.asked[part.first + exit] = part.asked[exit];
    }
    return static_cast<std::uint32_t>(part.block * sizeof(NodeBlock) + 2 * part.first);
  }

 private:
  // Takes the splits of three levels into the part.
  void follow(const Tree& tree, std::int64_t child, std::uint16_t bits, std::uint16_t asked,
              int depth, Part& part) {
    if (child < 0 || depth < 0) {
      part.ends.emplace_back(child, bits);
      part.asked.push_back(asked);
      return;
    }
    const std::size_t place = part.first + part.n_splits++;
    NodeBlock& block = blocks[part.block];
    const auto& split = tree.split(child);
    block.slot[place] = static_cast<std::uint16_t>(
        split.slot | (split.is_missing_left ? tree::kMissingLeftSlot : 0));
    block.rank[place] = tree.asked[at(child)].rank;
    set_levels(block, place, tree.asked[at(child)].levels);
    const auto bit = static_cast<std::uint16_t>(1U << place);
    const auto with = static_cast<std::uint16_t>(asked | bit);
    follow(tree, split.left, bits, with, depth - 1, part);
    follow(tree, split.right, static_cast<std::uint16_t>(bits | bit), with, depth - 1, part);
  }
};

// The splits of the first levels, in preorder, and the children below them.
struct Top {
  std::vector<TopSplit> splits;
  std::vector<std::int64_t> exits;

  Top(const Tree& tree, int depth) {
    add(tree, tree.shape.splits.empty() ? ~std::int64_t{0} : 0, depth);
  }
  std::uint8_t add(const Tree& tree, std::int64_t child, int depth) {
    if (child < 0 || depth == 0) {
      exits.push_back(child);
      return tree::kTopSplits;
    }
    const std::size_t place = splits.size(), n_before = exits.size();
    const auto& split = tree.split(child);
    splits.push_back({static_cast<std::uint16_t>(split.slot), tree.asked[at(child)].rank, 0, 0, 0,
                      static_cast<std::uint8_t>(split.is_missing_left),
                      tree.asked[at(child)].levels});
    const std::uint8_t left = add(tree, split.left, depth - 1);
    splits[place].n_left_exits = static_cast<std::uint8_t>(exits.size() - n_before);
    const std::uint8_t right = add(tree, split.right, depth - 1);
    splits[place].left = left;
    splits[place].right = right;
    return static_cast<std::uint8_t>(place);
  }
};

struct alignas(64) RanksOfRow {
  std::array<std::uint16_t, kRowSize> slot;
};

std::vector<RanksOfRow> drawn_ranks(std::int64_t n, bool has_levels, bool has_missing,
                                    Random& random) {
  std::vector<RanksOfRow> rows(at(n));
  for (auto& row : rows)
    for (std::int64_t slot = 0; slot < kRowSize; ++slot) {
      const auto n_ranks = has_levels && holds_levels(slot) ? 64U : 70U;
      row.slot[at(slot)] = has_missing && random() % 6 == 0
                               ? kMissingRank
                               : static_cast<std::uint16_t>(random() % n_ranks);
    }
  return rows;
}

template <class Store, class Block>
void check_tree(const Tree& shape, int top_depth, std::int64_t n_slices, bool has_levels,
                bool has_missing, Random& random) {
  const std::int64_t n = n_slices * kRankSlice;
  const Top top(shape, top_depth);
  Store store;
  std::vector<std::uint32_t> exits;
  for (const std::int64_t child : top.exits) exits.push_back(store.link_to(shape, child));
  const auto rows = drawn_ranks(n, has_levels, has_missing, random);
  std::vector<std::uint16_t> sliced;
  for (std::int64_t s = 0; s < n_slices; ++s)
    for (std::int64_t slot = 0; slot < kSlots; ++slot)
      for (std::int64_t i = 0; i < kRankSlice; ++i)
        sliced.push_back(rows[at(s * kRankSlice + i)].slot[at(slot)]);
  const tree::RankedTree<Block> ranked{
      store.blocks.data(), top.splits.data(), static_cast<int>(top.splits.size()),
      exits.data(),        nullptr,           nullptr};
  const tree::RankedRows view{rows[0].slot.data(), sliced.data(), kRowSize, kSlots, n};
  for (const auto level : test::levels()) {
    std::vector<std::uint32_t> leaves(at(n)), active_rows(at(n + kRankSlice)),
        links(active_rows.size());
    AT_LEVEL(level, walk_ranked, ranked, view, has_missing,
             tree::ActiveRows{active_rows.data(), links.data()}, leaves.data());
    for (std::int64_t i = 0; i < n; ++i)
      CHECK(leaves[at(i)] == shape.shape.leaf_of([&](std::int64_t k) {
        return shape.goes_right(k, rows[at(i)].slot[at(shape.split(k).slot)]);
      }));
  }
}

}  // namespace

TEST(ranks_count_the_thresholds_below) {
  Random random(1);
  for (const std::size_t n : {0, 1, 15, 16, 17, 255, 256, 257, 5000}) {
    std::vector<std::uint32_t> thresholds, keys;
    for (std::size_t k = 0; k < n; ++k) thresholds.push_back(static_cast<std::uint32_t>(5 + 2 * k));
    for (std::int64_t i = 0; i < kRankSlice; ++i)
      keys.push_back(random() % 8 == 0 ? tree::kMissingKey
                                       : static_cast<std::uint32_t>(random() % (2 * n + 20)));
    const tree::RankTable table(thresholds);
    for (const auto level : test::levels()) {
      std::vector<std::uint16_t> ranks(kRankSlice);
      AT_LEVEL(level, write_ranks, keys.data(), table.levels(), ranks.data());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto n_below =
            std::lower_bound(thresholds.begin(), thresholds.end(), keys[i]) - thresholds.begin();
        CHECK(ranks[i] == (keys[i] == tree::kMissingKey ? kMissingRank : n_below));
      }
    }
  }
}

TEST(node_blocks_of_trees_end_in_the_leaves_of_a_plain_walk) {
  Random random(2);
  for (const std::int64_t n_splits : {0, 1, 2, 9, 60, 400})
    for (const int top_depth : {0, 2, 4})
      for (const std::int64_t n_slices : {1, 3, 4, 9}) {
        for (const bool has_missing : {false, true}) {
          const Tree shape(n_splits, false, random);
          check_tree<TwoLevelBlocks, tree::TwoLevelBlock>(shape, top_depth, n_slices, false,
                                                          has_missing, random);
          check_tree<NodeBlocks<tree::NodeBlock>, tree::NodeBlock>(shape, top_depth, n_slices,
                                                                   false, has_missing, random);
        }
        const Tree shape(n_splits, true, random);
        check_tree<NodeBlocks<tree::LevelNodeBlock>, tree::LevelNodeBlock>(
            shape, top_depth, n_slices, true, true, random);
      }
}
