#include "solve/glm/quadratic_l1.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "solve/descent/coordinate_descent_kernel.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kSettled = 3;  // sweeps without a change of signs before the direct solve

double soft_threshold(double x, double by) { return x > by ? x - by : (x < -by ? x + by : 0.0); }

class Descent {
 public:
  Descent(const QuadraticL1& problem, std::span<double> u)
      : problem_(problem),
        n_(static_cast<std::int64_t>(u.size())),
        u_(u),
        q_(problem.g.begin(), problem.g.end()) {}

  // One round over all coordinates; whether a sign has changed.
  bool sweep() {
    bool has_changed = false;
    for (std::int64_t k = 0; k < n_; ++k) {
      const double h = problem_.H[k * n_ + k];
      if (!(h > 0.0)) continue;
      const double before = u_[at(k)];
      const double after = soft_threshold(before - q_[at(k)] / h, problem_.l1[at(k)] / h);
      if (after == before) continue;
      has_changed |= (after > 0.0) != (before > 0.0) || (after < 0.0) != (before < 0.0);
      move(k, after);
    }
    return has_changed;
  }

  double worst() const {
    double size = 0.0;
    for (std::int64_t k = 0; k < n_; ++k)
      if (problem_.H[k * n_ + k] > 0.0)
        size = std::max(size, violation(u_[at(k)], q_[at(k)], problem_.l1[at(k)]));
    return size;
  }

  // The minimiser over the coordinates that are not zero, with their signs held; no further than
  // to the first that reaches zero.
  void solve_support(const Context& ctx) {
    std::vector<std::int64_t> support;
    for (std::int64_t k = 0; k < n_; ++k)
      if (problem_.H[k * n_ + k] > 0.0 && (u_[at(k)] != 0.0 || problem_.l1[at(k)] == 0.0))
        support.push_back(k);
    const auto m = static_cast<std::int64_t>(support.size());
    if (m == 0) return;
    Buffer<double> A(m * m);
    std::vector<double> step(at(m));
    for (std::int64_t a = 0; a < m; ++a) {
      const std::int64_t k = support[at(a)];
      const double sign = u_[at(k)] > 0.0 ? 1.0 : (u_[at(k)] < 0.0 ? -1.0 : 0.0);
      step[at(a)] = -(q_[at(k)] + sign * problem_.l1[at(k)]);
      for (std::int64_t b = 0; b < m; ++b) A[a * m + b] = problem_.H[k * n_ + support[at(b)]];
    }
    ScaledFactor(std::move(A), m, ctx).solve(step);
    double length = 1.0;
    for (std::int64_t a = 0; a < m; ++a) {
      const std::int64_t k = support[at(a)];
      if (problem_.l1[at(k)] > 0.0 && u_[at(k)] * (u_[at(k)] + step[at(a)]) < 0.0)
        length = std::min(length, -u_[at(k)] / step[at(a)]);
    }
    for (std::int64_t a = 0; a < m; ++a) {
      const std::int64_t k = support[at(a)];
      const bool reaches_zero =
          problem_.l1[at(k)] > 0.0 && length < 1.0 && -u_[at(k)] / step[at(a)] == length;
      move(k, reaches_zero ? 0.0 : u_[at(k)] + length * step[at(a)]);
    }
  }

 private:
  void move(std::int64_t k, double to) {
    GRAMIAN_DISPATCH(subtract_column, problem_.H.data() + k * n_, 0.0, u_[at(k)] - to, n_,
                     q_.data());
    u_[at(k)] = to;
  }

  const QuadraticL1& problem_;
  std::int64_t n_;
  std::span<double> u_;
  std::vector<double> q_;  // the derivative of the quadratic at u
};

}  // namespace

double violation(double u, double g, double l1) {
  if (u > 0.0) return std::abs(g + l1);
  if (u < 0.0) return std::abs(g - l1);
  return std::max(std::abs(g) - l1, 0.0);
}

void minimise_quadratic_l1(const QuadraticL1& problem, std::span<double> u, const Context& ctx) {
  Descent descent(problem, u);
  std::int64_t settled = 0;
  for (std::int64_t round = 0; round < problem.max_sweeps; ++round) {
    ctx.check();
    settled = descent.sweep() ? 0 : settled + 1;
    if (descent.worst() <= problem.tol || ctx.expired()) return;
    if (settled < kSettled) continue;
    settled = 0;
    descent.solve_support(ctx);
    if (descent.worst() <= problem.tol) return;
  }
}

}  // namespace gramian::solve
