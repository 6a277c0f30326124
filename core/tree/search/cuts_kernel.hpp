// Ranges and cuts of all columns of a node at a time, a row's values side by side in vectors;
// compiled for every instruction set level. Of one column: column_cuts_kernel.hpp.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

// Values of a table, row after row. None is missing.
template <class T>
struct RowTable {
  const T* values = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t n_rows = 0;
  std::int64_t n_features = 0;

  // Arrays by column are written in whole vectors of at most 64 bytes, and must have room for them.
  static constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));
  std::int64_t n_vectors() const { return (n_features + kLanes - 1) / kLanes; }
  std::int64_t n_lanes() const { return n_vectors() * kLanes; }
};

// A node's rows and, in their order, what each adds to the side it goes to.
struct NodeRows {
  const std::uint32_t* rows;
  std::int64_t n;
  const double* weights;  // null: all one
  const double* addends;
};

// Of the rows of a node that a cut sends left, by column. Without weights only the counts are set.
struct LeftSums {
  std::int32_t* counts;
  double* weights;
  double* sums;
};

// What the score of squared errors needs of a node whose rows all count alike.
struct MomentNode {
  std::int64_t n;
  double weight, sum;
  std::int64_t min_samples_leaf;
};

}  // namespace tree

// The smallest and largest value of every column.
GRAMIAN_DECLARE_KERNEL(void row_ranges(const tree::RowTable<float>& table,
                                       const tree::NodeRows& node, float* lowest, float* highest))
GRAMIAN_DECLARE_KERNEL(void row_ranges(const tree::RowTable<double>& table,
                                       const tree::NodeRows& node, double* lowest, double* highest))

// The thresholds of cuts at given places of the columns' ranges (see drawn_threshold); those of
// columns without a place, which is NaN, are NaN. `compared`: the largest T not above each.
GRAMIAN_DECLARE_KERNEL(void row_thresholds(const tree::RowTable<float>& table, const float* lowest,
                                           const float* highest, const double* places,
                                           double* thresholds, float* compared))
GRAMIAN_DECLARE_KERNEL(void row_thresholds(const tree::RowTable<double>& table,
                                           const double* lowest, const double* highest,
                                           const double* places, double* thresholds,
                                           double* compared))

// The score of the cut of each of n_columns columns by SquaredError::improves, or negative infinity
// where a side is too small; returns the highest.
GRAMIAN_DECLARE_KERNEL(double score_cuts(const tree::MomentNode& node, const tree::LeftSums& left,
                                         bool has_weights, std::int64_t n_columns, double* scores))

// A value goes left if it is not above its column's threshold. Each column has a lane of its own,
// in which its numbers are added row after row: the sums are the same bits as those of a plain
// loop.
GRAMIAN_DECLARE_KERNEL(void row_sums(const tree::RowTable<float>& table, const tree::NodeRows& node,
                                     const float* thresholds, const tree::LeftSums& left))
GRAMIAN_DECLARE_KERNEL(void row_sums(const tree::RowTable<double>& table,
                                     const tree::NodeRows& node, const double* thresholds,
                                     const tree::LeftSums& left))

}  // namespace gramian
