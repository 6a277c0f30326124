// Half the deviance of the exponential family, with the mean exp(z) of a score z, or z itself, and
// up to what does not depend on z. Tweedie's power p is that of the variance: mean^p. `expected` is
// the mean of the curvature over y, which is positive also where the curvature is not.
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
  double expected(double prediction) const { return std::exp((2.0 - power) * prediction); }
};

// z^(2 - p) / (2 - p) - y z^(1 - p) / (1 - p), where the mean is the score z > 0; for p = 1 and 2
// the limits z - y log z and log z + y / z. Power 0 is the squared loss, whose z has no bound.
struct TweedieIdentity {
  double power;

  double value(double prediction, double y) const {
    const double first =
        power == 2.0 ? std::log(prediction) : std::pow(prediction, 2.0 - power) / (2.0 - power);
    const double second =
        power == 1.0 ? std::log(prediction) : std::pow(prediction, 1.0 - power) / (1.0 - power);
    return first - y * second;
  }
  double derivative(double prediction, double y) const {
    return (prediction - y) * std::pow(prediction, -power);
  }
  double curvature(double prediction, double y) const {
    return (1.0 - power + power * y / prediction) * std::pow(prediction, -power);
  }
  double expected(double prediction) const { return std::pow(prediction, -power); }
};

}  // namespace gramian::loss
