// Choices by lane on the vectors of simd.hpp. A set of lanes is a bit for each, lane 0 the lowest.
// Include in kernel sources only.
#pragma once

#include <cstdint>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct LaneMask {
  __mmask8 bits;

  explicit LaneMask(std::uint8_t lanes) : bits(lanes) {}
};

// a where the lane is in the set, b elsewhere.
inline VecD select(LaneMask mask, VecD a, VecD b) {
  return {_mm512_mask_blend_pd(mask.bits, b.v, a.v)};
}

// The lanes where a <= b; never where either is NaN.
inline std::uint8_t less_equal(VecD a, VecD b) {
  return static_cast<std::uint8_t>(_mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ));
}
inline std::uint16_t less_equal(VecF a, VecF b) { return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ); }

// Stores the lanes of the set, one after the other; what follows them, up to kLanes entries in all,
// is anybody's. (Storing a whole register is quicker than masked stores, on AMD by far.)
inline void compress(VecF a, std::uint16_t lanes, float* out) {
  _mm512_storeu_ps(out, _mm512_maskz_compress_ps(lanes, a.v));
}

// The same for the numbers first + lane; how many lanes there are.
inline int compress_places(std::int32_t first, std::uint16_t lanes, std::int32_t* out) {
  const __m512i counted = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i places = _mm512_add_epi32(_mm512_set1_epi32(first), counted);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(lanes, places));
  return __builtin_popcount(lanes);
}

#elif defined(__AVX2__) && defined(__FMA__)

struct LaneMask {
  __m256d lo, hi;

  explicit LaneMask(std::uint8_t lanes) {
    const __m256i bits = _mm256_set1_epi64x(lanes);
    const __m256i low = _mm256_set_epi64x(8, 4, 2, 1), high = _mm256_set_epi64x(128, 64, 32, 16);
    lo = _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(bits, low), low));
    hi = _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(bits, high), high));
  }
};

inline VecD select(LaneMask mask, VecD a, VecD b) {
  return {_mm256_blendv_pd(b.lo, a.lo, mask.lo), _mm256_blendv_pd(b.hi, a.hi, mask.hi)};
}

inline std::uint8_t less_equal(VecD a, VecD b) {
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(a.lo, b.lo, _CMP_LE_OQ));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd(a.hi, b.hi, _CMP_LE_OQ));
  return static_cast<std::uint8_t>(low | (high << 4));
}
inline std::uint16_t less_equal(VecF a, VecF b) {
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(a.lo, b.lo, _CMP_LE_OQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(a.hi, b.hi, _CMP_LE_OQ));
  return static_cast<std::uint16_t>(low | (high << 8));
}

#else

struct LaneMask {
  std::uint8_t bits;

  explicit LaneMask(std::uint8_t lanes) : bits(lanes) {}
};

inline VecD select(LaneMask mask, const VecD& a, const VecD& b) {
  VecD out;
  for (int i = 0; i < VecD::kLanes; ++i) out.v[i] = (mask.bits >> i) & 1 ? a.v[i] : b.v[i];
  return out;
}

inline std::uint8_t less_equal(const VecD& a, const VecD& b) {
  unsigned bits = 0;
  for (int i = 0; i < VecD::kLanes; ++i) bits |= static_cast<unsigned>(a.v[i] <= b.v[i]) << i;
  return static_cast<std::uint8_t>(bits);
}
inline std::uint16_t less_equal(const VecF& a, const VecF& b) {
  unsigned bits = 0;
  for (int i = 0; i < VecF::kLanes; ++i) bits |= static_cast<unsigned>(a.v[i] <= b.v[i]) << i;
  return static_cast<std::uint16_t>(bits);
}

#endif

#if !(defined(__AVX512F__) && defined(__AVX512DQ__))

inline void compress(const VecF& a, std::uint16_t lanes, float* out) {
  float values[VecF::kLanes];
  a.store(values);
  for (unsigned left = lanes; left != 0; left &= left - 1) *out++ = values[__builtin_ctz(left)];
}

inline int compress_places(std::int32_t first, std::uint16_t lanes, std::int32_t* out) {
  int n = 0;
  for (unsigned left = lanes; left != 0; left &= left - 1) out[n++] = first + __builtin_ctz(left);
  return n;
}

#endif

}  // namespace gramian::GRAMIAN_ISA
