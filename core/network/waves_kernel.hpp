// Waves of numbers: periodic embeddings, with a learned scale of each output.
//
// Trees split a number anywhere; a layer of neurons bends slowly in it. Waves of learned
// frequencies give it columns that turn quickly (Gorishniy et al., NeurIPS 2022).
#pragma once

#include <cstdint>
#include <vector>

#include "simd/level.hpp"

namespace gramian {

namespace network {

// A layer that hands on the numbers below, and adds waves of some of them:
//   out_u = scale_u x_u                                                     handed on
//   out_u = scale_u (bias_u + sum_k a_ku cos(2 pi (f_ku x_s(u) + phase_ku)))  after those
// Rows of its weights: the frequencies f_k, the phases, the amplitudes a_k, the scale.
struct Waves {
  std::int64_t n_frequencies = 0;     // of each wave; no layer of waves at 0
  std::vector<std::int32_t> sources;  // the number below of which each is a wave

  bool is_on() const { return n_frequencies > 0; }
  std::int64_t n_rows() const { return 3 * n_frequencies + 1; }
  std::int64_t scale_row() const { return 3 * n_frequencies; }
};

}  // namespace network

// Rows of such a layer: x_s(u), or x_u of the numbers handed on, `width` entries each.
template <class T>
struct WaveRows {
  const T* x;
  std::int64_t n_rows;
  std::int64_t width;
  const T* parameters;  // rows of this width: those of the weights, then the biases
  const T* handed;      // one for outputs that are handed on, else zero
  std::int64_t n_handed;
  std::int64_t n_frequencies;
};

GRAMIAN_DECLARE_KERNEL(void evaluate_waves(const WaveRows<double>& rows, double* out))
GRAMIAN_DECLARE_KERNEL(void evaluate_waves(const WaveRows<float>& rows, float* out))

// From the derivatives in the outputs to those in the numbers below, rows of `below_width`.
GRAMIAN_DECLARE_KERNEL(void hand_back(const WaveRows<double>& rows, const double* deltas,
                                      double* below, std::int64_t below_width))
GRAMIAN_DECLARE_KERNEL(void hand_back(const WaveRows<float>& rows, const float* deltas,
                                      float* below, std::int64_t below_width))

// The gradient of the parameters, in their layout.
GRAMIAN_DECLARE_KERNEL(void wave_gradients(const WaveRows<double>& rows, const double* deltas,
                                           double* gradient))
GRAMIAN_DECLARE_KERNEL(void wave_gradients(const WaveRows<float>& rows, const float* deltas,
                                           float* gradient))

}  // namespace gramian
