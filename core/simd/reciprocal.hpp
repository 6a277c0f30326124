// 1 / x without a division, on the vectors of simd.hpp; the same bits on every level. Include in
// kernel sources only.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

// Taken from the bits of a positive x, it leaves those of 1 / x to about 5 %: the exponent changes
// its sign, and the mantissa is met by a line.
inline constexpr std::uint32_t kReciprocalBits = 0x7EF311C7;

#if defined(__AVX512F__) && defined(__AVX512DQ__)

inline VecF reciprocal_guess(VecF x) {
  const __m512i bits = _mm512_set1_epi32(static_cast<int>(kReciprocalBits));
  return {_mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_castps_si512(x.v)))};
}

#elif defined(__AVX2__) && defined(__FMA__)

inline VecF reciprocal_guess(VecF x) {
  const __m256i bits = _mm256_set1_epi32(static_cast<int>(kReciprocalBits));
  return {_mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_castps_si256(x.lo))),
          _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_castps_si256(x.hi)))};
}

#else

inline VecF reciprocal_guess(const VecF& x) {
  VecF out;
  for (int i = 0; i < VecF::kLanes; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, &x.v[i], sizeof bits);
    bits = kReciprocalBits - bits;
    std::memcpy(&out.v[i], &bits, sizeof bits);
  }
  return out;
}

#endif

// 1 / x to about two units in the last place, for positive x between 1e-37 and 1e37. With the error
// e = 1 - x y of a guess y:  1 / x = y / (1 - e) = y (1 + e + e^2 + ...).
inline VecF reciprocal(VecF x) {
  const VecF one = VecF::set1(1.0f), negative = VecF::zero() - x;
  VecF y = reciprocal_guess(x);
  VecF error = fma(negative, y, one);
  y = fma(y, fma(error, error, error), y);
  error = fma(negative, y, one);
  return fma(y, error, y);
}

}  // namespace gramian::GRAMIAN_ISA
