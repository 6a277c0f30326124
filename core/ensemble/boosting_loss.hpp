// What gradient boosting makes of the losses of loss/objective.hpp: residuals, means, and the best
// step of a leaf.
//
// Scores are kept by output: score k of row i is at k * n + i. There is one output but for softmax,
// which has one for each class. Targets of classes are 0, 1, ...
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "loss/objective.hpp"

namespace gramian::ensemble {

class BoostingLoss {
 public:
  // `alpha`: the quantile of `pinball`, or for `huber` that of the sizes of the errors where it
  // becomes linear.
  BoostingLoss(loss::Kind kind, double alpha, std::int64_t n_outputs)
      : objective_{kind, alpha, n_outputs, loss::Kink::from_below}, alpha_(alpha) {}

  loss::Kind kind() const { return objective_.kind; }
  std::int64_t n_outputs() const { return objective_.n_groups; }

  // Huber's delta becomes the quantile alpha of the sizes of the errors.
  void set_delta(std::span<const double> y, std::span<const double> z,
                 std::span<const double> weight);

  // The negative gradients of all outputs.
  void residuals(std::span<const double> y, std::span<const double> z, std::span<double> out,
                 const Context& ctx) const;

  // The weighted mean; `weight` may be empty.
  double mean(std::span<const double> y, std::span<const double> z, std::span<const double> weight,
              const Context& ctx) const;

  // Calls function(derivative), where derivative(row, z, y) is that in a score z of output k.
  // `others` has log sum exp(z_j) of the other outputs of softmax for each row, else nothing.
  template <class Function>
  auto with_derivative(std::int64_t k, std::span<const double> others,
                       const Function& function) const {
    if (kind() == loss::Kind::softmax)
      return function([=](std::uint32_t row, double z, double y) {
        const double is_own = y == static_cast<double>(k) ? 1.0 : 0.0;
        return loss::Logistic::derivative(z - others[row], is_own);
      });
    return loss::with_loss(objective_, [&](const auto& loss) {
      return function([&](std::uint32_t, double z, double y) { return loss.derivative(z, y); });
    });
  }

  // What to add to the scores z of some rows so that the loss falls most; for losses of classes one
  // Newton step towards it. `residual` is that of output k.
  double best_step(std::span<const double> y, std::span<const double> z,
                   std::span<const double> weight, std::span<const double> residual,
                   std::span<const std::uint32_t> rows, std::int64_t k) const;

 private:
  double newton_step(std::span<const double> y, std::span<const double> weight,
                     std::span<const double> residual, std::span<const std::uint32_t> rows,
                     std::int64_t k) const;
  double huber_step(std::span<const double> y, std::span<const double> z,
                    std::span<const double> weight, std::span<const std::uint32_t> rows,
                    double median) const;

  loss::Objective objective_;
  double alpha_;
};

}  // namespace gramian::ensemble
