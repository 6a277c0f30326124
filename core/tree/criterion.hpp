// What every criterion offers to the split search.
//
// A criterion is told which rows a node has (enter), and is then asked how good a cut is while rows
// move, one after the other, from the right side to the left:
//
//   begin();                 all rows are on the right
//   move(handle);            one row goes left
//   score();                 the larger the better, comparable between all cuts of the node
//
// Criteria that need more than sums (needs_order) are first shown the whole sequence of rows by
// order(n, handle_at).
//
// A handle numbers the rows in the arrays of Payload. The gain of a cut is
// (score() - node_score()) / total weight of the tree: the decrease of the impurity, weighted by
// the share of the node. A criterion whose inner nodes cannot be derived from the leaves says
// keeps_nodes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace gramian::tree {

struct Payload {
  const std::int32_t* labels = nullptr;  // handle x n_outputs
  const double* values = nullptr;        // handle x n_outputs
  const double* weight = nullptr;        // null: all weights are one

  double weight_of(std::uint32_t handle) const { return weight == nullptr ? 1.0 : weight[handle]; }
};

// What the values below a node may be, where columns are constrained to be monotone.
struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  // Whether a left and a right value obey the bounds and rise (sign 1) or fall (-1).
  bool allow(double left, double right, int sign) const {
    return left >= lower && left <= upper && right >= lower && right <= upper &&
           (right - left) * sign >= 0.0;
  }
};

}  // namespace gramian::tree
