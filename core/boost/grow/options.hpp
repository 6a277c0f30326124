// How a boosted tree grows.
#pragma once

#include <cstdint>
#include <vector>

namespace gramian::boost {

enum class Growth {
  leaf,       // the leaf with the largest gain is split next
  level,      // one level after the other
  symmetric,  // all nodes of a level share one split
};

struct TreeOptions {
  Growth growth = Growth::leaf;
  std::int64_t max_leaves = 0;  // 0: no limit
  std::int64_t max_depth = 0;   // 0: no limit
  std::int64_t min_rows = 1;    // of a leaf
  double min_hessian = 0.0;     // of a leaf
  double min_gain = 0.0;        // of a split, which must be above it
  double l1 = 0.0;              // objective: + l1 |w| + l2 w^2 / 2 for each leaf of value w
  double l2 = 0.0;
  // Symmetric growth: splits by the cosine between gradients and values of leaves, rather than by
  // the gain; and the deviation of what is added at random to the best of each column.
  bool by_cosine = false;
  double noise = 0.0;
  double max_step = 0.0;  // largest size of a leaf's value before the learning rate; 0: any
  double learning_rate = 1.0;
  double columns_by_tree = 1.0;  // shares that are drawn
  double columns_by_level = 1.0;
  double columns_by_node = 1.0;
  std::uint64_t seed = 0;
  std::vector<std::int8_t> monotone;  // by column: 1 rising, -1 falling; may be empty
  // Columns on a path from the root must lie in one of these sets; none: no constraint.
  std::vector<std::vector<std::int32_t>> interaction_sets;
  // Categorical columns: up to so many levels, one against the others; else levels are ordered by
  // gradient / (hessian + smoothing) and cut, with more l2.
  std::int64_t one_hot_levels = 4;
  double level_smoothing = 10.0;
  double level_l2 = 10.0;
  double level_support = 0.0;  // levels of fewer rows in a node stay together, with most levels
  // Ordered levels: most of them that are cut off from either end of the order, 0 for any number;
  // and the rows, at the least, of those by which one cut and the next of an end differ.
  std::int64_t max_levels = 0;
  double level_group = 0.0;
  // Whether levels without rows in a node have a place in the order, that of a gradient of zero,
  // rather than going with the larger part.
  bool orders_absent = false;
};

}  // namespace gramian::boost
