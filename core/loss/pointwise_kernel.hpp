// Losses of a block of scores, eight at a time.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

enum class PointwiseLoss { logistic, poisson, gamma, tweedie, squared };

// Scores z, targets y and weights w (null: one each) of n rows. Writes w times the derivative and,
// unless it is null, w times the curvature in z; `derivative` may be z itself.
struct LossBlock {
  const double* z;
  const double* y;
  const double* w;
  std::int64_t n;
  double* derivative;
  double* curvature;
};

// Returns the weighted sum of the losses. `power` is that of the Tweedie loss.
GRAMIAN_DECLARE_KERNEL(double evaluate_losses(PointwiseLoss loss, double power,
                                              const LossBlock& block))

// For tests: out = exp(x), log(x) or log(1 + x).
enum class MathFunction { exp, log, log1p_unit };
GRAMIAN_DECLARE_KERNEL(void apply_math(MathFunction function, const double* x, std::int64_t n,
                                       double* out))

}  // namespace gramian
