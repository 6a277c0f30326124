// The squared loss of regression.
//
// A pointwise loss is a type with the value at a prediction p for the target y, and its first and
// second derivative in p.
#pragma once

namespace gramian::loss {

// (p - y)^2 / 2
struct Squared {
  static constexpr double kMaxCurvature = 1.0;

  static double value(double p, double y) { return 0.5 * (p - y) * (p - y); }
  static double derivative(double p, double y) { return p - y; }
  static double curvature(double, double) { return 1.0; }
};

}  // namespace gramian::loss
