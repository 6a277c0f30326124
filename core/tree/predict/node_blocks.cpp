#include "tree/predict/node_blocks.hpp"

#include <algorithm>
#include <queue>
#include <type_traits>
#include <utility>

#include "base/index.hpp"

namespace gramian::tree {
namespace {

bool is_leaf(const RankedNode& node) { return node.n_splits == 0; }
std::uint32_t link_to_leaf(const RankedNode& leaf) { return 2U * leaf.child + 1U; }

// A subtree that is yet to be cut, and the number of the link that leads to it: those of the top
// come first, then those of one block after another.
struct Part {
  std::uint32_t node;
  std::uint32_t link;
};

// Where the blocks and the links to the first of them go.
template <class Block>
struct CutTree {
  static constexpr std::uint32_t kWays = std::extent_v<decltype(Block::link)>;
  static constexpr std::uint32_t kExits = kTopSplits + 1;
  std::vector<Block>& blocks;
  TreeTop& top;

  // The number of a block's first link.
  static std::uint32_t first_link(std::size_t block) {
    return kExits + kWays * static_cast<std::uint32_t>(block);
  }
  void set_link(std::uint32_t number, std::uint32_t link) {
    if (number < kExits)
      top.exit[number] = link;
    else
      blocks[(number - kExits) / kWays].link[(number - kExits) % kWays] = link;
  }
};

// The splits nearest to the root: of the largest subtrees, which most rows enter.
class TopCutter {
 public:
  TopCutter(std::span<const RankedNode> nodes, std::span<const std::uint64_t> levels, TreeTop& top)
      : nodes_(nodes), levels_(levels), top_(top) {
    top_.n_splits = 0;
    std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> largest;
    if (!is_leaf(nodes_[0])) largest.emplace(nodes_[0].n_splits, 0U);
    for (int k = 0; k < kTopSplits && !largest.empty(); ++k) {
      const std::uint32_t node = largest.top().second;
      largest.pop();
      chosen_.push_back(node);
      for (const std::uint32_t next : {nodes_[node].child, nodes_[node].child + 1U})
        if (!is_leaf(nodes_[next])) largest.emplace(nodes_[next].n_splits, next);
    }
    std::sort(chosen_.begin(), chosen_.end());
    add(0);
  }

  std::vector<std::uint32_t> exits;  // nodes, from left to right

 private:
  // Adds the top splits from a node on; its number, or kTopSplits for an exit.
  std::uint8_t add(std::uint32_t node) {
    if (!std::binary_search(chosen_.begin(), chosen_.end(), node)) {
      exits.push_back(node);
      return kTopSplits;
    }
    const RankedNode& split = nodes_[node];
    const std::size_t n_before = exits.size();
    const int own = top_.n_splits++;
    const std::uint8_t left = add(split.child);
    const auto n_left_exits = static_cast<std::uint8_t>(exits.size() - n_before);
    const std::uint8_t right = add(split.child + 1U);
    top_.split[own] = {split.slot,
                       split.rank,
                       left,
                       right,
                       n_left_exits,
                       split.is_missing_left,
                       levels_.empty() ? 0 : levels_[node]};
    return static_cast<std::uint8_t>(own);
  }

  std::span<const RankedNode> nodes_;
  std::span<const std::uint64_t> levels_;
  TreeTop& top_;
  std::vector<std::uint32_t> chosen_;
};

// From the left, so that blocks near each other are so in the tree. Nothing branches on whether a
// node is a leaf, which nobody can foretell.
class TwoLevelCutter {
 public:
  TwoLevelCutter(std::span<const RankedNode> nodes, std::span<const std::uint64_t>,
                 CutTree<TwoLevelBlock> tree)
      : nodes_(nodes), tree_(tree) {}

  void cut(std::span<const Part> parts) {
    waiting_.assign(parts.rbegin(), parts.rend());
    n_waiting_ = waiting_.size();
    while (n_waiting_ > 0) {
      const Part part = waiting_[--n_waiting_];
      tree_.set_link(part.link,
                     static_cast<std::uint32_t>(tree_.blocks.size() * sizeof(TwoLevelBlock)));
      add(part.node);
    }
  }

 private:
  // The block of a split and its children. Its links lead to leaves; those to blocks follow when
  // the blocks' turn comes.
  void add(std::uint32_t node) {
    const std::uint32_t first_link = tree_.first_link(tree_.blocks.size());
    TwoLevelBlock block;
    std::uint32_t entries[8], missing = 0;
    entries[1] = node;
    for (std::uint32_t k = 1; k < 4; ++k) {
      const RankedNode& asked = nodes_[entries[k]];
      const std::uint32_t is_split = is_leaf(asked) ? 0U : 1U, mask = 0U - is_split;
      block.slot[k] = static_cast<std::uint16_t>(asked.slot & mask);
      block.rank[k] = asked.rank;
      missing |= std::uint32_t{asked.is_missing_left} << k;
      entries[2 * k] = (asked.child & mask) | (entries[k] & ~mask);
      entries[2 * k + 1] = entries[2 * k] + is_split;
    }
    block.slot[0] = static_cast<std::uint16_t>(missing);
    if (waiting_.size() < n_waiting_ + 4) waiting_.resize(2 * n_waiting_ + 4);
    for (std::uint32_t k = 4; k-- > 0;) {
      const RankedNode& next = nodes_[entries[4 + k]];
      block.link[k] = link_to_leaf(next);
      waiting_[n_waiting_] = {entries[4 + k], first_link + k};
      n_waiting_ += is_leaf(next) ? 0 : 1;
    }
    tree_.blocks.push_back(block);
  }

  std::span<const RankedNode> nodes_;
  CutTree<TwoLevelBlock> tree_;
  std::vector<Part> waiting_;
  std::size_t n_waiting_ = 0;
};

template <class AnyBlock>
class NodeBlockCutter {
 public:
  NodeBlockCutter(std::span<const RankedNode> nodes, std::span<const std::uint64_t> levels,
                  CutTree<AnyBlock> tree)
      : nodes_(nodes), levels_(levels), tree_(tree) {}

  void cut(std::span<const Part> parts) {
    for (std::size_t end = parts.size(); end > 0;) {
      const std::size_t n = std::min<std::size_t>(end, kSize);
      end -= n;
      waiting_.insert(waiting_.end(), parts.begin() + static_cast<std::ptrdiff_t>(end),
                      parts.begin() + static_cast<std::ptrdiff_t>(end + n));
      together_.push_back(n);
    }
    while (!together_.empty()) {
      const std::size_t n = together_.back();
      together_.pop_back();
      Part taken[kSize];
      std::copy_n(waiting_.end() - static_cast<std::ptrdiff_t>(n), n, taken);
      waiting_.resize(waiting_.size() - n);
      place({taken, n});
    }
  }

 private:
  static constexpr std::size_t kSize = NodeBlock::kSize;
  // A connected part keeps one exit for itself.
  static constexpr std::uint32_t kMaxSplits = NodeBlock::kSize - 1;

  // The exits of one block lead to few others: subtrees that fill one begin one each, the
  // smaller ones share what room there is.
  void place(std::span<const Part> parts) {
    Part sorted[kSize];
    const std::size_t n_large = sort(parts, sorted), first = tree_.blocks.size();
    for (std::size_t k = 0; k < n_large; ++k) lead_to(sorted[k], add_empty(), 0);
    for (std::size_t k = n_large; k-- > 0;) fill_large(sorted[k].node, first + k);
    struct {
      std::uint32_t n_splits, n_exits;
    } open[kSize + 1] = {};
    std::size_t n_open = 0;
    for (std::size_t k = n_large; k < parts.size(); ++k) {
      const std::uint32_t n = nodes_[sorted[k].node].n_splits;
      std::size_t to = 0;
      while (open[to].n_exits + n + 1U > kSize) ++to;
      if (to == n_open) {
        add_empty();
        ++n_open;
      }
      const std::size_t block = first + n_large + to;
      lead_to(sorted[k], block, open[to].n_exits);
      fill_small(sorted[k].node, block, open[to].n_splits, open[to].n_exits);
      open[to].n_splits += n;
      open[to].n_exits += n + 1U;
    }
  }

  // From those that fill a block, or more than one, to the smallest; how many of the former.
  std::size_t sort(std::span<const Part> parts, Part* sorted) const {
    const auto room_left = [this](const Part& part) {
      return kMaxSplits - std::min(nodes_[part.node].n_splits, kMaxSplits);
    };
    std::size_t places[kSize + 1] = {};
    for (const Part& part : parts) ++places[room_left(part) + 1];
    const std::size_t n_large = places[1];
    for (std::size_t k = 1; k <= kSize; ++k) places[k] += places[k - 1];
    for (const Part& part : parts) sorted[places[room_left(part)]++] = part;
    return n_large;
  }

  void lead_to(const Part& part, std::size_t block, std::uint32_t exit) {
    tree_.set_link(part.link, static_cast<std::uint32_t>(block * sizeof(AnyBlock)) + 2U * exit);
  }

  // Its splits always answer by left, and its exits never agree.
  std::size_t add_empty() {
    static constexpr AnyBlock kEmpty = [] {
      AnyBlock block{};
      std::fill_n(block.slot, NodeBlock::kSize, kMissingLeftSlot);
      std::fill_n(block.rank, NodeBlock::kSize, std::uint16_t{0xFFFFU});
      std::fill_n(block.bits, NodeBlock::kSize, std::uint16_t{0xFFFFU});
      std::fill_n(block.asked, NodeBlock::kSize, std::uint16_t{0xFFFFU});
      return block;
    }();
    tree_.blocks.push_back(kEmpty);
    return tree_.blocks.size() - 1;
  }

  void set_split(AnyBlock& block, std::uint32_t place, std::uint32_t node) const {
    const RankedNode& split = nodes_[node];
    if constexpr (std::is_same_v<AnyBlock, LevelNodeBlock>) block.levels[place] = levels_[node];
    block.slot[place] =
        static_cast<std::uint16_t>(split.slot + split.is_missing_left * kMissingLeftSlot);
    block.rank[place] = split.rank;
  }
  // The exit to a node if the splits `asked` answer by `bits`; for the time being to a leaf.
  static void set_exit(AnyBlock& block, std::uint32_t exit, std::uint32_t asked, std::uint32_t bits,
                       const RankedNode& node) {
    block.asked[exit] = static_cast<std::uint16_t>(asked);
    block.bits[exit] = static_cast<std::uint16_t>(bits);
    block.link[exit] = link_to_leaf(node);
  }

  // Fills a block with splits from a node on, always that of the largest subtree; what is below
  // waits.
  void fill_large(std::uint32_t node, std::size_t place) {
    AnyBlock& block = tree_.blocks[place];
    struct {
      std::uint32_t node, asked, bits;
    } ends[kSize];
    // Size of the subtree, and in the lowest four bits the end. Of 64 bits: compilers would compare
    // several of 32 at once, which has to wait until all are in the cache.
    std::uint64_t largest[kSize];
    ends[0] = {node, 0U, 0U};
    largest[0] = std::uint64_t{nodes_[node].n_splits} << 4;
    for (std::uint32_t k = 0; k < kMaxSplits; ++k) {
      std::uint64_t next = largest[0];
      for (std::uint32_t i = 1; i <= k; ++i) next = std::max(next, largest[i]);
      const std::uint64_t end = next & 15U;
      const auto [own, asked, bits] = ends[end];
      const std::uint32_t child = nodes_[own].child, bit = 1U << k;
      set_split(block, k, own);
      ends[end] = {child, asked | bit, bits};
      ends[k + 1] = {child + 1U, asked | bit, bits | bit};
      largest[end] = std::uint64_t{nodes_[child].n_splits} << 4 | end;
      largest[k + 1] = std::uint64_t{nodes_[child + 1U].n_splits} << 4 | (k + 1U);
    }
    const std::size_t n_before = waiting_.size();
    std::size_t n = n_before;
    waiting_.resize(n + kSize);
    for (std::uint32_t i = 0; i < kSize; ++i) {
      const RankedNode& next = nodes_[ends[i].node];
      set_exit(block, i, ends[i].asked, ends[i].bits, next);
      waiting_[n] = {ends[i].node, tree_.first_link(place) + i};
      n += is_leaf(next) ? 0 : 1;
    }
    waiting_.resize(n);
    if (n > n_before) together_.push_back(n - n_before);
  }

  // Adds a whole subtree to a block. Its nodes, but for the first, stand next to each other: the
  // children of its splits, in the order of these.
  void fill_small(std::uint32_t node, std::size_t place, std::uint32_t split, std::uint32_t exit) {
    AnyBlock& block = tree_.blocks[place];
    const std::uint32_t n_splits = nodes_[node].n_splits, first = nodes_[node].child;
    struct {
      std::uint32_t node, asked, bits;
    } splits[kSize];  // the last one is for leaves
    splits[0] = {node, 0U, 0U};
    for (std::uint32_t i = 0; i < 2U * n_splits; ++i) {
      const RankedNode& own = nodes_[first + i];
      const std::uint32_t parent = i / 2U, bit = 1U << (split + parent);
      const std::uint32_t asked = splits[parent].asked | bit;
      const std::uint32_t bits = splits[parent].bits | (i % 2U) * bit;
      const std::uint32_t mask = is_leaf(own) ? 0U : ~0U;
      const std::uint32_t number = (((own.child - first) / 2U) & mask) | (kMaxSplits & ~mask);
      splits[number] = {first + i, asked, bits};
      set_exit(block, exit, asked, bits, own);
      exit += mask + 1U;
    }
    for (std::uint32_t k = 0; k < n_splits; ++k) set_split(block, split + k, splits[k].node);
  }

  std::span<const RankedNode> nodes_;
  std::span<const std::uint64_t> levels_;
  CutTree<AnyBlock> tree_;
  std::vector<Part> waiting_;
  std::vector<std::size_t> together_;  // how many that wait go to the same blocks
};

template <class Block>
struct CutterOf {
  using Type = NodeBlockCutter<Block>;
};
template <>
struct CutterOf<TwoLevelBlock> {
  using Type = TwoLevelCutter;
};

}  // namespace

template <class Block>
std::span<const Block> BlockCutter<Block>::cut(std::span<const RankedNode> nodes,
                                               std::span<const std::uint64_t> levels,
                                               TreeTop& top) {
  blocks_.clear();
  const TopCutter top_cutter(nodes, levels, top);
  std::vector<Part> parts;
  for (std::size_t k = 0; k < top_cutter.exits.size(); ++k) {
    const std::uint32_t node = top_cutter.exits[k];
    if (is_leaf(nodes[node]))
      top.exit[k] = link_to_leaf(nodes[node]);
    else
      parts.push_back({node, static_cast<std::uint32_t>(k)});
  }
  typename CutterOf<Block>::Type(nodes, levels, CutTree<Block>{blocks_, top}).cut(parts);
  return blocks_;
}

template class BlockCutter<TwoLevelBlock>;
template class BlockCutter<NodeBlock>;
template class BlockCutter<LevelNodeBlock>;

}  // namespace gramian::tree
