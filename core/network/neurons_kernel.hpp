// Activations and their derivatives, a block of padded rows at a time; sums of sparse rows.
#pragma once

#include <cstdint>

#include "network/activation.hpp"
#include "simd/level.hpp"

namespace gramian {

// z <- activation(z), n a whole multiple of 16; `slopes` receives the derivatives, of activations
// that need them.
GRAMIAN_DECLARE_KERNEL(void activate(network::Activation activation, double* z, double* slopes,
                                     std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void activate(network::Activation activation, float* z, float* slopes,
                                     std::int64_t n))

// Rows of neurons of which each takes a share of its activation and the rest of the identity:
// z <- z + share (activation(z) - z). Unless they are null, `slopes` receives the derivatives in z
// and `bends` those in the share.
template <class T>
struct BentNeurons {
  T* z;
  T* slopes;
  T* bends;
  const T* shares;  // of each neuron
  std::int64_t n_rows;
  std::int64_t width;  // a whole multiple of the lanes
};

GRAMIAN_DECLARE_KERNEL(void bend_neurons(network::Activation activation,
                                         const BentNeurons<double>& neurons))
GRAMIAN_DECLARE_KERNEL(void bend_neurons(network::Activation activation,
                                         const BentNeurons<float>& neurons))

// delta <- delta * derivative, from the activation's values, or from `slopes` where it needs them.
GRAMIAN_DECLARE_KERNEL(void times_slopes(network::Activation activation, const double* values,
                                         const double* slopes, double* delta, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void times_slopes(network::Activation activation, const float* values,
                                         const float* slopes, float* delta, std::int64_t n))

// out(i, j) = start[j] + rows(i, :) . others(j, :) for the n_others first j, and zero beyond; rows
// and others have `width` entries, a whole multiple of the lanes, rows of out have `out_width`.
template <class T>
struct RowDots {
  const T* rows;
  std::int64_t n_rows;
  std::int64_t width;
  const T* others;
  std::int64_t n_others;
  const T* start;
  T* out;
  std::int64_t out_width;
};

GRAMIAN_DECLARE_KERNEL(void dot_rows(const RowDots<double>& dots))
GRAMIAN_DECLARE_KERNEL(void dot_rows(const RowDots<float>& dots))

// The sum of the rows of a matrix of this width, a whole multiple of the lanes, in their order.
GRAMIAN_DECLARE_KERNEL(void sum_rows(const double* rows, std::int64_t n_rows, std::int64_t width,
                                     double* sum))
GRAMIAN_DECLARE_KERNEL(void sum_rows(const float* rows, std::int64_t n_rows, std::int64_t width,
                                     float* sum))

// sum = start + sum_e values[e] rows[indices[e]], each of this width; no start: zeros. Rows are
// `stride` apart.
template <class T, class Index>
struct RowMixture {
  const T* values;
  const Index* indices;
  std::int64_t n;
  const T* rows;
  std::int64_t width;
  std::int64_t stride;
  const T* start;
  T* sum;
};

GRAMIAN_DECLARE_KERNEL(void mix_rows(const RowMixture<double, std::int32_t>& mixture))
GRAMIAN_DECLARE_KERNEL(void mix_rows(const RowMixture<double, std::int64_t>& mixture))
GRAMIAN_DECLARE_KERNEL(void mix_rows(const RowMixture<float, std::int32_t>& mixture))
GRAMIAN_DECLARE_KERNEL(void mix_rows(const RowMixture<float, std::int64_t>& mixture))

}  // namespace gramian
