// Sixteen complex Fourier transforms at a time, of lengths 2^a 3^b 5^c.
//
// Element number k of the batch is 16 real parts, then 16 imaginary parts: lane l belongs to the
// transform number l. Stockham's order: each stage reads one buffer and writes the other, and what
// comes out is in natural order without a permutation.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kFftElement = 32;  // floats

// A stage takes runs of `stride` elements from `radix` places, n_runs of them, and turns the
// results by roots[(run * (radix - 1) + k - 1) * 2], k = 1 .. radix - 1.
struct FftStage {
  int radix;
  std::int64_t n_runs;
  std::int64_t stride;
  const float* roots;
};

// sum_k x[k] exp(-2 pi i j k / n), with the other sign if inverse (and no factor 1 / n).
GRAMIAN_DECLARE_KERNEL(void fft_stage(const FftStage& stage, const float* in, float* out,
                                      bool inverse))

}  // namespace gramian
