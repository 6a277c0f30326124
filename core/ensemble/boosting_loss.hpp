// The losses of gradient boosting: residuals, values, and the best step of a leaf.
//
// Scores are kept by output: score k of row i is at k * n + i. There is one output but for the
// multinomial loss, which has one for each class. Targets of classes are 0, 1, ...
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::ensemble {

enum class LossKind {
  squared_error,   // (y - z)^2 / 2
  absolute_error,  // |y - z|
  huber,           // (y - z)^2 / 2 up to |y - z| = delta, then linear
  quantile,        // alpha (y - z) above, (1 - alpha) (z - y) below
  logistic,        // log(1 + exp(z)) - y z
  multinomial,     // log sum_k exp(z_k) - z_y
  exponential,     // exp(-z) for y = 1, exp(z) for y = 0
};

class BoostingLoss {
 public:
  BoostingLoss(LossKind kind, double alpha, std::int64_t n_outputs)
      : kind_(kind), alpha_(alpha), n_outputs_(n_outputs) {}

  LossKind kind() const { return kind_; }
  std::int64_t n_outputs() const { return n_outputs_; }

  // Huber's delta becomes the quantile alpha of the sizes of the errors.
  void set_delta(std::span<const double> y, std::span<const double> z,
                 std::span<const double> weight);

  // The negative gradients of all outputs.
  void residuals(std::span<const double> y, std::span<const double> z, std::span<double> out,
                 const Context& ctx) const;

  // The weighted mean; `weight` may be empty.
  double mean(std::span<const double> y, std::span<const double> z, std::span<const double> weight,
              const Context& ctx) const;

  // The negative derivative in a score z of output k, where `others` is log sum exp(z_j) of the
  // other outputs of a multinomial loss.
  double residual(double y, double z, std::int64_t k, double others) const;

  // What to add to the scores z of some rows so that the loss falls most; for losses of classes one
  // Newton step towards it. `residual` is that of output k.
  double best_step(std::span<const double> y, std::span<const double> z,
                   std::span<const double> weight, std::span<const double> residual,
                   std::span<const std::uint32_t> rows, std::int64_t k) const;

 private:
  double value(double y, double z) const;
  double newton_step(std::span<const double> y, std::span<const double> weight,
                     std::span<const double> residual, std::span<const std::uint32_t> rows,
                     std::int64_t k) const;
  void multinomial_residuals(std::span<const double> y, std::span<const double> z,
                             std::span<double> out, const Context& ctx) const;
  double mean_multinomial(std::span<const double> y, std::span<const double> z,
                          std::span<const double> weight) const;

  LossKind kind_;
  double alpha_;
  std::int64_t n_outputs_;
  double delta_ = 0.0;
};

}  // namespace gramian::ensemble
