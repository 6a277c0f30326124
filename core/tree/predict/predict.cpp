#include "tree/predict/predict.hpp"

#include <algorithm>
#include <limits>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

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
      direct_(DirectForest::make(trees)),
      answers_(trees, ctx),
      leaf_nodes_(std::make_unique<LeafNodes>()),
      linear_(std::move(linear)) {
  if (!linear_.empty()) {
    linear_.check(trees.n_leaves(), n_features_);
    if (width_ != 1 || trees.is_classification())
      throw InvalidArgument("linear leaves are for trees of one number");
  }
  if (!direct_) keyed_ = std::make_unique<KeyedForest>(trees, ctx);
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
  const auto plan = plan_of(X, true, ctx);
  const auto& order = plan.order;
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

void Predictor::add_linear(const AnyDense& X, const KeyedForest::Order& order, std::int64_t tree,
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
  const std::int32_t* nodes =
      leaf_nodes_->get([&] { return direct_ ? direct_->leaf_nodes() : keyed_->leaf_nodes(ctx); });
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
  if (direct_)
    direct_->some_rows(X, begin, end, is_asked, ctx, sink);
  else
    keyed_->some_rows(X, begin, end, is_asked, ctx, sink);
}

std::span<const double> Predictor::leaf_values(std::int64_t tree, std::uint32_t leaf) const {
  if (answers_.value.size() == 0) return {};
  return {answers_.value.data() + (first_leaf_[at(tree)] + leaf) * width_, at(width_)};
}

std::span<const std::int32_t> Predictor::leaf_votes(std::int64_t tree, std::uint32_t leaf) const {
  return {answers_.vote.data() + (first_leaf_[at(tree)] + leaf) * n_outputs(), at(n_outputs())};
}

KeyedForest::Plan Predictor::plan_of(const AnyDense& X, bool may_order, const Context& ctx) const {
  return keyed_ ? keyed_->plan_of(X, may_order, ctx) : KeyedForest::Plan{};
}

void Predictor::each_tree(const AnyDense& X, const KeyedForest::Plan& plan, const Context& ctx,
                          const LeafSink& sink) const {
  if (direct_)
    direct_->each_tree(X, ctx, sink);
  else
    keyed_->each_tree(X, plan, ctx, sink);
}

}  // namespace gramian::tree
