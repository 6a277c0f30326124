// The exponential loss of AdaBoost, of a score z for a class y = 0 or 1: exp(-z) or exp(z). See
// squared.hpp for what a loss is.
#pragma once

#include <cmath>

namespace gramian::loss {

struct Exponential {
  static double value(double z, double y) { return y * std::exp(-z) + (1.0 - y) * std::exp(z); }
  static double derivative(double z, double y) {
    return (1.0 - y) * std::exp(z) - y * std::exp(-z);
  }
  static double curvature(double z, double y) { return value(z, y); }
};

}  // namespace gramian::loss
