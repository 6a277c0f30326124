// What the values below a node may be, where columns are constrained to be monotone.
#pragma once

#include <cmath>
#include <limits>

namespace gramian::tree {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  bool are_open() const { return std::isinf(lower) && std::isinf(upper); }

  // Whether a left and a right value obey the bounds and rise (sign 1) or fall (-1).
  bool allow(double left, double right, int sign) const {
    return left >= lower && left <= upper && right >= lower && right <= upper &&
           (right - left) * sign >= 0.0;
  }
};

// Values rise (sign 1) or fall (-1) from the left side of a split to the right one: `middle` parts
// them.
inline void part_bounds(Bounds& left, Bounds& right, double middle, int sign) {
  if (sign > 0) left.upper = right.lower = middle;
  if (sign < 0) left.lower = right.upper = middle;
}

}  // namespace gramian::tree
