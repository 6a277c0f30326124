// Dual coordinate descent for linear support vector machines (Hsieh, Chang, Lin, Keerthi and
// Sundararajan 2008; Ho and Lin 2012):
//   minimise over u  |sum_i u_i (x_i, s)|^2 / 2 + sum_i (d_i u_i^2 / 2 - y_i u_i + e |u_i|),
//   -c_i <= u_i <= a_i,
// the dual of the losses of pinball.hpp with a quadratic penalty, where the intercept is s times
// the coefficient of a column of s. A squared loss of weight c has d = 1 / (2 c) and no bound.
//
// One step minimises over one u, in O(entries of the row). Rows come in a random order, a new one
// in each epoch, and rows whose u will stay at a bound are left out on the way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

struct DualProblem {
  std::span<const double> y;
  std::span<const double> above;      // a >= 0
  std::span<const double> below;      // c >= 0; rows with a = c = 0 are left out
  std::span<const double> curvature;  // d; empty means zero
  double dead_zone = 0.0;             // e
  double intercept_scaling = 1.0;     // s; zero without an intercept
};

struct DualOptions {
  double tol = 1e-4;  // on the largest violation of the optimality conditions
  std::int64_t max_iter = 1000;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // tells apart the machines of one fit
};

struct DualResult {
  std::int64_t n_iter = 0;  // epochs
  double violation = 0.0;
  bool converged = false;
};

// `dual`, u above, is the start and receives the solution; `params` receives the coefficients and
// the intercept that belong to it. The rows of a dense X are contiguous.
DualResult dual_descent(const AnyMatrix& X, const DualProblem& problem, const DualOptions& options,
                        std::span<double> dual, std::span<double> params, const Context& ctx);

// Machines of classes against the rest have the same rows: up to eight of them, in the lanes of a
// vector, read each row once. Each machine leaves out rows of its own and stops on its own.
inline constexpr std::int64_t kDualLanes = 8;

struct DualLane {
  DualProblem problem;     // all lanes have the same intercept_scaling
  std::span<double> dual;  // starts at zero
  std::span<double> params;
};

std::vector<DualResult> dual_descent_in_lanes(const AnyMatrix& X, std::span<const DualLane> lanes,
                                              const DualOptions& options, const Context& ctx);

}  // namespace gramian::solve
