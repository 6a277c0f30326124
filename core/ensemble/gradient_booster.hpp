// Gradient boosting (Friedman, 2001): each round fits a tree to the residuals, the negative
// gradients of the loss, and moves the scores by it.
//
// The leaves of a round's tree get the steps that lower the loss most, each for its own rows; or,
// with a global step, the mean residuals times one number, found by a line search over all rows.
// All trees are grown on the same columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "ensemble/boosting_loss.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/format/target.hpp"

namespace gramian::ensemble {

// Rows with their targets, weights (empty: one each) and scores, by output.
struct ScoredRows {
  tree::Features X;
  std::vector<double> y;
  std::vector<double> weight;
  std::vector<double> scores;
};

struct BoosterOptions {
  double rate = 0.1;
  bool has_global_step = false;
  double ccp_alpha = 0.0;
};

// Mean losses; NaN where there are no such rows.
struct RoundLosses {
  double train = 0.0;       // of the rows that the trees have seen
  double out_before = 0.0;  // of the rows they have not, before the round
  double out = 0.0;         // and after it
  double validation = 0.0;
};

class GradientBooster {
 public:
  // The columns, and what `options` points to, must outlive the booster.
  GradientBooster(const tree::Columns& columns, ScoredRows rows, BoostingLoss loss,
                  const tree::Options& options, const BoosterOptions& how);

  // Rows that no tree sees, whose loss is followed.
  void watch(ScoredRows rows) { watched_ = std::move(rows); }

  // One tree for each output, with these seeds. `is_in`: which rows they see; empty: all.
  RoundLosses add_round(std::span<const std::uint8_t> is_in, std::span<const std::uint64_t> seeds,
                        const Context& ctx);

  const tree::GrownTrees& trees() const { return trees_; }
  std::span<const double> steps() const { return steps_; }  // global steps, one for each tree
  std::span<const double> scores() const { return rows_.scores; }
  const tree::Columns& columns() const { return columns_; }

 private:
  std::span<const double> scores_of(std::int64_t output) const;
  void add_tree(std::int64_t output, const tree::Sample& sample, std::uint64_t seed,
                const Context& ctx);
  void set_leaves(std::int64_t output, tree::GrownTrees& grown) const;
  double global_step(std::int64_t output, const tree::GrownTrees& grown) const;
  void move_scores(std::int64_t output, const tree::GrownTrees& grown, std::int64_t n_in,
                   const Context& ctx);
  void add_predictions(const tree::GrownTrees& grown, std::int64_t output, ScoredRows& rows,
                       const std::vector<std::uint8_t>& is_done, const Context& ctx) const;

  const tree::Columns& columns_;
  ScoredRows rows_;
  BoostingLoss loss_;
  tree::Options options_;
  BoosterOptions how_;
  std::optional<ScoredRows> watched_;
  std::vector<double> residuals_;
  std::vector<std::uint32_t> rows_by_leaf_;
  std::vector<std::int32_t> n_levels_;
  std::vector<std::uint8_t> is_double_;
  tree::GrownTrees trees_;
  std::vector<double> steps_;
};

}  // namespace gramian::ensemble
