// The range and a cut of one column of a node, whose values have been gathered; compiled for every
// instruction set level. Of all columns at a time: cuts_kernel.hpp.
#pragma once

#include <cstdint>

#include "simd/level.hpp"
#include "tree/search/cuts_kernel.hpp"

namespace gramian {

namespace tree {

template <class T>
struct Range {
  T lowest, highest;
};

// Of the rows that a cut sends left.
struct LeftSum {
  std::int64_t count = 0;
  double weight = 0.0;
  double sum = 0.0;
};

}  // namespace tree

// Values are by row of the node. NaNs are in no range: that of no value is from infinity to its
// negative.
GRAMIAN_DECLARE_KERNEL(tree::Range<float> column_range(const float* values, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(tree::Range<double> column_range(const double* values, std::int64_t n))

// Sums must be exact: the order in which numbers are added is not that of the rows.
GRAMIAN_DECLARE_KERNEL(tree::LeftSum column_sum(const float* values, const tree::NodeRows& node,
                                                float threshold))
GRAMIAN_DECLARE_KERNEL(tree::LeftSum column_sum(const double* values, const tree::NodeRows& node,
                                                double threshold))

}  // namespace gramian
