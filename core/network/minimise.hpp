// The full-batch fit of a network by L-BFGS.
#pragma once

#include <cstdint>
#include <vector>

#include "network/training.hpp"

namespace gramian::network {

struct MinimiseOptions {
  double alpha = 0.0;
  double tol = 1e-4;  // on the largest entry of the gradient
  std::int64_t max_iter = 200;
  std::int64_t max_evaluations = 15000;
};

enum class MinimiseEnd { gradient, decrease, max_iter, max_evaluations, no_progress, time_limit };

struct Minimised {
  MinimiseEnd end = MinimiseEnd::gradient;
  std::int64_t n_iter = 0;
  std::int64_t n_evaluations = 0;
  Objective objective;
  double gradient_size = 0.0;       // its largest entry
  std::vector<double> losses = {};  // reported ones, after each step
};

// Descends from the network's parameters, and leaves the best there.
template <class T>
Minimised minimise(Training<T>& training, const TrainingRows<T>& rows,
                   const MinimiseOptions& options, const Context& ctx);

}  // namespace gramian::network
