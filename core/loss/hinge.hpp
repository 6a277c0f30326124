// Losses of the margin z = y p of a class y = -1 or 1. See squared.hpp for what a loss is.
#pragma once

namespace gramian::loss {

// max(0, threshold - z): threshold 1 is the support vector machine's, 0 the perceptron's. At the
// kink the derivative is that of the rising side, so that a perceptron starts from zero.
struct Hinge {
  double threshold = 1.0;

  double value(double p, double y) const {
    const double z = p * y;
    return z <= threshold ? threshold - z : 0.0;
  }
  double derivative(double p, double y) const { return p * y <= threshold ? -y : 0.0; }
  double curvature(double, double) const { return 0.0; }
};

// max(0, 1 - z)^2
struct SquaredHinge {
  static double value(double p, double y) {
    const double slack = 1.0 - p * y;
    return slack > 0.0 ? slack * slack : 0.0;
  }
  static double derivative(double p, double y) {
    const double slack = 1.0 - p * y;
    return slack > 0.0 ? -2.0 * y * slack : 0.0;
  }
  static double curvature(double p, double y) { return 1.0 - p * y > 0.0 ? 2.0 : 0.0; }
};

// The squared hinge, continued by its tangent from z = -1 on.
struct ModifiedHuber {
  static double value(double p, double y) {
    const double z = p * y;
    if (z >= 1.0) return 0.0;
    return z >= -1.0 ? (1.0 - z) * (1.0 - z) : -4.0 * z;
  }
  static double derivative(double p, double y) {
    const double z = p * y;
    if (z >= 1.0) return 0.0;
    return z >= -1.0 ? -2.0 * (1.0 - z) * y : -4.0 * y;
  }
  static double curvature(double p, double y) {
    const double z = p * y;
    return z < 1.0 && z >= -1.0 ? 2.0 : 0.0;
  }
};

}  // namespace gramian::loss
