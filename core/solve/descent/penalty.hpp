// The penalty of coordinate descent, and how far coefficients are from its optimum.
//
//   P(V) = 1/2 sum_c <r_c, r_c> + l1 sum_j |v_j| + l2/2 sum_j |v_j|^2,   r = y - X V,
// where |v_j| is the Euclidean norm of row j over the targets (its absolute value for one target).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gramian::solve {

struct Penalty {
  double l1;
  double l2;
  bool is_positive = false;  // only coefficients >= 0; one target only
};

// Coefficients and slopes <x_j, r_c> of `count` columns; entry (j, c) at [c * stride + j].
struct Point {
  const double* coef;
  const double* slope;
  std::int64_t count;
  std::int64_t stride;
  std::int64_t n_targets;
  double rr;  // sum_c <r_c, r_c>
  double ry;  // sum_c <r_c, y_c>
};

struct Bounds {
  double primal;
  double gap;         // primal minus the better of two dual values; see below
  double scale;       // that makes the residuals dual feasible
  double sphere_gap;  // primal minus the dual value of the scaled residuals
};

// What the slope may not exceed at the optimum: |<x_j, r> - l2 v_j| <= l1.
inline double excess_slope(const Penalty& penalty, const Point& at, std::int64_t j, double l2) {
  if (at.n_targets == 1) {
    const double v = at.slope[j] - l2 * at.coef[j];
    return penalty.is_positive ? v : std::abs(v);
  }
  double square = 0.0;
  for (std::int64_t c = 0; c < at.n_targets; ++c) {
    const double v = at.slope[c * at.stride + j] - l2 * at.coef[c * at.stride + j];
    square += v * v;
  }
  return std::sqrt(square);
}

// Two dual points come from the residuals. Scaled by s = min(1, l1 / max_j |<x_j, r> - l2 v_j|)
// they give  s ry - s^2/2 (rr + l2 |V|^2);  unscaled, for l2 > 0, they give
// ry - rr/2 - sum_j max(|<x_j, r>| - l1, 0)^2 / (2 l2).  Without any penalty there is no dual
// bound; the squared gradient stands for the gap then.
inline Bounds bounds(const Penalty& penalty, const Point& at) {
  double l1_norm = 0.0, l2_norm = 0.0, dual_norm = 0.0, beyond = 0.0, gradient = 0.0;
  for (std::int64_t j = 0; j < at.count; ++j) {
    double square = 0.0;
    for (std::int64_t c = 0; c < at.n_targets; ++c) {
      const double v = at.coef[c * at.stride + j];
      square += v * v;
    }
    l1_norm += at.n_targets == 1 ? std::abs(at.coef[j]) : std::sqrt(square);
    l2_norm += square;
    dual_norm = std::max(dual_norm, excess_slope(penalty, at, j, penalty.l2));
    const double over = std::max(excess_slope(penalty, at, j, 0.0) - penalty.l1, 0.0);
    beyond += over * over;
    const bool is_free = !penalty.is_positive || at.coef[j] > 0.0;
    const double slope = excess_slope(penalty, at, j, 0.0);
    gradient += is_free || slope > 0.0 ? slope * slope : 0.0;
  }
  Bounds out{};
  out.primal = 0.5 * (at.rr + penalty.l2 * l2_norm) + penalty.l1 * l1_norm;
  out.scale = dual_norm > penalty.l1 ? penalty.l1 / dual_norm : 1.0;
  const double dual =
      out.scale * at.ry - 0.5 * out.scale * out.scale * (at.rr + penalty.l2 * l2_norm);
  out.sphere_gap = out.gap = out.primal - dual;
  if (penalty.l2 > 0.0)
    out.gap = std::min(out.gap, out.primal - (at.ry - 0.5 * at.rr - beyond / (2.0 * penalty.l2)));
  else if (penalty.l1 == 0.0)
    out.gap = out.sphere_gap = gradient;
  return out;
}

}  // namespace gramian::solve
