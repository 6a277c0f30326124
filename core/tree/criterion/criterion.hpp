// What every criterion offers to the split search.
//
// A criterion knows a row by its Item, what it needs of target and weight; a handle numbers the
// items of a node's rows. enter() reads the rows of a node. walk() then starts with all rows on the
// right, and answers how good a cut is while rows move, one after the other, to the left:
//
//   auto walk = criterion.walk(n, handle_at);
//   walk.move(handle);                 one row goes left
//   walk.improves(best, score)         whether the cut's score is above `best`; sets it if so
//
// Scores of all cuts of a node compare with each other, the larger the better. The gain of a cut is
// (score - node_score()) / total weight of the tree: the decrease of the impurity, weighted by the
// share of the node. A cut that reaches perfect_score(n) leaves two pure sides. A criterion whose
// inner nodes cannot be derived from the leaves says keeps_nodes, and one whose walk must be shown
// the rows in the order they move says needs_order. A criterion that is_additive needs of the rows
// on the left no more than their weight and the sum of their addend(handle): walk_to(weight, sum)
// is the walk that has moved them. What is_packed or is_counted can also be searched by packed.hpp
// or counted.hpp, where weights are whole. A walk is a small value: in a loop the compiler keeps it
// in registers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/format/bounds.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {

// What a criterion is unless it says otherwise; see above.
struct PlainCriterion {
  static constexpr bool keeps_nodes = false;
  static constexpr bool needs_order = false;
  static constexpr bool is_additive = false;
  static constexpr bool is_squared_error = false;  // of one output: scored by cuts_kernel.hpp
  static constexpr bool is_packed = false;
  static constexpr bool is_counted = false;
};

// One value of a row and its weight; without weights the value alone, which saves half the cache.
template <class Value, bool is_weighted>
struct RowItem {
  Value value;
  double weight;
};
template <class Value>
struct RowItem<Value, false> {
  Value value;
  static constexpr double weight = 1.0;
};

template <class Value, bool is_weighted>
RowItem<Value, is_weighted> row_item(Value value, double weight) {
  if constexpr (is_weighted)
    return {value, weight};
  else
    return {value};
}

// The items of all rows, from one value for each.
template <class Value, bool is_weighted, class Values>
std::vector<RowItem<Value, is_weighted>> single_items(const Values& values,
                                                      std::span<const double> weight) {
  std::vector<RowItem<Value, is_weighted>> items;
  items.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    items.push_back(row_item<Value, is_weighted>(static_cast<Value>(values[i]),
                                                 weight.empty() ? 1.0 : weight[i]));
  return items;
}

// With several outputs an item is the row's number and weight.
inline std::vector<RowItem<std::uint32_t, true>> numbered_items(std::int64_t n_rows,
                                                                std::span<const double> weight) {
  std::vector<RowItem<std::uint32_t, true>> items;
  for (std::uint32_t i = 0; i < n_rows; ++i) items.push_back({i, weight.empty() ? 1.0 : weight[i]});
  return items;
}

// Rounds numbers to a grid so coarse that sums of them are exact, in any order: columns that part a
// node in the same way then score the same to the last bit, and a tie is a tie. The grid is as fine
// as that allows, about 2^-51 of the sum of all sizes.
class Grid {
 public:
  Grid() = default;
  explicit Grid(double sum_of_sizes) {
    // Adding 1.5 * 2^52 steps leaves no bits below a step.
    if (sum_of_sizes > 0.0 && std::isfinite(sum_of_sizes))
      shifter_ = std::ldexp(1.5, std::ilogb(sum_of_sizes) + 2);
  }
  double round(double value) const { return (value + shifter_) - shifter_; }

 private:
  double shifter_ = 0.0;
};

// The grid of n targets whose sizes, times their weights, have a sum. Weights of more than a
// thousand a row are hardly numbers of copies: a grid for exact sums of these would have no room
// for the targets themselves.
inline Grid target_grid(double sum_of_sizes, double weight, std::int64_t n) {
  constexpr double kMostCopies = 1024.0;
  const double excess = weight / (kMostCopies * static_cast<double>(n));
  return Grid(excess > 1.0 ? sum_of_sizes / excess : sum_of_sizes);
}

// num / den > best for positive den, sparing the division where that is clearly false.
inline bool ratio_improves(double num, double den, double best, double& score) {
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  if (num < best * den * (1.0 - kRounding)) return false;
  const double ratio = num / den;
  if (!(ratio > best)) return false;
  score = ratio;
  return true;
}

}  // namespace gramian::tree
