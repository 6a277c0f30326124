// One step of an optimiser over a stretch of a network's numbers.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace network {

enum class Solver { sgd, adam, adamw };

// With g = share * gradient + decay * x:
//   sgd    v = first v - rate g;  x += v, or with Nesterov's look ahead first v - rate g
//   adam   m = first m + (1 - first) g;  v = second v + (1 - second) g^2;
//          x -= rate m / (sqrt(v) + epsilon), rate corrected for the start
//   adamw  the same, and x -= shrink x
struct StepRule {
  Solver solver = Solver::adam;
  double rate = 0.0;
  double first = 0.9;
  double second = 0.999;
  double epsilon = 1e-8;
  bool nesterov = true;
  double share = 1.0;
  double decay = 0.0;
  double shrink = 0.0;
};

}  // namespace network

// n is a whole multiple of the lanes; no gradient: zeros. sgd leaves `second` alone.
template <class T>
struct StepStretch {
  T* x;
  const T* gradient;
  T* first;
  T* second;
  std::int64_t n;
};

GRAMIAN_DECLARE_KERNEL(void take_step(const network::StepRule& rule,
                                      const StepStretch<double>& stretch))
GRAMIAN_DECLARE_KERNEL(void take_step(const network::StepRule& rule,
                                      const StepStretch<float>& stretch))

GRAMIAN_DECLARE_KERNEL(double squares_of(const double* x, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(double squares_of(const float* x, std::int64_t n))

}  // namespace gramian
