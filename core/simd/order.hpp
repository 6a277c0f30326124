// What needs comparisons and square roots, on the vectors of simd.hpp; the same bits on every
// level. Include in kernel sources only.
#pragma once

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

inline VecD operator/(VecD a, VecD b) { return {_mm512_div_pd(a.v, b.v)}; }
inline VecD sqrt(VecD a) { return {_mm512_sqrt_pd(a.v)}; }
inline VecD abs(VecD a) { return {_mm512_abs_pd(a.v)}; }
inline VecD max(VecD a, VecD b) { return {_mm512_max_pd(a.v, b.v)}; }
inline VecD min(VecD a, VecD b) { return {_mm512_min_pd(a.v, b.v)}; }
inline bool any_less(VecD a, VecD b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ) != 0; }
// x where a < b, else y.
inline VecD select_less(VecD a, VecD b, VecD x, VecD y) {
  return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ), y.v, x.v)};
}
// x where a is a number, y where it is NaN.
inline VecD select_number(VecD a, VecD x, VecD y) {
  return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(a.v, a.v, _CMP_EQ_OQ), y.v, x.v)};
}

inline VecF operator/(VecF a, VecF b) { return {_mm512_div_ps(a.v, b.v)}; }
inline VecF sqrt(VecF a) { return {_mm512_sqrt_ps(a.v)}; }
inline VecF max(VecF a, VecF b) { return {_mm512_max_ps(a.v, b.v)}; }
inline VecF min(VecF a, VecF b) { return {_mm512_min_ps(a.v, b.v)}; }
inline VecF select_less(VecF a, VecF b, VecF x, VecF y) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ), y.v, x.v)};
}

#elif defined(__AVX2__) && defined(__FMA__)

inline VecD operator/(VecD a, VecD b) {
  return {_mm256_div_pd(a.lo, b.lo), _mm256_div_pd(a.hi, b.hi)};
}
inline VecD sqrt(VecD a) { return {_mm256_sqrt_pd(a.lo), _mm256_sqrt_pd(a.hi)}; }
inline VecD abs(VecD a) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return {_mm256_andnot_pd(sign, a.lo), _mm256_andnot_pd(sign, a.hi)};
}
inline VecD max(VecD a, VecD b) { return {_mm256_max_pd(a.lo, b.lo), _mm256_max_pd(a.hi, b.hi)}; }
inline VecD min(VecD a, VecD b) { return {_mm256_min_pd(a.lo, b.lo), _mm256_min_pd(a.hi, b.hi)}; }
inline bool any_less(VecD a, VecD b) {
  const __m256d lo = _mm256_cmp_pd(a.lo, b.lo, _CMP_LT_OQ);
  const __m256d hi = _mm256_cmp_pd(a.hi, b.hi, _CMP_LT_OQ);
  return _mm256_movemask_pd(_mm256_or_pd(lo, hi)) != 0;
}
inline VecD select_less(VecD a, VecD b, VecD x, VecD y) {
  return {_mm256_blendv_pd(y.lo, x.lo, _mm256_cmp_pd(a.lo, b.lo, _CMP_LT_OQ)),
          _mm256_blendv_pd(y.hi, x.hi, _mm256_cmp_pd(a.hi, b.hi, _CMP_LT_OQ))};
}
inline VecD select_number(VecD a, VecD x, VecD y) {
  return {_mm256_blendv_pd(y.lo, x.lo, _mm256_cmp_pd(a.lo, a.lo, _CMP_EQ_OQ)),
          _mm256_blendv_pd(y.hi, x.hi, _mm256_cmp_pd(a.hi, a.hi, _CMP_EQ_OQ))};
}

inline VecF operator/(VecF a, VecF b) {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
inline VecF sqrt(VecF a) { return {_mm256_sqrt_ps(a.lo), _mm256_sqrt_ps(a.hi)}; }
inline VecF max(VecF a, VecF b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
inline VecF min(VecF a, VecF b) { return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)}; }
inline VecF select_less(VecF a, VecF b, VecF x, VecF y) {
  return {_mm256_blendv_ps(y.lo, x.lo, _mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ)),
          _mm256_blendv_ps(y.hi, x.hi, _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ))};
}

#else

template <class Function>
inline VecD each_lane(Function&& function) {
  VecD out;
  for (int i = 0; i < VecD::kLanes; ++i) out.v[i] = function(i);
  return out;
}

inline VecD operator/(const VecD& a, const VecD& b) {
  return each_lane([&](int i) { return a.v[i] / b.v[i]; });
}
inline VecD sqrt(const VecD& a) {
  return each_lane([&](int i) { return __builtin_sqrt(a.v[i]); });
}
inline VecD abs(const VecD& a) {
  return each_lane([&](int i) { return __builtin_fabs(a.v[i]); });
}
inline VecD max(const VecD& a, const VecD& b) {
  return each_lane([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline VecD min(const VecD& a, const VecD& b) {
  return each_lane([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
inline bool any_less(const VecD& a, const VecD& b) {
  bool any = false;
  for (int i = 0; i < VecD::kLanes; ++i) any |= a.v[i] < b.v[i];
  return any;
}
inline VecD select_less(const VecD& a, const VecD& b, const VecD& x, const VecD& y) {
  return each_lane([&](int i) { return a.v[i] < b.v[i] ? x.v[i] : y.v[i]; });
}
inline VecD select_number(const VecD& a, const VecD& x, const VecD& y) {
  return each_lane([&](int i) { return a.v[i] == a.v[i] ? x.v[i] : y.v[i]; });
}

template <class Function>
inline VecF each_float(Function&& function) {
  VecF out;
  for (int i = 0; i < VecF::kLanes; ++i) out.v[i] = function(i);
  return out;
}

inline VecF operator/(const VecF& a, const VecF& b) {
  return each_float([&](int i) { return a.v[i] / b.v[i]; });
}
inline VecF sqrt(const VecF& a) {
  return each_float([&](int i) { return __builtin_sqrtf(a.v[i]); });
}
inline VecF max(const VecF& a, const VecF& b) {
  return each_float([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline VecF min(const VecF& a, const VecF& b) {
  return each_float([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
inline VecF select_less(const VecF& a, const VecF& b, const VecF& x, const VecF& y) {
  return each_float([&](int i) { return a.v[i] < b.v[i] ? x.v[i] : y.v[i]; });
}

#endif

}  // namespace gramian::GRAMIAN_ISA
