// Growing an oblivious tree: the nodes of a depth all ask for the same.
//
// The condition of a depth is the one that serves all of its nodes together best. What is summed
// over rows are whole numbers below 2^53, so that sums are exact and the tree is the same for any
// order of the rows and any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {

struct ObliviousTask {
  Features X;  // compared in its own precision
  std::span<const std::int32_t> n_levels;
  Target target;                   // of one output
  std::span<const double> sums;    // regression: what stands for weight times value, whole numbers
  std::span<const double> weight;  // whole numbers, positive; empty: all one
  CriterionKind criterion;         // gini, entropy, squared_error or poisson
  std::int64_t max_depth;
  std::int64_t min_samples_leaf;
  double min_decrease;
  std::int64_t max_bins;
  double unit;  // what the mean impurity falls by if the score of the leaves rises by one
};

// One entry for each depth, but for `leaf`.
struct ObliviousConditions {
  std::vector<std::int64_t> feature;
  std::vector<double> threshold;           // NaN for levels
  std::vector<std::int64_t> level;         // -1 for numbers
  std::vector<std::int64_t> missing_side;  // 0: a missing value meets the condition
  std::vector<double> decrease;            // of the mean impurity
  std::vector<std::int64_t> leaf;  // of each row: its answers as bits, 0 where a condition holds
};

ObliviousConditions grow_oblivious(const ObliviousTask& task, const Context& ctx);

}  // namespace gramian::tree
