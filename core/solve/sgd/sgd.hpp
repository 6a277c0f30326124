// Stochastic gradient descent for linear models: any loss of core/loss, with an L1 and an L2
// penalty. For every target, with the rows i = 1 .. n that are trained on,
//   minimise over v, b  (1 / n) sum_i w_i loss(x_i' v + b, y_i) + alpha (r |v|_1 + (1 - r) |v|^2 /
//   2).
//
// One step moves along the gradient at one row (or at a batch of rows): O(entries of the row), also
// with penalties and averaging; sparse rows are never made dense. A target has a random stream of
// its own, so that any number of threads gives the same bits.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

enum class SgdLoss {
  hinge,
  squared_hinge,
  modified_huber,
  log_loss,
  squared_error,
  huber,
  epsilon_insensitive,
  squared_epsilon_insensitive,
};

enum class SgdPenalty { none, l1, l2, elastic_net };

// The length eta of step t = 1, 2, ...: eta0; 1 / (alpha (t0 + t - 1)); eta0 / t^power_t; eta0, a
// fifth of it whenever the objective stops falling. The passive-aggressive steps of Crammer et al.
// (2006) are just long enough for the row's loss, but at most eta0 (pa1), or damped by it (pa2).
enum class SgdRate { constant, optimal, invscaling, adaptive, pa1, pa2 };

struct SgdOptions {
  SgdLoss loss = SgdLoss::hinge;
  double loss_parameter = 1.0;  // threshold of the hinge, width of the robust losses
  SgdPenalty penalty = SgdPenalty::l2;
  double alpha = 1e-4;
  double l1_ratio = 0.15;  // r above, of the elastic net
  SgdRate rate = SgdRate::optimal;
  double eta0 = 0.01;
  double power_t = 0.5;
  double t = 1.0;                // number of the first step
  double intercept_decay = 1.0;  // of the intercept's steps
  std::int64_t average = 0;      // first step whose weights are averaged; 0: none
  std::int64_t batch_size = 1;   // rows of a step
  std::int64_t max_iter = 1000;  // epochs
  double tol = -std::numeric_limits<double>::infinity();  // least gain; -infinity: run max_iter
  std::int64_t n_iter_no_change = 5;                      // epochs without it that end the descent
  bool fit_intercept = true;
  bool shuffle = true;
  bool early_stopping = false;  // judge by the score of the validation rows
  bool is_one_class = false;    // add alpha b to the objective
  bool reports = false;         // keep a report of every epoch
};

struct SgdProblem {
  std::span<const double> y;                    // n: targets, or the positions of classes
  std::span<const double> weight;               // n; empty means one for every row
  std::span<const std::uint8_t> is_validation;  // n: rows to leave out; empty means none
  bool is_classification = false;
  // t x 2 weights of the other classes and of the target's class. With one target that is class 1,
  // else target k separates class k from the others.
  MatrixView<const double> class_weight;
};

// In: where to start. Out: where the descent ended.
struct SgdState {
  MatrixView<double> coef;  // t x p
  std::span<double> intercept;
  MatrixView<double> average_coef;  // t x p, used if averaging
  std::span<double> average_intercept;
};

enum class SgdEnd { max_iter, tolerance, not_finite, time_limit };

struct SgdReport {
  double norm;
  std::int64_t n_nonzero;
  double intercept;
  std::int64_t n_steps;
  double loss;       // mean over the epoch's rows
  double objective;  // the same with the penalty
  double score;      // of the validation rows; NaN if there are none
};

struct SgdOutcome {
  std::int64_t n_iter = 0;
  SgdEnd end = SgdEnd::max_iter;
  std::vector<SgdReport> reports;
};

// Runs the descent of every target; seeds[k] starts the shuffling of target k.
// The rows of a dense X are contiguous.
std::vector<SgdOutcome> sgd(const AnyMatrix& X, const SgdProblem& problem,
                            const SgdOptions& options, std::span<const std::uint32_t> seeds,
                            const SgdState& state, const Context& ctx);

struct SgdPoint {
  MatrixView<const double> coef;  // t x p
  std::span<const double> intercept;
};

// Of every target, over the rows that are trained on.
struct SgdGradient {
  std::span<double> loss;       // the mean weighted loss, without the penalty
  std::span<double> norms;      // the mean norm of the rows' weighted gradients
  MatrixView<double> coef;      // t x p: the mean of those gradients
  std::span<double> intercept;  // the same for the intercepts
};

void sgd_gradient(const AnyMatrix& X, const SgdProblem& problem, const SgdOptions& options,
                  const SgdPoint& point, const SgdGradient& out, const Context& ctx);

}  // namespace gramian::solve
