// Floats from places of an array, on the vectors of simd.hpp. Include in kernel sources only.
#pragma once

#include <cstdint>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

inline VecF gather(const float* values, const std::int32_t* places) {
  return {_mm512_i32gather_ps(_mm512_loadu_si512(places), values, 4)};
}

#elif defined(__AVX2__) && defined(__FMA__)

inline VecF gather(const float* values, const std::int32_t* places) {
  const auto* eight = reinterpret_cast<const __m256i*>(places);
  return {_mm256_i32gather_ps(values, _mm256_loadu_si256(eight), 4),
          _mm256_i32gather_ps(values, _mm256_loadu_si256(eight + 1), 4)};
}

#else

inline VecF gather(const float* values, const std::int32_t* places) {
  VecF out;
  for (int i = 0; i < VecF::kLanes; ++i) out.v[i] = values[places[i]];
  return out;
}

#endif

}  // namespace gramian::GRAMIAN_ISA
