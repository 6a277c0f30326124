#include "tree/ranked_pieces.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/index.hpp"

namespace gramian::tree {
namespace {

bool is_leaf(const RankedNode& node) { return node.n_splits == 0; }
std::uint32_t link_to_leaf(const RankedNode& leaf) { return 2U * leaf.child + 1U; }

// A subtree that is yet to be cut, and the link that leads to it: of a piece, or of the top.
struct Part {
  std::uint32_t node;
  std::uint32_t way;
  std::int64_t piece;  // or -1
};

// Where the pieces and the links to the first of them go.
template <class Piece>
struct CutTree {
  std::vector<Piece>& pieces;
  TreeTop& top;

  void set_link(const Part& part, std::uint32_t link) {
    (part.piece < 0 ? top.exit[part.way] : pieces[at(part.piece)].link[part.way]) = link;
  }
};

// The splits nearest to the root: of the largest subtrees, which most rows enter.
class TopCutter {
 public:
  TopCutter(std::span<const RankedNode> nodes, TreeTop& top) : nodes_(nodes), top_(top) {
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
    top_.split[own] = {split.slot, split.rank, left, right, n_left_exits, split.is_missing_left};
    return static_cast<std::uint8_t>(own);
  }

  std::span<const RankedNode> nodes_;
  TreeTop& top_;
  std::vector<std::uint32_t> chosen_;
};

// From the left, so that quads near each other are so in the tree.
class QuadCutter {
 public:
  QuadCutter(std::span<const RankedNode> nodes, CutTree<Quad> tree) : nodes_(nodes), tree_(tree) {}

  void cut(std::span<const Part> parts) {
    waiting_.assign(parts.rbegin(), parts.rend());
    while (!waiting_.empty()) {
      const Part part = waiting_.back();
      waiting_.pop_back();
      tree_.set_link(part, static_cast<std::uint32_t>(tree_.pieces.size() * sizeof(Quad)));
      add(part.node);
    }
  }

 private:
  // The quad of a split and its children.
  void add(std::uint32_t node) {
    const auto own = static_cast<std::int64_t>(tree_.pieces.size());
    Quad quad{};
    std::uint32_t entries[8];
    entries[1] = node;
    for (std::uint32_t k = 1; k < 4; ++k) {
      const RankedNode& asked = nodes_[entries[k]];
      entries[2 * k] = entries[2 * k + 1] = entries[k];
      if (is_leaf(asked)) continue;
      quad.slot[k] = asked.slot;
      quad.rank[k] = asked.rank;
      quad.slot[0] = static_cast<std::uint16_t>(quad.slot[0] | asked.is_missing_left << k);
      entries[2 * k] = asked.child;
      entries[2 * k + 1] = asked.child + 1U;
    }
    for (std::uint32_t k = 4; k-- > 0;) {
      const std::uint32_t next = entries[4 + k];
      if (is_leaf(nodes_[next]))
        quad.link[k] = link_to_leaf(nodes_[next]);
      else
        waiting_.push_back({next, k, own});
    }
    tree_.pieces.push_back(quad);
  }

  std::span<const RankedNode> nodes_;
  CutTree<Quad> tree_;
  std::vector<Part> waiting_;
};

// Up to Bunch::kSize parts.
struct Parts {
  Part part[Bunch::kSize];
  int n = 0;

  void add(const Part& next) { part[n++] = next; }
};

class BunchCutter {
 public:
  BunchCutter(std::span<const RankedNode> nodes, CutTree<Bunch> tree)
      : nodes_(nodes), tree_(tree) {}

  void cut(std::span<const Part> parts) {
    for (std::size_t k = parts.size(); k-- > 0;) {
      if (waiting_.empty() || waiting_.back().n == Bunch::kSize) waiting_.emplace_back();
      waiting_.back().add(parts[k]);
    }
    while (!waiting_.empty()) {
      Parts together = waiting_.back();
      waiting_.pop_back();
      place(together);
    }
  }

 private:
  // A connected part keeps one way out for itself.
  static constexpr int kMaxSplits = Bunch::kSize - 1;

  struct Open {  // a bunch with room
    std::int64_t bunch;
    int n_splits = 0;
    int n_ways = 0;
    Parts below = {};
  };

  std::uint32_t n_splits(const Part& part) const { return nodes_[part.node].n_splits; }

  // The ways out of one bunch lead to few others: large subtrees begin one each, the small ones
  // share what room there is.
  void place(Parts& together) {
    std::stable_sort(together.part, together.part + together.n,
                     [this](const Part& a, const Part& b) { return n_splits(a) > n_splits(b); });
    Open open[Bunch::kSize];
    int n_open = 0;
    for (int k = 0; k < together.n; ++k) {
      const Part& part = together.part[k];
      const int n = static_cast<int>(std::min<std::uint32_t>(n_splits(part), kMaxSplits));
      int to = 0;
      while (to < n_open && open[to].n_ways + n + 1 > Bunch::kSize) ++to;
      if (to == n_open) open[n_open++] = {add_empty()};
      tree_.set_link(part, static_cast<std::uint32_t>(at(open[to].bunch) * sizeof(Bunch)) +
                               2U * static_cast<std::uint32_t>(open[to].n_ways));
      fill(open[to], part.node, n);
    }
    while (n_open-- > 0)
      if (open[n_open].below.n > 0) waiting_.push_back(open[n_open].below);
  }

  // Its splits are never asked for, and its ways out never agree.
  std::int64_t add_empty() {
    Bunch bunch{};
    std::fill_n(bunch.rank, Bunch::kSize, std::uint16_t{0xFFFFU});
    std::fill_n(bunch.bits, Bunch::kSize, std::uint16_t{0xFFFFU});
    std::fill_n(bunch.asked, Bunch::kSize, std::uint16_t{0xFFFFU});
    tree_.pieces.push_back(bunch);
    return static_cast<std::int64_t>(tree_.pieces.size()) - 1;
  }

  // Chooses n splits from a node on, always the one of the largest subtree, and adds them.
  void fill(Open& open, std::uint32_t node, int n) {
    struct End {
      std::uint32_t node;
      int chosen;  // above it, or -1
      int side;
    };
    End ends[Bunch::kSize];
    ends[0] = {node, -1, 0};
    int n_ends = 1;
    for (int k = 0; k < n; ++k) {
      int largest = 0;
      for (int i = 1; i < n_ends; ++i)
        if (nodes_[ends[i].node].n_splits > nodes_[ends[largest].node].n_splits) largest = i;
      const End end = ends[largest];
      if (end.chosen >= 0) chosen_[end.chosen].below[end.side] = k;
      chosen_[k] = {end.node, {-1, -1}};
      const std::uint32_t child = nodes_[end.node].child;
      ends[largest] = {child, k, 0};
      ends[n_ends++] = {child + 1U, k, 1};
    }
    add(open, 0, 0U, 0U);
  }

  // Adds a chosen split and what is below. `asked`, `bits`: on the way to it.
  void add(Open& open, int own, unsigned asked, unsigned bits) {
    const auto [node, below] = chosen_[own];
    const RankedNode& split = nodes_[node];
    Bunch& bunch = tree_.pieces[at(open.bunch)];
    const int k = open.n_splits++;
    bunch.slot[k] = static_cast<std::uint16_t>(split.slot +
                                               (split.is_missing_left != 0 ? kMissingLeftSlot : 0));
    bunch.rank[k] = split.rank;
    asked |= 1U << k;
    for (const unsigned side : {0U, 1U}) {
      const unsigned answers = bits | side << k;
      if (below[side] >= 0)
        add(open, below[side], asked, answers);
      else
        add_way(open, split.child + side, asked, answers);
    }
  }

  void add_way(Open& open, std::uint32_t node, unsigned asked, unsigned bits) {
    Bunch& bunch = tree_.pieces[at(open.bunch)];
    const int way = open.n_ways++;
    bunch.asked[way] = static_cast<std::uint16_t>(asked);
    bunch.bits[way] = static_cast<std::uint16_t>(bits);
    if (is_leaf(nodes_[node]))
      bunch.link[way] = link_to_leaf(nodes_[node]);
    else
      open.below.add({node, static_cast<std::uint32_t>(way), open.bunch});
  }

  struct Chosen {
    std::uint32_t node;
    int below[2];  // numbers of chosen ones, or -1
  };
  std::span<const RankedNode> nodes_;
  CutTree<Bunch> tree_;
  std::vector<Parts> waiting_;
  Chosen chosen_[kMaxSplits];
};

template <class Piece, class Cutter>
void cut_with(std::span<const RankedNode> nodes, CutTree<Piece> tree) {
  const TopCutter top(nodes, tree.top);
  std::vector<Part> parts;
  for (std::size_t k = 0; k < top.exits.size(); ++k) {
    const std::uint32_t node = top.exits[k];
    if (is_leaf(nodes[node]))
      tree.top.exit[k] = link_to_leaf(nodes[node]);
    else
      parts.push_back({node, static_cast<std::uint32_t>(k), -1});
  }
  Cutter(nodes, tree).cut(parts);
}

}  // namespace

template <>
std::span<const Quad> PieceCutter<Quad>::cut(std::span<const RankedNode> nodes, TreeTop& top) {
  pieces_.clear();
  cut_with<Quad, QuadCutter>(nodes, {pieces_, top});
  return pieces_;
}
template <>
std::span<const Bunch> PieceCutter<Bunch>::cut(std::span<const RankedNode> nodes, TreeTop& top) {
  pieces_.clear();
  cut_with<Bunch, BunchCutter>(nodes, {pieces_, top});
  return pieces_;
}

}  // namespace gramian::tree
