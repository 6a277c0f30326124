#include "tree/predict/keyed.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// Up to this many rows the lanes of a walk are the trees of one row, not the rows of one tree.
constexpr std::int64_t kFewRows = 8;

// Keys of a block, in bytes: with a small tree they stay in the second level of the cache. A large
// tree comes from the third level for each block, so that blocks are in proportion to it; their
// keys are read from the first to the last. 50,000 rows, 100 trees, blocks of 1,600 and of 16,000
// rows: nodes of 80 KiB a tree 29 to 24 ns per row and tree, of 280 KiB 87 to 40 ns.
constexpr std::int64_t kBlockBytes = 128 * 1024;
constexpr std::int64_t kBlockOfTree = 16;
constexpr std::int64_t kMaxBlockRows = 16384;

// Nanoseconds for one row in one tree, to decide on threads.
constexpr double kTreeCost = 20.0;

// From these on rows are put in order: leaves of a tree, trees, rows. Trees of fewer leaves nearly
// fit into the first level of the cache, and few trees or rows cannot gain much. Where exactly the
// order begins to pay was not timed; it changes no result.
constexpr std::int64_t kOrderedLeaves = 1024;
constexpr std::int64_t kOrderedTrees = 10;
constexpr std::int64_t kOrderedRows = 4096;

// From these on ranks are worth their search: leaves of a tree and rows of a call. Trees of fewer
// leaves fit into the first level of the cache.
constexpr std::int64_t kRankedLeaves = 512;
constexpr std::int64_t kRankedRows = 256;

// Keys of a block, in bytes, and its rows at most. A large tree comes from the third level of the
// cache for each block, while rows are read one after another. 100 trees on two threads, 50,000
// rows in blocks of 8,000, 16,000 and 25,000: trees of 47,000 nodes on 54 columns 58, 46 and 45 ms,
// of 35,000 nodes on 20 columns 41, 42 and 37 ms, of 10,000 nodes 27, 27 and 26 ms.
constexpr std::int64_t kRankedBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMaxRankedRows = 32768;

}  // namespace

KeyedForest::KeyedForest(const TreesView& trees, const Context& ctx)
    : n_trees_(trees.n_trees()),
      n_leaves_(trees.n_leaves()),
      n_leaves_of_first_(trees.first_leaf(1)),
      keys_(trees, ctx),
      walk_(trees, keys_, ctx),
      sliced_(SlicedForm::make(trees, keys_, ctx)) {
  keys_.forget_trees();
  if (!sliced_ && n_leaves_ >= kRankedLeaves * n_trees_)
    ranked_ = std::make_unique<LazyRankedForm>(walk_.n_nodes());
}

void KeyedForest::some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                            MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                            const SomeSink& sink) const {
  const auto n = end - begin;
  Buffer<std::uint32_t> keys(n * keys_.n_slots());
  std::vector<std::uint32_t> rows(at(n)), leaves(at(n));
  const bool has_missing = keys_.write(X, begin, end, keys.data(), keys_.n_slots(), 1);
  for (std::int64_t t = 0; t < n_trees_; ++t) {
    ctx.check();
    std::size_t n_asked = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      rows[n_asked] = static_cast<std::uint32_t>(i);
      n_asked += is_asked(t, begin + i) != 0;
    }
    const auto some = std::span(rows).first(n_asked);
    GRAMIAN_DISPATCH(walk_some_rows, walk_.forest(), t, {keys.data(), keys_.n_slots(), some},
                     has_missing, leaves.data());
    sink(t, some, std::span(leaves).first(n_asked));
  }
}

// Two blocks for each thread at least.
std::int64_t KeyedForest::block_rows(std::int64_t n_rows, const Context& ctx) const {
  const auto n_bytes = std::max(kBlockBytes, kBlockOfTree * walk_.bytes_per_tree());
  const auto fitting = n_bytes / (4 * keys_.n_slots());
  const auto fair = n_rows / (2 * std::max(ctx.n_threads, 1));
  const auto least = std::min<std::int64_t>(fitting, kBlockBytes / (4 * keys_.n_slots()));
  return std::clamp<std::int64_t>(std::clamp(fair, least, fitting) / 64 * 64, 64, kMaxBlockRows);
}

// As many blocks for each thread: each takes the same time.
std::int64_t KeyedForest::ranked_rows(std::int64_t n_rows, const Context& ctx) const {
  const auto fitting =
      std::clamp(kRankedBytes / (4 * keys_.n_slots()), kRankedRows, kMaxRankedRows);
  const std::int64_t n_threads = std::max(ctx.n_threads, 1);
  const auto n_turns = (n_rows + n_threads * fitting - 1) / (n_threads * fitting);
  return std::max(n_rows / (n_threads * n_turns) + 1, kRankedRows);
}

KeyedForest::Plan KeyedForest::plan_of(const AnyDense& X, bool may_order,
                                       const Context& ctx) const {
  const auto n_rows = n_rows_of(X);
  if (ranked_ && n_rows >= kRankedRows)
    if (const auto* ranked = ranked_->form(n_rows, walk_.forest(), keys_, ctx)) return {ranked, {}};
  return {nullptr, may_order ? order_of(X, ctx) : Order{}};
}

// Rows by their leaf in the first tree, where that pays: rows that are alike take similar ways
// through the other trees too, so that a block of them needs only parts of each tree in the cache.
// 50,000 rows, 100 trees of 63,000 nodes: 615 to 352 ms; of 8,000 nodes: 214 to 194 ms.
KeyedForest::Order KeyedForest::order_of(const AnyDense& X, const Context& ctx) const {
  const auto n_rows = n_rows_of(X);
  const bool is_large = n_leaves_ >= kOrderedLeaves * n_trees_;
  if (!is_large || n_trees_ < kOrderedTrees || n_rows < kOrderedRows ||
      n_rows > std::numeric_limits<std::uint32_t>::max())
    return {};
  std::vector<std::uint32_t> leaf_of(at(n_rows));
  const auto chunks = Chunks::of_rows(n_rows, block_rows(n_rows, ctx));
  parallel_for(ctx, chunks.count(), kTreeCost * static_cast<double>(n_rows), [&](std::int64_t i) {
    const Block block{chunks.begin(i), chunks.end(i), 1, nullptr};
    walk_block(X, block, ctx, [&](std::int64_t, std::int64_t begin, auto leaves) {
      std::copy(leaves.begin(), leaves.end(), leaf_of.begin() + begin);
    });
  });
  std::vector<std::int64_t> next(at(n_leaves_of_first_) + 1, 0);
  for (const auto leaf : leaf_of) ++next[leaf + 1];
  for (std::size_t leaf = 1; leaf < next.size(); ++leaf) next[leaf] += next[leaf - 1];
  Order order(at(n_rows));
  for (std::int64_t i = 0; i < n_rows; ++i)
    order[at(next[leaf_of[at(i)]]++)] = static_cast<std::uint32_t>(i);
  return order;
}

void KeyedForest::each_tree(const AnyDense& X, const Plan& plan, const Context& ctx,
                            const LeafSink& sink) const {
  const auto n_rows = n_rows_of(X);
  if (n_rows <= kFewRows) return few_rows(X, sink);
  const auto& order = plan.order;
  const auto chunks = Chunks::of_rows(
      n_rows, plan.ranked != nullptr ? ranked_rows(n_rows, ctx) : block_rows(n_rows, ctx));
  const double cost_ns = kTreeCost * static_cast<double>(n_rows) * static_cast<double>(n_trees_);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t i) {
    const Block block{chunks.begin(i), chunks.end(i), n_trees_,
                      order.empty() ? nullptr : order.data()};
    if (plan.ranked != nullptr)
      rank_block(X, block, *plan.ranked, ctx, sink);
    else if (sliced_ && block.end - block.begin >= kSliceRows / 2)
      slice_block(X, block, ctx, sink);
    else
      walk_block(X, block, ctx, sink);
  });
}

void KeyedForest::few_rows(const AnyDense& X, const LeafSink& sink) const {
  Buffer<std::uint32_t> memory(keys_.n_slots() + n_trees_);
  std::uint32_t* keys = memory.data();
  std::uint32_t* leaves = keys + keys_.n_slots();
  for (std::int64_t i = 0; i < n_rows_of(X); ++i) {
    const bool has_missing = keys_.write(X, i, i + 1, keys, keys_.n_slots(), 1);
    GRAMIAN_DISPATCH(walk_trees, walk_.forest(), keys, has_missing, leaves);
    for (std::int64_t t = 0; t < n_trees_; ++t) sink(t, i, {leaves + t, 1});
  }
}

void KeyedForest::walk_block(const AnyDense& X, const Block& block, const Context& ctx,
                             const LeafSink& sink) const {
  const auto [begin, end, n_used_trees, order] = block;
  const auto n = end - begin;
  const auto n_groups = (n + kLanes - 1) / kLanes, group_size = kLanes * keys_.n_slots();
  Buffer<std::uint32_t> keys(n_groups * group_size), leaves(n_groups * kLanes);
  // The last group may not be full: keys of a number or a level, and of the idle slot.
  std::fill_n(keys.end() - group_size, group_size, 1U);
  std::fill_n(keys.end() - group_size + kLanes * keys_.idle_slot(), kLanes, kIdleKey);
  bool has_missing = false;
  for (std::int64_t i = 0; order != nullptr && i < n; ++i) {
    const std::int64_t row = order[begin + i];
    auto* own = keys.data() + i / kLanes * group_size + i % kLanes;
    has_missing |= keys_.write(X, row, row + 1, own, 1, kLanes);
  }
  if (order == nullptr) has_missing = keys_.write_groups(X, begin, end, kLanes, keys.data());
  for (std::int64_t t = 0; t < n_used_trees; ++t) {
    ctx.check();
    GRAMIAN_DISPATCH(walk_rows, walk_.forest(), t, keys.data(), keys_.n_slots(), n_groups,
                     has_missing, leaves.data());
    sink(t, begin, {leaves.data(), at(n)});
  }
}

void KeyedForest::rank_block(const AnyDense& X, const Block& block, const RankedForm& ranked,
                             const Context& ctx, const LeafSink& sink) const {
  const auto n = block.end - block.begin;
  RankedBlock rows = ranked.block(X, block.begin, block.end, keys_);
  Buffer<std::uint32_t> leaves((n + kRankSlice - 1) / kRankSlice * kRankSlice);
  for (std::int64_t t = 0; t < n_trees_; ++t) {
    ctx.check();
    ranked.find_leaves(t, rows, leaves.data());
    sink(t, block.begin, {leaves.data(), at(n)});
  }
}

// A forest of small trees is never ordered: its trees stay in the cache anyway.
void KeyedForest::slice_block(const AnyDense& X, const Block& block, const Context& ctx,
                              const LeafSink& sink) const {
  const auto begin = block.begin, end = block.end;
  const auto n_slices = (end - begin + kSliceRows - 1) / kSliceRows;
  const auto slice_size = kSliceRows * keys_.n_slots();
  auto keys = Buffer<std::uint32_t>::zeros(slice_size);
  Buffer<std::uint8_t> codes(n_slices * slice_size);
  Buffer<std::uint32_t> leaves(n_slices * kSliceRows);
  bool has_missing = false;
  for (std::int64_t k = 0; k < n_slices; ++k) {
    const auto first = begin + k * kSliceRows;
    has_missing |=
        keys_.write(X, first, std::min(first + kSliceRows, end), keys.data(), 1, kSliceRows);
    sliced_->write_codes(keys.data(), codes.data() + k * slice_size);
  }
  for (std::int64_t t = 0; t < n_trees_; ++t) {
    ctx.check();
    sliced_->find_leaves(t, codes.data(), n_slices, has_missing, leaves.data());
    sink(t, begin, {leaves.data(), at(end - begin)});
  }
}

}  // namespace gramian::tree
