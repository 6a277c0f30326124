// One variable of dual coordinate descent, and the step for it. See dual_descent.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "solve/svm/dual_descent.hpp"

namespace gramian::solve {

// What a step needs of a row, side by side in memory.
struct DualVariable {
  double u;
  double y;
  double lower;
  double upper;
  double curvature;  // d
  double total;      // |(x, s)|^2 + d
};

// How far the derivative g of the smooth part is from what u asks for, and, where u stays, how far
// it is from asking for a change.
struct DualViolation {
  double size = 0.0;
  double slack = 0.0;
};

inline DualViolation violation_of(const DualVariable& v, double g, double dead_zone) {
  const double rising = v.u < 0.0 ? g - dead_zone : g + dead_zone;   // slope to the right
  const double falling = v.u > 0.0 ? g + dead_zone : g - dead_zone;  // slope to the left
  const double up = v.u < v.upper ? std::max(-rising, 0.0) : 0.0;    // gain of a larger u
  const double down = v.u > v.lower ? std::max(falling, 0.0) : 0.0;  // gain of a smaller one
  const double up_slack = v.u < v.upper ? rising : std::numeric_limits<double>::infinity();
  const double down_slack = v.u > v.lower ? -falling : std::numeric_limits<double>::infinity();
  return {std::max(up, down), std::min(up_slack, down_slack)};
}

inline double best_value(const DualVariable& v, double g, double dead_zone) {
  const double z = v.u - g / v.total, by = dead_zone / v.total;
  const double shrunk = z > by ? z - by : (z < -by ? z + by : 0.0);
  return std::clamp(shrunk, v.lower, v.upper);
}

inline constexpr double kLeastCurvature = 1e-12;

// That of row i, which starts at u; `norm` is |(x, s)|^2.
inline DualVariable dual_variable(const DualProblem& problem, std::size_t i, double u,
                                  double norm) {
  const double d = problem.curvature.empty() ? 0.0 : problem.curvature[i];
  return {
      u, problem.y[i], -problem.below[i], problem.above[i], d, std::max(norm + d, kLeastCurvature)};
}

}  // namespace gramian::solve
