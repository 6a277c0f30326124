// Isotonic regression by pool-adjacent-violators (Best and Chakravarti, "Active set algorithms for
// isotonic regression", 1990):
//   minimise over f_1 <= f_2 <= ... <= f_n  sum_i w_i (y_i - f_i)^2,  or f_1 >= ... >= f_n.
//
// A stack of blocks with rising means; a new value that does not exceed the last block's mean is
// pooled with it, and so on down the stack. O(n) time: every pooling removes a block. A block
// keeps the sums of w and of w y, not a running mean, so that whole numbers are summed exactly.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::solve {

// out = the fit to y in the given order; may be y itself. Weights are positive; none means ones.
template <class T>
void isotonic_values(std::span<const T> y, std::span<const double> weight, bool is_increasing,
                     std::span<T> out, const Context& ctx);

// The points (x, y) to be fitted, in any order.
template <class T>
struct IsotonicPoints {
  std::span<const T> x;
  std::span<const T> y;
  std::span<const double> weight;  // positive; empty means one for every point
};

struct IsotonicOptions {
  bool is_increasing;
  double y_min;  // the fit is clipped to [y_min, y_max]
  double y_max;
  double x_tolerance;  // points less than this above the first of a group share its place
};

// The corners of the fitted function of x: both ends and each point at which it leaves or reaches a
// constant stretch. Points at one place count as their weighted mean. x_out and y_out have room
// for one entry per point; returns how many there are.
//
// O(n) after a radix sort; scratch of 32 bytes a point in double, 48 with weights. The result does
// not depend on the order of the points.
template <class T>
std::int64_t isotonic_corners(const IsotonicPoints<T>& points, const IsotonicOptions& options,
                              std::span<T> x_out, std::span<T> y_out, const Context& ctx);

}  // namespace gramian::solve
