// Losses of regression that grow linearly or ignore small errors. See squared.hpp for what a loss
// is.
#pragma once

#include <algorithm>
#include <cmath>

namespace gramian::loss {

// e^2 / 2 for an error |e| <= delta, then linear.
struct Huber {
  double delta;

  double value(double p, double y) const {
    const double size = std::abs(p - y);
    const double limited = std::min(size, delta);  // without a branch that no one can predict
    return limited * (size - 0.5 * limited);
  }
  double derivative(double p, double y) const { return std::clamp(p - y, -delta, delta); }
  double curvature(double p, double y) const { return std::abs(p - y) <= delta ? 1.0 : 0.0; }
};

// max(0, |e| - epsilon)
struct EpsilonInsensitive {
  double epsilon;

  double value(double p, double y) const { return std::max(std::abs(y - p) - epsilon, 0.0); }
  double derivative(double p, double y) const {
    if (y - p > epsilon) return -1.0;
    return p - y > epsilon ? 1.0 : 0.0;
  }
  double curvature(double, double) const { return 0.0; }
};

// max(0, |e| - epsilon)^2
struct SquaredEpsilonInsensitive {
  double epsilon;

  double value(double p, double y) const {
    const double excess = std::max(std::abs(y - p) - epsilon, 0.0);
    return excess * excess;
  }
  double derivative(double p, double y) const {
    const double error = p - y;
    if (error > epsilon) return 2.0 * (error - epsilon);
    return error < -epsilon ? 2.0 * (error + epsilon) : 0.0;
  }
  double curvature(double p, double y) const { return std::abs(p - y) > epsilon ? 2.0 : 0.0; }
};

}  // namespace gramian::loss
