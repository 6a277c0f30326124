// Sums of a kernel of distances, eight at a time; the same bits on every level.
#pragma once

#include <cstdint>

#include "distance/tile_kernel.hpp"
#include "simd/level.hpp"

namespace gramian::distance {

// K(u) of u = distance / bandwidth, with K(0) = 1; all but the gaussian and the exponential one are
// zero from u = 1 on.
enum class Kernel {
  gaussian,      // exp(-u^2 / 2)
  tophat,        // 1
  epanechnikov,  // 1 - u^2
  exponential,   // exp(-u)
  linear,        // 1 - u
  cosine         // cos(pi u / 2)
};

// A kernel as a function of t, which is the square of the distance for the gaussian and
// Epanechnikov's kernel and the distance for the others. Exponential kernels are taken times
// exp(rate * shift), which keeps sums of rows that are all far away above underflow.
struct DensityKernel {
  Kernel kernel;
  Metric metric;  // that the reduced distances come from
  double power;
  double bandwidth;
  double rate;  // of exponential kernels: exp(rate * (shift - t))
  double shift = 0.0;
};

}  // namespace gramian::distance

namespace gramian {

// Turns n reduced distances into t; n is a multiple of 8.
GRAMIAN_DECLARE_KERNEL(void kernel_arguments(const distance::DensityKernel& kernel, double* values,
                                             std::int64_t n))

// sum of weights[i] K(t[i]); n is a multiple of 8.
GRAMIAN_DECLARE_KERNEL(double sum_of_kernels(const distance::DensityKernel& kernel, const double* t,
                                             const double* weights, std::int64_t n))

// K at eight places.
GRAMIAN_DECLARE_KERNEL(void kernels_at(const distance::DensityKernel& kernel, const double* t,
                                       double* out))

}  // namespace gramian
