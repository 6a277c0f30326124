// Conditional probabilities of neighbours at a given perplexity.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

struct Calibration {
  double beta;     // of p_j ~ exp(-beta d_j); infinite where only the nearest count
  double entropy;  // of p, in nats
  int n_steps;     // of Newton's method
};

// p_j = exp(-beta d_j) / sum, with beta such that the entropy of p is `entropy`; place `self` has
// p = 0, and none has if it is -1. More than the logarithm of the number of neighbours, or less
// than that of the nearest ones' number, cannot be had: then all, or the nearest, are alike.
// `scratch` has 2 * (n + 8) places.
GRAMIAN_DECLARE_KERNEL(Calibration calibrate(const double* squared, std::int64_t n,
                                             std::int64_t self, double entropy, double* scratch,
                                             float* p))

}  // namespace gramian
