// Losses of a block of scores, eight at a time.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

enum class PointwiseLoss {
  logistic,
  poisson,
  gamma,
  tweedie,
  tweedie_identity,
  squared,
  squared_hinge,                // of classes y = -1 and 1
  squared_epsilon_insensitive,  // `power` is epsilon
};

// Scores z, targets y and weights w (null: one each) of n rows. Writes, each unless it is null, w
// times the derivative and w times the curvature in z, or with `expected` its mean over y for the
// losses whose curvature may be negative; `derivative` may be z itself.
struct LossBlock {
  const double* z;
  const double* y;
  const double* w;
  std::int64_t n;
  double* derivative;
  double* curvature;
  bool expected = false;
};

// Whether the curvature is never negative, for the targets that the loss allows.
inline bool is_convex(PointwiseLoss loss, double power) {
  if (loss == PointwiseLoss::tweedie) return power >= 1.0 && power <= 2.0;
  if (loss == PointwiseLoss::tweedie_identity) return power >= 0.0 && power <= 1.0;
  return true;
}

// Whether the loss is quadratic wherever its derivative is not zero: one of margins, not of means.
inline bool is_squared_excess(PointwiseLoss loss) {
  return loss == PointwiseLoss::squared_hinge || loss == PointwiseLoss::squared_epsilon_insensitive;
}

// Returns the weighted sum of the losses; scores that are no mean count as 1e300. `power` is that
// of the Tweedie losses.
GRAMIAN_DECLARE_KERNEL(double evaluate_losses(PointwiseLoss loss, double power,
                                              const LossBlock& block))

// The same without the losses, which spares their logarithms.
GRAMIAN_DECLARE_KERNEL(void differentiate_losses(PointwiseLoss loss, double power,
                                                 const LossBlock& block))

// For tests: out = exp(x), log(x) or log(1 + x).
enum class MathFunction { exp, log, log1p_unit };
GRAMIAN_DECLARE_KERNEL(void apply_math(MathFunction function, const double* x, std::int64_t n,
                                       double* out))

}  // namespace gramian
