// Prediction by trees in the flat format. Made once from a checked format, then used by any number
// of calls and threads at once.
//
// Many trees are asked by keys (keyed.hpp), few by the numbers themselves (direct.hpp). Sums are
// made in double in the order of the trees: the same bits for any thread count, block and form.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/linear_leaves.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/direct.hpp"
#include "tree/predict/keyed.hpp"
#include "tree/predict/leaf_answers.hpp"
#include "tree/predict/leaf_nodes.hpp"
#include "tree/predict/sinks.hpp"

namespace gramian::tree {

class Predictor {
 public:
  // Checks the format. Keeps copies of what it needs. `linear`: of all leaves, or empty; only
  // sums() and each() know of it.
  Predictor(const TreesView& trees, LinearLeaves linear, const Context& ctx);

  std::int64_t n_trees() const { return static_cast<std::int64_t>(first_leaf_.size()) - 1; }
  std::int64_t n_features() const { return n_features_; }
  std::int64_t width() const { return width_; }

  // All of these throw InvalidArgument if X does not have n_features columns or `out` not the
  // shape given here, with n the number of rows.

  // n x width: the mean over the trees of the class proportions (of each output) or values.
  void mean(const AnyDense& X, MatrixView<double> out, const Context& ctx) const;

  // n x (n_groups width), with as many groups as fit into `out`: `bias`, a number for each column,
  // plus the sums of the trees' values. Tree t adds to the columns of group t % n_groups, as in
  // boosting of several classes. Trees for regression only.
  void sums(const AnyDense& X, std::span<const double> bias, MatrixView<double> out,
            const Context& ctx) const;

  // n x width: how many trees vote for each class of each output; ties go to the first class.
  void votes(const AnyDense& X, MatrixView<double> out, const Context& ctx) const;

  // n x (n_trees width): each tree's proportions or values, one tree after another.
  void each(const AnyDense& X, MatrixView<double> out, const Context& ctx) const;

  // n x n_trees: preorder number, in its tree, of the leaf that a row reaches.
  void apply(const AnyDense& X, MatrixView<std::int64_t> out, const Context& ctx) const;

  // Of the rows begin .. end of X those that is_asked(tree, row): sink(tree, rows, leaves) is told,
  // one tree after another, their numbers less `begin`, and the leaf of each among the tree's.
  using SomeSink = tree::SomeSink;
  void some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                 MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                 const SomeSink& sink) const;

  // Of a leaf: the proportions or values, or nothing if its votes say it all; and the votes, a
  // column of each output, of classification only.
  std::span<const double> leaf_values(std::int64_t tree, std::uint32_t leaf) const;
  std::span<const std::int32_t> leaf_votes(std::int64_t tree, std::uint32_t leaf) const;

 private:
  std::int64_t n_outputs() const { return answers_.vote.size() / first_leaf_.back(); }
  void check_shapes(const AnyDense& X, std::int64_t n_rows, std::int64_t n_cols,
                    std::int64_t expected_cols) const;
  KeyedForest::Plan plan_of(const AnyDense& X, bool may_order, const Context& ctx) const;
  void sum(const AnyDense& X, std::span<const double> bias, bool is_vote, double divisor,
           MatrixView<double> out, const Context& ctx) const;
  void add_linear(const AnyDense& X, const KeyedForest::Order& order, std::int64_t tree,
                  std::int64_t begin, std::span<const std::uint32_t> leaves,
                  MatrixView<double> out) const;
  void each_tree(const AnyDense& X, const KeyedForest::Plan& plan, const Context& ctx,
                 const LeafSink& sink) const;

  std::int64_t n_features_;
  std::int64_t width_;
  std::vector<std::int64_t> first_leaf_;  // of each tree, and the number of all leaves
  std::optional<DirectForest> direct_;    // or
  std::unique_ptr<KeyedForest> keyed_;
  LeafAnswers answers_;
  std::unique_ptr<LeafNodes> leaf_nodes_;
  LinearLeaves linear_;
};

}  // namespace gramian::tree
