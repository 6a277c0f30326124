// Losses of a network's outputs, and their derivatives.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace network {

enum class Loss {
  log_loss,       // of probabilities; the derivative is that in the score of a logistic output;
                  // the parameter is the share of a row's weight that is spread over all classes
  squared_error,  // half of it
  huber,          // the parameter is the error from which on it is linear
  quantile,       // the parameter is the quantile's level
  poisson,        // half of the deviance, derivatives in the logarithm of the prediction
  gamma,          // the same
};

// Whether the derivative is taken in the score, not in the prediction.
inline bool is_of_scores(Loss loss) {
  return loss == Loss::log_loss || loss == Loss::poisson || loss == Loss::gamma;
}

}  // namespace network

// Predictions and targets of n outputs; n is rounded up to whole multiples of 16, and so much
// memory is there. Writes the losses, and unless it is null the derivatives.
template <class T>
struct OutputLosses {
  const T* predictions;
  const T* targets;
  std::int64_t n;
  T* derivatives;
  double* losses;
};

GRAMIAN_DECLARE_KERNEL(void evaluate_outputs(network::Loss loss, double parameter,
                                             const OutputLosses<double>& block))
GRAMIAN_DECLARE_KERNEL(void evaluate_outputs(network::Loss loss, double parameter,
                                             const OutputLosses<float>& block))

// Scores z of n rows become probabilities of n_classes classes; what is beyond them becomes zero.
// With the classes y, `losses` receives those of the rows and `derivatives` p - 1_y.
template <class T>
struct ClassScores {
  T* z;
  std::int64_t width;
  std::int64_t n;
  std::int64_t n_classes;
  const std::int32_t* y;  // null: probabilities only
  T* derivatives;
  double* losses;          // n, up to a whole multiple of 16
  double smoothing = 0.0;  // share of a row's weight that is spread over all classes
};

GRAMIAN_DECLARE_KERNEL(void evaluate_classes(const ClassScores<double>& block))
GRAMIAN_DECLARE_KERNEL(void evaluate_classes(const ClassScores<float>& block))

}  // namespace gramian
