// Half the deviance of the exponential family, with the mean exp(z) of a score z and up to what
// does not depend on z. Tweedie's power p is that of the variance: mean^p.
#pragma once

#include <cmath>

namespace gramian::loss {

// exp(z) - y z; the variance is the mean.
struct Poisson {
  double value(double prediction, double y) const { return std::exp(prediction) - y * prediction; }
  double derivative(double prediction, double y) const { return std::exp(prediction) - y; }
  double curvature(double prediction, double) const { return std::exp(prediction); }
};

// z + y exp(-z); the variance is the square of the mean.
struct Gamma {
  double value(double prediction, double y) const { return prediction + y * std::exp(-prediction); }
  double derivative(double prediction, double y) const { return 1.0 - y * std::exp(-prediction); }
  double curvature(double prediction, double y) const { return y * std::exp(-prediction); }
};

// exp((2 - p) z) / (2 - p) - y exp((1 - p) z) / (1 - p), p neither 1 nor 2.
struct Tweedie {
  double power;

  double value(double prediction, double y) const {
    return std::exp((2.0 - power) * prediction) / (2.0 - power) -
           y * std::exp((1.0 - power) * prediction) / (1.0 - power);
  }
  double derivative(double prediction, double y) const {
    return std::exp((2.0 - power) * prediction) - y * std::exp((1.0 - power) * prediction);
  }
  double curvature(double prediction, double y) const {
    return (2.0 - power) * std::exp((2.0 - power) * prediction) -
           (1.0 - power) * y * std::exp((1.0 - power) * prediction);
  }
};

}  // namespace gramian::loss
