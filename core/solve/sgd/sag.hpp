// Stochastic average gradient: SAG (Schmidt, Le Roux and Bach, "Minimizing finite sums with the
// stochastic average gradient", 2017) and SAGA (Defazio, Bach and Lacoste-Julien, 2014).
//
// With centred rows z_i = x_i - mean_x and targets y_ic - mean_y_c, for every target c:
//   minimise over v  (1 / n) sum_i w_i loss(z_i' v, y_i) + (alpha_c / 2 n) |v|^2.
// For the squared loss this is  sum_i w_i (y_i - z_i' v)^2 + alpha_c |v|^2  divided by 2 n.
//
// One step draws a row and replaces its remembered derivative: O(p) for a dense row, O(entries) for
// a sparse one, which is never made dense. An epoch is as many steps as there are rows with a
// weight; the others are left out. A target draws from a random stream of its own, so that any
// number of threads gives the same bits.
//
// Memory: 40 n bytes per running target, and a copy of a dense X whose rows are not contiguous:
// reading them in random order would cost a cache line for every entry.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

struct SagProblem {
  MatrixView<const double> Y;      // n x t
  std::span<const double> weight;  // empty means one for every row
  std::span<const double> alpha;   // t
  std::span<const double> mean_x;  // p
  std::span<const double> mean_y;  // t
};

struct SagOptions {
  double tol;             // stop when an epoch changes v by no more than this share of max |v_j|
  std::int64_t max_iter;  // epochs
  bool is_saga;
};

// Writes coef (p x t) and the epochs of every target (n_iter, t). Returns whether all targets met
// the tolerance; if not, because of max_iter or the time limit, coef is what was reached.
// The rows of a sparse X name no column twice.
bool sag(const AnyMatrix& X, const SagProblem& problem, const SagOptions& options,
         const MatrixView<double>& coef, std::span<std::int64_t> n_iter, const Context& ctx);

}  // namespace gramian::solve
