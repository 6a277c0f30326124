#include "tree/predict/predict.hpp"

#include <algorithm>
#include <limits>

#include "base/buffer.hpp"
#include "base/error.hpp"
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

const TreesView& checked(const TreesView& trees, const Context& ctx) {
  trees.check(ctx);
  return trees;
}

// kWidth 0: any width.
template <int kWidth>
void add_values(const double* values, std::int64_t width, std::span<const std::uint32_t> leaves,
                MatrixView<double> out) {
  const std::int64_t n = kWidth > 0 ? kWidth : width;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const double* value = values + static_cast<std::int64_t>(leaves[i]) * n;
    double* row = out.data + static_cast<std::int64_t>(i) * out.row_stride;
    for (std::int64_t k = 0; k < n; ++k) row[k * out.col_stride] += value[k];
  }
}

// kOutputs 0: any number of outputs.
template <int kOutputs>
void add_votes(const std::int32_t* votes, std::int64_t n_outputs,
               std::span<const std::uint32_t> leaves, MatrixView<double> out) {
  const std::int64_t n = kOutputs > 0 ? kOutputs : n_outputs;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::int32_t* vote = votes + static_cast<std::int64_t>(leaves[i]) * n;
    double* row = out.data + static_cast<std::int64_t>(i) * out.row_stride;
    for (std::int64_t k = 0; k < n; ++k) row[vote[k] * out.col_stride] += 1.0;
  }
}

// Every row becomes `bias`; zeros if it is empty.
void fill(MatrixView<double> out, std::span<const double> bias) {
  for (std::int64_t i = 0; i < out.n_rows; ++i)
    for (std::int64_t k = 0; k < out.n_cols; ++k) out(i, k) = bias.empty() ? 0.0 : bias[at(k)];
}

void divide_all(MatrixView<double> out, double divisor) {
  for (std::int64_t i = 0; i < out.n_rows; ++i)
    for (std::int64_t k = 0; k < out.n_cols; ++k) out(i, k) /= divisor;
}

}  // namespace

Predictor::Predictor(const TreesView& trees, LinearLeaves linear, const Context& ctx)
    : n_features_(checked(trees, ctx).n_features()),
      width_(trees.width),
      keys_(trees, ctx),
      walk_(trees, keys_, ctx),
      sliced_(SlicedForm::make(trees, keys_, ctx)),
      answers_(trees, ctx),
      leaf_nodes_(std::make_unique<LeafNodes>()),
      linear_(std::move(linear)) {
  if (!linear_.empty()) {
    linear_.check(trees.n_leaves(), n_features_);
    if (width_ != 1 || trees.is_classification())
      throw InvalidArgument("linear leaves are for trees of one number");
  }
  if (!sliced_ && trees.n_leaves() >= kRankedLeaves * trees.n_trees())
    ranked_ = std::make_unique<LazyRankedForm>(walk_.n_nodes());
  for (std::int64_t t = 0; t <= trees.n_trees(); ++t) first_leaf_.push_back(trees.first_leaf(t));
}

void Predictor::check_shapes(const AnyDense& X, std::int64_t n_rows, std::int64_t n_cols,
                             std::int64_t expected_cols) const {
  if (n_cols_of(X) != n_features_)
    throw InvalidArgument("X does not have the number of columns that the trees were grown on");
  if (n_rows != n_rows_of(X) || n_cols != expected_cols)
    throw InvalidArgument("out does not have the shape of the result");
}

void Predictor::mean(const AnyDense& X, MatrixView<double> out, const Context& ctx) const {
  check_shapes(X, out.n_rows, out.n_cols, width_);
  sum(X, {}, answers_.value.size() == 0, static_cast<double>(n_trees()), out, ctx);
}

void Predictor::votes(const AnyDense& X, MatrixView<double> out, const Context& ctx) const {
  check_shapes(X, out.n_rows, out.n_cols, width_);
  if (answers_.vote.size() == 0) throw InvalidArgument("trees for regression do not vote");
  sum(X, {}, true, 1.0, out, ctx);
}

void Predictor::sums(const AnyDense& X, std::span<const double> bias, MatrixView<double> out,
                     const Context& ctx) const {
  const auto n_groups = std::max<std::int64_t>(out.n_cols / width_, 1);
  check_shapes(X, out.n_rows, out.n_cols, n_groups * width_);
  if (answers_.vote.size() > 0) throw InvalidArgument("trees for classification are not added up");
  if (bias.size() != at(out.n_cols))
    throw InvalidArgument("bias does not have a number for each column of out");
  sum(X, bias, false, 1.0, out, ctx);
}

// Sums over the trees, divided: in `out`, or where rows go in an order of their own, in that order
// first. Where `out` has several times the width of a leaf, the trees take turns.
void Predictor::sum(const AnyDense& X, std::span<const double> bias, bool is_vote, double divisor,
                    MatrixView<double> out, const Context& ctx) const {
  const Plan plan = plan_of(X, true, ctx);
  const Order& order = plan.order;
  const auto n_cols = out.n_cols, n_groups = n_cols / width_;
  Buffer<double> ordered(order.empty() ? 0 : out.n_rows * n_cols);
  const auto sums = order.empty() ? out : MatrixView<double>(ordered.data(), out.n_rows, n_cols);
  const std::int64_t n_outputs = this->n_outputs();
  each_tree(X, plan, ctx, [&](std::int64_t tree, std::int64_t begin, auto leaves) {
    const auto end = begin + static_cast<std::int64_t>(leaves.size());
    const auto group = tree % n_groups;
    if (tree == 0) fill(sums.rows(begin, end), bias);
    const auto rows = sums.rows(begin, end).cols(group * width_, (group + 1) * width_);
    const auto first = first_leaf_[at(tree)];
    if (is_vote && n_outputs == 1)
      add_votes<1>(answers_.vote.data() + first, 1, leaves, rows);
    else if (is_vote)
      add_votes<0>(answers_.vote.data() + first * n_outputs, n_outputs, leaves, rows);
    else if (!linear_.empty())
      add_linear(X, order, tree, begin, leaves, rows);
    else if (width_ == 1)
      add_values<1>(answers_.value.data() + first, 1, leaves, rows);
    else if (width_ == 2)
      add_values<2>(answers_.value.data() + 2 * first, 2, leaves, rows);
    else
      add_values<0>(answers_.value.data() + width_ * first, width_, leaves, rows);
    if (tree + 1 < n_trees()) return;
    if (divisor != 1.0) divide_all(sums.rows(begin, end), divisor);
    if (order.empty()) return;
    for (auto i = begin; i < end; ++i)
      for (std::int64_t k = 0; k < n_cols; ++k) out(order[at(i)], k) = sums(i, k);
  });
}

void Predictor::add_linear(const AnyDense& X, const Order& order, std::int64_t tree,
                           std::int64_t begin, std::span<const std::uint32_t> leaves,
                           MatrixView<double> out) const {
  const auto first = first_leaf_[at(tree)];
  const auto add = [&](const auto& rows) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto place = begin + static_cast<std::int64_t>(i);
      const auto row = order.empty() ? place : static_cast<std::int64_t>(order[at(place)]);
      const auto leaf = first + static_cast<std::int64_t>(leaves[i]);
      out(static_cast<std::int64_t>(i), 0) += linear_.at(leaf, answers_.value[leaf], rows, row);
    }
  };
  std::visit(add, X);
}

void Predictor::each(const AnyDense& X, MatrixView<double> out, const Context& ctx) const {
  check_shapes(X, out.n_rows, out.n_cols, n_trees() * width_);
  const std::int64_t n_outputs = this->n_outputs();
  each_tree(X, plan_of(X, false, ctx), ctx,
            [&](std::int64_t tree, std::int64_t begin, auto leaves) {
              const auto end = begin + static_cast<std::int64_t>(leaves.size());
              const auto part = out.rows(begin, end).cols(tree * width_, (tree + 1) * width_);
              const auto first = first_leaf_[at(tree)];
              fill(part, {});
              if (answers_.value.size() == 0)
                add_votes<0>(answers_.vote.data() + first * n_outputs, n_outputs, leaves, part);
              else if (!linear_.empty())
                add_linear(X, {}, tree, begin, leaves, part);
              else
                add_values<0>(answers_.value.data() + width_ * first, width_, leaves, part);
            });
}

void Predictor::apply(const AnyDense& X, MatrixView<std::int64_t> out, const Context& ctx) const {
  check_shapes(X, out.n_rows, out.n_cols, n_trees());
  const std::int32_t* nodes = leaf_nodes_->get(walk_, keys_, ctx);
  each_tree(X, plan_of(X, false, ctx), ctx,
            [&](std::int64_t tree, std::int64_t begin, auto leaves) {
              const std::int32_t* number = nodes + first_leaf_[at(tree)];
              for (std::size_t i = 0; i < leaves.size(); ++i)
                out(begin + static_cast<std::int64_t>(i), tree) = number[leaves[i]];
            });
}

void Predictor::some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                          MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                          const SomeSink& sink) const {
  const auto n = end - begin;
  Buffer<std::uint32_t> keys(n * keys_.n_slots());
  std::vector<std::uint32_t> rows(at(n)), leaves(at(n));
  const bool has_missing = keys_.write(X, begin, end, keys.data(), keys_.n_slots(), 1);
  for (std::int64_t t = 0; t < n_trees(); ++t) {
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

std::span<const double> Predictor::leaf_values(std::int64_t tree, std::uint32_t leaf) const {
  if (answers_.value.size() == 0) return {};
  return {answers_.value.data() + (first_leaf_[at(tree)] + leaf) * width_, at(width_)};
}

std::span<const std::int32_t> Predictor::leaf_votes(std::int64_t tree, std::uint32_t leaf) const {
  return {answers_.vote.data() + (first_leaf_[at(tree)] + leaf) * n_outputs(), at(n_outputs())};
}

// Two blocks for each thread at least.
std::int64_t Predictor::block_rows(std::int64_t n_rows, const Context& ctx) const {
  const auto n_bytes = std::max(kBlockBytes, kBlockOfTree * walk_.bytes_per_tree());
  const auto fitting = n_bytes / (4 * keys_.n_slots());
  const auto fair = n_rows / (2 * std::max(ctx.n_threads, 1));
  const auto least = std::min<std::int64_t>(fitting, kBlockBytes / (4 * keys_.n_slots()));
  return std::clamp<std::int64_t>(std::clamp(fair, least, fitting) / 64 * 64, 64, kMaxBlockRows);
}

// As many blocks for each thread: each takes the same time.
std::int64_t Predictor::ranked_rows(std::int64_t n_rows, const Context& ctx) const {
  const auto fitting =
      std::clamp(kRankedBytes / (4 * keys_.n_slots()), kRankedRows, kMaxRankedRows);
  const std::int64_t n_threads = std::max(ctx.n_threads, 1);
  const auto n_turns = (n_rows + n_threads * fitting - 1) / (n_threads * fitting);
  return std::max(n_rows / (n_threads * n_turns) + 1, kRankedRows);
}

Predictor::Plan Predictor::plan_of(const AnyDense& X, bool may_order, const Context& ctx) const {
  const auto n_rows = n_rows_of(X);
  if (ranked_ && n_rows >= kRankedRows)
    if (const auto* ranked = ranked_->form(n_rows, walk_.forest(), keys_, ctx)) return {ranked, {}};
  return {nullptr, may_order ? order_of(X, ctx) : Order{}};
}

// Rows by their leaf in the first tree, where that pays: rows that are alike take similar ways
// through the other trees too, so that a block of them needs only parts of each tree in the cache.
// 50,000 rows, 100 trees of 63,000 nodes: 615 to 352 ms; of 8,000 nodes: 214 to 194 ms.
Predictor::Order Predictor::order_of(const AnyDense& X, const Context& ctx) const {
  const auto n_rows = n_rows_of(X);
  const bool is_large = first_leaf_.back() >= kOrderedLeaves * n_trees();
  if (!is_large || n_trees() < kOrderedTrees || n_rows < kOrderedRows ||
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
  std::vector<std::int64_t> next(at(first_leaf_[1]) + 1, 0);
  for (const auto leaf : leaf_of) ++next[leaf + 1];
  for (std::size_t leaf = 1; leaf < next.size(); ++leaf) next[leaf] += next[leaf - 1];
  Order order(at(n_rows));
  for (std::int64_t i = 0; i < n_rows; ++i)
    order[at(next[leaf_of[at(i)]]++)] = static_cast<std::uint32_t>(i);
  return order;
}

void Predictor::each_tree(const AnyDense& X, const Plan& plan, const Context& ctx,
                          const Sink& sink) const {
  const auto n_rows = n_rows_of(X);
  if (n_rows <= kFewRows) return few_rows(X, sink);
  const auto& order = plan.order;
  const auto chunks = Chunks::of_rows(
      n_rows, plan.ranked != nullptr ? ranked_rows(n_rows, ctx) : block_rows(n_rows, ctx));
  const double cost_ns = kTreeCost * static_cast<double>(n_rows) * static_cast<double>(n_trees());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t i) {
    const Block block{chunks.begin(i), chunks.end(i), n_trees(),
                      order.empty() ? nullptr : order.data()};
    if (plan.ranked != nullptr)
      rank_block(X, block, *plan.ranked, ctx, sink);
    else if (sliced_ && block.end - block.begin >= kSliceRows / 2)
      slice_block(X, block, ctx, sink);
    else
      walk_block(X, block, ctx, sink);
  });
}

void Predictor::few_rows(const AnyDense& X, const Sink& sink) const {
  Buffer<std::uint32_t> memory(keys_.n_slots() + n_trees());
  std::uint32_t* keys = memory.data();
  std::uint32_t* leaves = keys + keys_.n_slots();
  for (std::int64_t i = 0; i < n_rows_of(X); ++i) {
    const bool has_missing = keys_.write(X, i, i + 1, keys, keys_.n_slots(), 1);
    GRAMIAN_DISPATCH(walk_trees, walk_.forest(), keys, has_missing, leaves);
    for (std::int64_t t = 0; t < n_trees(); ++t) sink(t, i, {leaves + t, 1});
  }
}

void Predictor::walk_block(const AnyDense& X, const Block& block, const Context& ctx,
                           const Sink& sink) const {
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
  for (std::int64_t g = 0; order == nullptr && g < n_groups; ++g) {
    const auto first = begin + g * kLanes;
    has_missing |= keys_.write(X, first, std::min(first + kLanes, end),
                               keys.data() + g * group_size, 1, kLanes);
  }
  for (std::int64_t t = 0; t < n_used_trees; ++t) {
    ctx.check();
    GRAMIAN_DISPATCH(walk_rows, walk_.forest(), t, keys.data(), keys_.n_slots(), n_groups,
                     has_missing, leaves.data());
    sink(t, begin, {leaves.data(), at(n)});
  }
}

void Predictor::rank_block(const AnyDense& X, const Block& block, const RankedForm& ranked,
                           const Context& ctx, const Sink& sink) const {
  const auto n = block.end - block.begin;
  RankedBlock rows = ranked.block(X, block.begin, block.end, keys_);
  Buffer<std::uint32_t> leaves((n + kRankSlice - 1) / kRankSlice * kRankSlice);
  for (std::int64_t t = 0; t < n_trees(); ++t) {
    ctx.check();
    ranked.find_leaves(t, rows, leaves.data());
    sink(t, block.begin, {leaves.data(), at(n)});
  }
}

// A forest of small trees is never ordered: its trees stay in the cache anyway.
void Predictor::slice_block(const AnyDense& X, const Block& block, const Context& ctx,
                            const Sink& sink) const {
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
  for (std::int64_t t = 0; t < n_trees(); ++t) {
    ctx.check();
    sliced_->find_leaves(t, codes.data(), n_slices, has_missing, leaves.data());
    sink(t, begin, {leaves.data(), at(end - begin)});
  }
}

}  // namespace gramian::tree
