// Logistic loss of a score z for a target y between 0 and 1:
//   log(1 + exp(z)) - y z.
#pragma once

#include <algorithm>
#include <cmath>

namespace gramian::loss {

struct Logistic {
  static constexpr double kCurvature = 0.25;  // the largest there is

  static double value(double prediction, double y) {
    return std::log1p(std::exp(-std::abs(prediction))) +
           (std::max(prediction, 0.0) - y * prediction);
  }
  static double derivative(double prediction, double y) {
    const double e = std::exp(-std::abs(prediction));
    const double tail = e / (1.0 + e);  // the smaller of the two probabilities
    return prediction < 0.0 ? tail - y : (1.0 - y) - tail;
  }
  static double curvature(double prediction, double) {
    const double e = std::exp(-std::abs(prediction));
    return e / ((1.0 + e) * (1.0 + e));
  }
};

}  // namespace gramian::loss
