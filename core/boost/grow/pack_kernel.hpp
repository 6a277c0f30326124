// Gradients and hessians as packed pairs of whole numbers (pairs.hpp).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// n rows of positive weight; hessian and weight may be null, then they are one. With
// `has_whole_weights` a row of weight k gets k times the pair of a row of weight one, so that it
// equals k copies of it.
struct PackBlock {
  const float* gradient;
  const float* hessian;
  const double* weight;
  std::int64_t n;
  bool has_whole_weights;
  double gradient_scale;
  double hessian_scale;
};

// What decides on the scales: the sums of |w g| and of w h.
struct PackSums {
  double gradient = 0.0;
  double hessian = 0.0;
};
GRAMIAN_DECLARE_KERNEL(PackSums sum_sizes(const PackBlock& block))

// Writes the pairs, whose hessians are at least 1; returns their sum and the extremes of the
// hessians, those of one copy where weights are whole.
struct PackedSums {
  std::int64_t pair = 0;
  std::int64_t least_hessian = INT64_MAX;
  std::int64_t largest_hessian = 0;
};
GRAMIAN_DECLARE_KERNEL(PackedSums pack_pairs(const PackBlock& block, std::int64_t* pairs))

}  // namespace gramian
