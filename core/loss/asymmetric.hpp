// Losses whose best constant is a median, a quantile or an expectile. See squared.hpp for what a
// loss is.
//
// Both sides are computed before one is chosen: the compiler then blends several rows at a time
// instead of branching on signs that no one can predict.
#pragma once

#include <algorithm>
#include <cmath>

namespace gramian::loss {

// |p - y|. Where p = y any slope from -1 to 1 is a subgradient; `at_kink` is the one taken.
struct Absolute {
  double at_kink = 0.0;

  double value(double p, double y) const { return std::abs(p - y); }
  double derivative(double p, double y) const { return p > y ? 1.0 : p < y ? -1.0 : at_kink; }
  double curvature(double, double) const { return 0.0; }
};

// level (y - p) where p is too low, (1 - level) (p - y) where it is too high; at the kink from
// -level to 1 - level.
struct Pinball {
  double level;
  double at_kink = 0.0;

  double value(double p, double y) const {
    return std::max(level * (y - p), (1.0 - level) * (p - y));
  }
  double derivative(double p, double y) const {
    const double too_low = -level, too_high = 1.0 - level;
    return p > y ? too_high : p < y ? too_low : at_kink;
  }
  double curvature(double, double) const { return 0.0; }
};

// |level - 1{y < p}| (p - y)^2
struct Expectile {
  double level;

  double value(double p, double y) const { return side(p, y) * (p - y) * (p - y); }
  double derivative(double p, double y) const { return 2.0 * side(p, y) * (p - y); }
  double curvature(double p, double y) const { return 2.0 * side(p, y); }

 private:
  double side(double p, double y) const {
    const double too_high = 1.0 - level;
    return y < p ? too_high : level;
  }
};

}  // namespace gramian::loss
