// The multinomial logistic loss of a block of rows: log(sum_c exp(z_c)) - z_y for scores z of k
// classes and the class y.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Scores z (n rows of k, `ld` apart, ld a whole multiple of 8), class numbers y and weights w
// (null: one each). The scores are replaced by w (p - 1_y), p the probabilities of the classes; the
// entries beyond k become zero. With k = ld + 1 the last class has no entry: its score is zero.
struct SoftmaxBlock {
  double* z;
  std::int64_t ld;
  std::int64_t n;
  std::int64_t k;
  const double* y;
  const double* w;
  double* probability;  // unless null, receives p; n rows of k
  double* scratch;      // 8 ld numbers
};

// Returns the weighted sum of the losses.
GRAMIAN_DECLARE_KERNEL(double evaluate_softmax(const SoftmaxBlock& block))

// The same rows class by class: entry i of class c of the scores and of what is written is
// `stride` c + i.
struct SoftmaxRows {
  const double* scores;
  std::int64_t stride;
  std::int64_t n;  // at most kMostRows
  std::int64_t k;
  const double* y;
  double* scratch;  // kMostRows for each class

  static constexpr std::int64_t kMostRows = 512;
};

// Writes p - 1_y, and unless it is null p (1 - p).
GRAMIAN_DECLARE_KERNEL(void differentiate_softmax(const SoftmaxRows& rows, float* gradient,
                                                  float* hessian))
GRAMIAN_DECLARE_KERNEL(void differentiate_softmax(const SoftmaxRows& rows, double* gradient,
                                                  double* hessian))

}  // namespace gramian
