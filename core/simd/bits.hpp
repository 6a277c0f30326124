// The parts of a number: powers of two, exponents and mantissas, on the vectors of simd.hpp; the
// same bits on every level. Include in kernel sources only.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

// Adding it to a whole number below 2^51 in size puts that number into the lowest bits.
inline constexpr double kBitShifter = 6755399441055744.0;  // 1.5 * 2^52
inline constexpr float kBitShifterF = 12582912.0f;         // 1.5 * 2^23, for floats

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// 2^k for a whole k between -1022 and 1023, given k + kBitShifter + 1023.
inline VecD power_from_bits(VecD shifted) {
  return {_mm512_castsi512_pd(_mm512_slli_epi64(_mm512_castpd_si512(shifted.v), 52))};
}
// The same of floats: k between -126 and 127, given k + kBitShifterF + 127.
inline VecF power_from_bits(VecF shifted) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(shifted.v), 23))};
}
// x / 2^e in [1, 2) and e for a positive normal x.
inline VecD mantissa_of(VecD x) {
  const __m512i kept =
      _mm512_and_si512(_mm512_castpd_si512(x.v), _mm512_set1_epi64(0x000fffffffffffffLL));
  return {_mm512_castsi512_pd(_mm512_or_si512(kept, _mm512_set1_epi64(0x3ff0000000000000LL)))};
}
inline VecD exponent_of(VecD x) {
  const __m512i raw = _mm512_srli_epi64(_mm512_castpd_si512(x.v), 52);
  const __m512i tagged = _mm512_or_si512(raw, _mm512_set1_epi64(0x4330000000000000LL));
  return VecD{_mm512_castsi512_pd(tagged)} - VecD::set1(4503599627370496.0 + 1023.0);
}

#elif defined(__AVX2__) && defined(__FMA__)

inline __m256d power_from_bits(__m256d shifted) {
  return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52));
}
inline VecD power_from_bits(VecD shifted) {
  return {power_from_bits(shifted.lo), power_from_bits(shifted.hi)};
}
inline __m256 power_from_bits(__m256 shifted) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(shifted), 23));
}
inline VecF power_from_bits(VecF shifted) {
  return {power_from_bits(shifted.lo), power_from_bits(shifted.hi)};
}
inline __m256d mantissa_of(__m256d x) {
  const __m256i kept =
      _mm256_and_si256(_mm256_castpd_si256(x), _mm256_set1_epi64x(0x000fffffffffffffLL));
  return _mm256_castsi256_pd(_mm256_or_si256(kept, _mm256_set1_epi64x(0x3ff0000000000000LL)));
}
inline VecD mantissa_of(VecD x) { return {mantissa_of(x.lo), mantissa_of(x.hi)}; }
inline __m256d tagged_exponent(__m256d x) {
  const __m256i raw = _mm256_srli_epi64(_mm256_castpd_si256(x), 52);
  return _mm256_castsi256_pd(_mm256_or_si256(raw, _mm256_set1_epi64x(0x4330000000000000LL)));
}
inline VecD exponent_of(VecD x) {
  return VecD{tagged_exponent(x.lo), tagged_exponent(x.hi)} -
         VecD::set1(4503599627370496.0 + 1023.0);
}

#else

template <class Function>
inline VecD each_bits(const VecD& x, Function&& function) {
  VecD out;
  for (int i = 0; i < VecD::kLanes; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &x.v[i], sizeof bits);
    bits = function(bits);
    std::memcpy(&out.v[i], &bits, sizeof bits);
  }
  return out;
}
inline VecD power_from_bits(const VecD& shifted) {
  return each_bits(shifted, [](std::uint64_t bits) { return bits << 52; });
}
inline VecF power_from_bits(const VecF& shifted) {
  VecF out;
  for (int i = 0; i < VecF::kLanes; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, &shifted.v[i], sizeof bits);
    bits <<= 23;
    std::memcpy(&out.v[i], &bits, sizeof bits);
  }
  return out;
}
inline VecD mantissa_of(const VecD& x) {
  return each_bits(
      x, [](std::uint64_t bits) { return (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL; });
}
inline VecD exponent_of(const VecD& x) {
  const VecD tagged =
      each_bits(x, [](std::uint64_t bits) { return (bits >> 52) | 0x4330000000000000ULL; });
  return tagged - VecD::set1(4503599627370496.0 + 1023.0);
}

#endif

}  // namespace gramian::GRAMIAN_ISA
