// Models that have seen only the first rows of an order.
//
// The scores of a row that the trees before were fitted to are closer to its target than those of a
// new row (prediction shift). Ordered boosting (Prokhorenkova et al., "CatBoost: unbiased boosting
// with categorical features", 2018) keeps models of the first 1, 2, 4, ... rows of a random order
// beside the model itself; all have the same trees, and values of their own in the leaves. A row's
// gradient is taken from the largest one that has not seen it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/grow/options.hpp"

namespace gramian::boost {

// The models of one order. Model k has seen the first seen[k] = 0, 1, 2, 4, ... rows of the order,
// and has scores of the first seen[k + 1], for the last model of all. Arrays of scores and
// derivatives hold one model after the other: fewer than 3 n + 1 numbers for n rows.
class PrefixModels {
 public:
  // All row numbers in the order; `weight` by row number, empty: one each.
  PrefixModels(std::span<const std::uint32_t> order, std::span<const double> weight);

  std::int64_t n_rows() const { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t n_models() const { return static_cast<std::int64_t>(seen_.size()); }
  std::int64_t n_scores() const { return starts_.back(); }

  // The row number of each score; and by row number, the place of the row's score by the largest
  // model that has not seen the row.
  std::vector<std::uint32_t> rows() const;
  std::vector<std::int64_t> own_places() const;

  // What follows is about the leaf of each row, by row number, in a tree of so many leaves.
  void set_leaves(std::span<const std::uint32_t> leaf_of, std::int64_t n_leaves);
  std::int64_t n_leaves() const { return n_leaves_; }

  // Values of the leaves, model after model, learning rate or scale included. A leaf of which a
  // model has seen no row has the value 0. Newton steps are O(scores); quantiles of y - score, with
  // `y` by row number, sort the rows of each leaf.
  std::vector<double> newton_values(std::span<const float> gradient, std::span<const float> hessian,
                                    const TreeOptions& options, const Context& ctx) const;
  std::vector<double> quantile_values(std::span<const double> y, std::span<const double> scores,
                                      double share, double scale, const Context& ctx) const;

  // scores += the values of the rows' leaves.
  void add(std::span<const double> values, std::span<double> scores, const Context& ctx) const;

 private:
  // The part of an array that belongs to a model: all of its scores, or those of rows it has seen.
  template <class T>
  std::span<T> scores_of(std::int64_t model, std::span<T> all) const;
  template <class T>
  std::span<T> seen_by(std::int64_t model, std::span<T> all) const;

  std::vector<std::uint32_t> order_;
  std::vector<double> weight_at_;  // by place in the order
  std::vector<std::int64_t> seen_, starts_;
  std::vector<std::uint32_t> leaf_at_;
  std::int64_t n_leaves_ = 0;
};

}  // namespace gramian::boost
