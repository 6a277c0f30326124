// Prediction by trees in the flat format. Made once from a checked format, then used by any number
// of calls and threads at once.
//
// Rows are cut into blocks; a block's values become keys once (keys.hpp), then go through one tree
// after another, so that a tree stays in the cache while all rows of the block pass. Sums are
// made in double in the order of the trees: the same bits for any thread count, block and form.
//
// Three forms: small trees are asked by slices of rows (sliced.hpp), others are walked (walk.hpp),
// deep ones that many rows ask for by ranks (ranked.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/linear_leaves.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/keys.hpp"
#include "tree/predict/leaf_answers.hpp"
#include "tree/predict/ranked.hpp"
#include "tree/predict/sliced.hpp"
#include "tree/predict/walk.hpp"

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
  using SomeSink = std::function<void(std::int64_t tree, std::span<const std::uint32_t> rows,
                                      std::span<const std::uint32_t> leaves)>;
  void some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                 MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                 const SomeSink& sink) const;

  // Of a leaf: the proportions or values, or nothing if its votes say it all; and the votes, a
  // column of each output, of classification only.
  std::span<const double> leaf_values(std::int64_t tree, std::uint32_t leaf) const;
  std::span<const std::int32_t> leaf_votes(std::int64_t tree, std::uint32_t leaf) const;

 private:
  // leaves[i]: number, among the leaves of tree `tree`, of the leaf of row begin + i; or, where
  // rows go in an order of their own, of row order[begin + i].
  using Sink = std::function<void(std::int64_t tree, std::int64_t begin,
                                  std::span<const std::uint32_t> leaves)>;
  using Order = std::vector<std::uint32_t>;  // row numbers; empty: as they come

  // How the rows of a call go through the trees.
  struct Plan {
    const RankedForm* ranked = nullptr;
    Order order = {};  // never with `ranked`
  };

  struct Block {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t n_trees;
    const std::uint32_t* order;  // or null
  };

  std::int64_t n_outputs() const { return answers_.vote.size() / first_leaf_.back(); }
  void check_shapes(const AnyDense& X, std::int64_t n_rows, std::int64_t n_cols,
                    std::int64_t expected_cols) const;
  Plan plan_of(const AnyDense& X, bool may_order, const Context& ctx) const;
  Order order_of(const AnyDense& X, const Context& ctx) const;
  void sum(const AnyDense& X, std::span<const double> bias, bool is_vote, double divisor,
           MatrixView<double> out, const Context& ctx) const;
  void add_linear(const AnyDense& X, const Order& order, std::int64_t tree, std::int64_t begin,
                  std::span<const std::uint32_t> leaves, MatrixView<double> out) const;
  void each_tree(const AnyDense& X, const Plan& plan, const Context& ctx, const Sink& sink) const;
  void few_rows(const AnyDense& X, const Sink& sink) const;
  void walk_block(const AnyDense& X, const Block& block, const Context& ctx,
                  const Sink& sink) const;
  void slice_block(const AnyDense& X, const Block& block, const Context& ctx,
                   const Sink& sink) const;
  void rank_block(const AnyDense& X, const Block& block, const RankedForm& ranked,
                  const Context& ctx, const Sink& sink) const;
  std::int64_t ranked_rows(std::int64_t n_rows, const Context& ctx) const;
  std::int64_t block_rows(std::int64_t n_rows, const Context& ctx) const;

  std::int64_t n_features_;
  std::int64_t width_;
  std::vector<std::int64_t> first_leaf_;  // of each tree, and the number of all leaves
  KeySpace keys_;
  WalkForm walk_;
  std::optional<SlicedForm> sliced_;        // for many rows, where it is faster
  std::unique_ptr<LazyRankedForm> ranked_;  // for many rows in deep trees, or null
  LeafAnswers answers_;
  std::unique_ptr<LeafNodes> leaf_nodes_;
  LinearLeaves linear_;
};

}  // namespace gramian::tree
