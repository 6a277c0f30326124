#include "tree/predict/direct.hpp"

#include <bit>
#include <limits>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/predict/preorder_slots.hpp"

namespace gramian::tree {
namespace {

// Up to this many trees the numbers are compared themselves. Nanoseconds for a row of 20 columns,
// trees of about 2,000 splits, on one thread: 33 a tree; by keys 75 for the row and 5 a tree. With
// 4 columns keys cost 21, which a second tree is nearly worth.
constexpr std::int64_t kMaxTrees = 2;

// Walks in flight at once: a step waits for two loads, one after the other.
constexpr int kLanes = 8;

constexpr std::int64_t kBlockRows = 1024;
constexpr double kTreeCost = 20.0;  // nanoseconds for one row in one tree, to decide on threads

constexpr std::uint64_t kQuietNan = 0x7FF8000000000000U;

double leaf_mark(std::uint32_t number) { return std::bit_cast<double>(kQuietNan | number); }
std::uint32_t leaf_number(double mark) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(mark));
}

void fill_tree(const TreesView& trees, std::int64_t tree, std::uint32_t* waiting,
               DirectNode* nodes) {
  PreorderSlots slots(waiting);
  const auto first = at(trees.first_split(tree));
  std::uint32_t slot = 0, split = 0, leaf = 0;
  for (auto node = trees.first_node(tree); node < trees.first_node(tree + 1); ++node) {
    const auto column = trees.feature[at(node)];
    const bool is_split = column != kLeaf;
    const std::uint32_t child = 2U * split + 2U;
    if (is_split) {
      const bool is_left = (trees.flags[first + split] & kMissingLeft) != 0;
      nodes[slot] = {
          trees.threshold[first + split],
          static_cast<std::uint32_t>(column) | (is_left ? 0U : DirectNode::kMissingRight), child};
      ++split;
    } else {
      nodes[slot] = {leaf_mark(leaf++), 0U, slot};
    }
    slot = slots.next(is_split ? 1U : 0U, child);
  }
  nodes[1] = {leaf_mark(0), 0U, 1U};
}

template <bool kIsRounded, class T>
double compared(T x) {
  return kIsRounded ? static_cast<double>(static_cast<float>(x)) : static_cast<double>(x);
}

// A leaf's column is the first, which every row has.
template <bool kIsRounded, class T>
std::uint32_t step(const DirectNode& node, const T* row, std::int64_t col_stride) {
  const auto column = std::int64_t{node.column & ~DirectNode::kMissingRight};
  const double x = compared<kIsRounded>(row[column * col_stride]);
  const std::uint32_t is_above = x > node.threshold ? 1U : 0U;
  const std::uint32_t is_missing = x != x ? 1U : 0U;
  return node.child + (is_above | (is_missing & node.column >> 31));
}

// Two steps between looks at whether all have arrived.
template <bool kIsRounded, int kCount, class T>
void walk(const DirectNode* nodes, const T* const* rows, std::int64_t col_stride,
          std::uint32_t* leaves) {
  std::uint32_t slot[kCount] = {};
  std::uint32_t is_moving = 0;
  do {
    is_moving = 0;
    for (int k = 0; k < kCount; ++k)
      slot[k] = step<kIsRounded>(nodes[slot[k]], rows[k], col_stride);
    for (int k = 0; k < kCount; ++k) {
      const auto next = step<kIsRounded>(nodes[slot[k]], rows[k], col_stride);
      is_moving |= next ^ slot[k];
      slot[k] = next;
    }
  } while (is_moving != 0);
  for (int k = 0; k < kCount; ++k) leaves[k] = leaf_number(nodes[slot[k]].threshold);
}

template <bool kIsRounded, class T, class RowOf>
void walk_rows(const DirectNode* nodes, MatrixView<const T> X, std::int64_t n, const RowOf& row_of,
               std::uint32_t* leaves) {
  const T* rows[kLanes];
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) rows[k] = X.data + row_of(i + k) * X.row_stride;
    walk<kIsRounded, kLanes>(nodes, rows, X.col_stride, leaves + i);
  }
  for (; i < n; ++i) {
    rows[0] = X.data + row_of(i) * X.row_stride;
    walk<kIsRounded, 1>(nodes, rows, X.col_stride, leaves + i);
  }
}

}  // namespace

std::optional<DirectForest> DirectForest::make(const TreesView& trees) {
  if (trees.n_trees() > kMaxTrees || trees.n_features() == 0 ||
      trees.n_nodes() > std::numeric_limits<std::int32_t>::max() / 2)
    return {};
  bool has_double = false, has_float = false;
  for (const auto column : trees.feature) {
    if (column == kLeaf) continue;
    if (trees.n_levels[at(column)] > 0) return {};
    (trees.is_double[at(column)] != 0 ? has_double : has_float) = true;
  }
  if (has_double && has_float) return {};
  return DirectForest(trees, has_float);
}

DirectForest::DirectForest(const TreesView& trees, bool is_rounded)
    : nodes_(trees.n_nodes() + trees.n_trees()), is_rounded_(is_rounded) {
  std::vector<std::uint32_t> waiting(at(trees.n_nodes() / 2 + 2));
  for (std::int64_t t = 0; t <= trees.n_trees(); ++t)
    first_slot_.push_back(trees.first_node(t) + t);
  for (std::int64_t t = 0; t < trees.n_trees(); ++t)
    fill_tree(trees, t, waiting.data(), nodes_.data() + first_slot_[at(t)]);
}

template <class RowOf>
void DirectForest::find_leaves(std::int64_t tree, const AnyDense& X, std::int64_t n,
                               const RowOf& row_of, std::uint32_t* leaves) const {
  const DirectNode* nodes = nodes_.data() + first_slot_[at(tree)];
  std::visit(
      [&](const auto& view) {
        if (is_rounded_)
          walk_rows<true>(nodes, view, n, row_of, leaves);
        else
          walk_rows<false>(nodes, view, n, row_of, leaves);
      },
      X);
}

void DirectForest::each_tree(const AnyDense& X, const Context& ctx, const LeafSink& sink) const {
  const auto n_rows = n_rows_of(X);
  const auto chunks = Chunks::of_rows(n_rows, kBlockRows);
  const double cost_ns = kTreeCost * static_cast<double>(n_rows) * static_cast<double>(n_trees());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t i) {
    const auto begin = chunks.begin(i), n = chunks.end(i) - begin;
    Buffer<std::uint32_t> leaves(n);
    for (std::int64_t t = 0; t < n_trees(); ++t) {
      ctx.check();
      find_leaves(t, X, n, [begin](std::int64_t k) { return begin + k; }, leaves.data());
      sink(t, begin, {leaves.data(), at(n)});
    }
  });
}

void DirectForest::some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                             MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                             const SomeSink& sink) const {
  std::vector<std::uint32_t> rows(at(end - begin)), leaves(at(end - begin));
  for (std::int64_t t = 0; t < n_trees(); ++t) {
    ctx.check();
    std::int64_t n_asked = 0;
    for (auto row = begin; row < end; ++row) {
      rows[at(n_asked)] = static_cast<std::uint32_t>(row - begin);
      n_asked += is_asked(t, row) != 0;
    }
    const auto row_of = [&](std::int64_t k) { return begin + std::int64_t{rows[at(k)]}; };
    find_leaves(t, X, n_asked, row_of, leaves.data());
    sink(t, std::span(rows).first(at(n_asked)), std::span(leaves).first(at(n_asked)));
  }
}

Buffer<std::int32_t> DirectForest::leaf_nodes() const {
  Buffer<std::int32_t> found(first_slot_.back() / 2);  // a tree of k leaves has 2 k slots
  std::vector<std::uint32_t> waiting(at(first_slot_.back() / 2 + 2));
  std::int32_t* leaf = found.data();
  for (std::int64_t t = 0; t < n_trees(); ++t) {
    const auto n_nodes = first_slot_[at(t) + 1] - first_slot_[at(t)] - 1;
    PreorderSlots slots(waiting.data());
    std::uint32_t slot = 0;
    for (std::int32_t node = 0; node < n_nodes; ++node) {
      const DirectNode& seen = nodes_[first_slot_[at(t)] + slot];
      const bool is_split = seen.child != slot;
      if (!is_split) *leaf++ = node;
      slot = slots.next(is_split ? 1U : 0U, seen.child);
    }
  }
  return found;
}

}  // namespace gramian::tree
