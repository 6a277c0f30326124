// Losses of boosting: gradients and hessians of all rows, from the scores of the trees so far.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::boost {

enum class Loss {
  squared,
  absolute,
  huber,      // parameter: where it becomes linear
  quantile,   // parameter: the quantile
  expectile,  // parameter: the expectile
  logistic,
  poisson,
  gamma,
  tweedie,  // parameter: the power of the variance, between 1 and 2
  softmax,
};

// Whether every hessian is one.
bool has_unit_hessian(Loss loss);

struct Objective {
  Loss loss = Loss::squared;
  double parameter = 0.0;
  std::int64_t n_groups = 1;  // scores of a row: classes of softmax, else 1

  // All arrays have n entries for each group, one group after the other; `y` has n: class numbers
  // for softmax, 0 or 1 for logistic. `hessian` may be empty where all are one.
  void differentiate(std::span<const double> y, std::span<const double> scores,
                     std::span<float> gradient, std::span<float> hessian, const Context& ctx) const;

  // The mean loss, with weights if there are any.
  double mean_loss(std::span<const double> y, std::span<const double> weight,
                   std::span<const double> scores, const Context& ctx) const;
};

}  // namespace gramian::boost
