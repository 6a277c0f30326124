// Linear support vector machines:
//   minimise over v, b  R(v) + R(b / s) + sum_i c_i loss(b + x_i' v, y_i),
// R(v) = |v|^2 / 2 or |v|_1. As with a column of s beside the others, the intercept b is s times a
// coefficient that is penalised too.
//
// Four ways lead to the optimum. Newton's method (glm.hpp) for squared losses, with proximal steps
// (sparse_glm.hpp) for the L1 penalty; an interior-point method (pinball.hpp) for losses that are
// not squared and few columns; and for many columns dual coordinate descent (dual_descent.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

enum class SvmLoss { hinge, squared_hinge, epsilon_insensitive, squared_epsilon_insensitive };
enum class SvmSolver { newton, proximal_newton, interior_point, dual_descent };
// Which ways are allowed; `any` takes the fastest.
enum class SvmSide { any, primal, dual };

struct LinearSvmProblem {
  SvmLoss loss = SvmLoss::squared_hinge;
  double epsilon = 0.0;
  bool is_l1 = false;              // with the squared hinge only
  double intercept_scaling = 1.0;  // s; zero without an intercept
  std::span<const double> y;       // targets, or the positions of classes
  std::span<const double> cost;    // c_i, before the factors of the classes
  // k x 2 factors of the costs of the other classes and of the machine's class. With one machine
  // that is class 1, else machine k separates class k from the others. Empty for regression.
  MatrixView<const double> class_factor;
};

struct LinearSvmOptions {
  SvmSide side = SvmSide::any;
  double tol = 1e-4;  // on the gap between both objectives, relative to the objective
  std::int64_t max_iter = 1000;
  std::uint64_t seed = 0;
};

struct LinearSvmFit {
  double objective = 0.0;
  double bound = 0.0;  // proven: the optimum is no lower
  std::int64_t n_iter = 0;
  SvmSolver solver = SvmSolver::newton;
  bool converged = false;
  bool is_finite = true;
};

// Fits the machines side by side; `params` (k x (p + 1), the intercept last) receives the
// solutions. Data: MatrixView<const T>, or CsrView<T, Index> whose rows name no column twice.
std::vector<LinearSvmFit> fit_linear_svm(const AnyMatrix& X, const LinearSvmProblem& problem,
                                         const LinearSvmOptions& options, std::span<double> params,
                                         const Context& ctx);

}  // namespace gramian::solve
