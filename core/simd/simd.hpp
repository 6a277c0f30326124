// Vectors of 8 doubles and 16 floats whose results are the same bits on every level: the number of
// lanes is fixed, fma rounds once everywhere, and hsum adds in one order:
// x[i] + x[i + n/2], then halves again; transpose makes lane j of vector i lane i of vector j.
// Include in kernel sources only.
#pragma once

#include <cstdint>
#include <cstring>

#ifndef GRAMIAN_ISA
#error "simd.hpp is for kernel sources, which are compiled with GRAMIAN_ISA set"
#endif

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

// The types live in the level's own namespace: code of one level never links to another's.
namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct VecD {
  static constexpr int kLanes = 8;
  __m512d v;

  static VecD zero() { return {_mm512_setzero_pd()}; }
  static VecD set1(double x) { return {_mm512_set1_pd(x)}; }
  static VecD load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static VecD load(const float* p) { return {_mm512_cvtps_pd(_mm256_loadu_ps(p))}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
};

inline VecD operator+(VecD a, VecD b) { return {_mm512_add_pd(a.v, b.v)}; }
inline VecD operator-(VecD a, VecD b) { return {_mm512_sub_pd(a.v, b.v)}; }
inline VecD operator*(VecD a, VecD b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline VecD fma(VecD a, VecD b, VecD c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }

struct VecF {
  static constexpr int kLanes = 16;
  __m512 v;

  static VecF zero() { return {_mm512_setzero_ps()}; }
  static VecF set1(float x) { return {_mm512_set1_ps(x)}; }
  static VecF load(const float* p) { return {_mm512_loadu_ps(p)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
};

inline VecF operator+(VecF a, VecF b) { return {_mm512_add_ps(a.v, b.v)}; }
inline VecF operator-(VecF a, VecF b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline VecF operator*(VecF a, VecF b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline VecF fma(VecF a, VecF b, VecF c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }

// Pairs of neighbouring rows, then pairs of those, exchange blocks of twice the size.
inline void transpose(VecD (&x)[8]) {
  __m512d a[8], b[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm512_unpacklo_pd(x[i].v, x[i + 1].v);
    a[i + 1] = _mm512_unpackhi_pd(x[i].v, x[i + 1].v);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int from = i / 2 * 4 + i % 2;  // 0, 1, 4, 5
    b[from] = _mm512_shuffle_f64x2(a[from], a[from + 2], 0x88);
    b[from + 2] = _mm512_shuffle_f64x2(a[from], a[from + 2], 0xdd);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[i].v = _mm512_shuffle_f64x2(b[i], b[i + 4], 0x88);
    x[i + 4].v = _mm512_shuffle_f64x2(b[i], b[i + 4], 0xdd);
  }
}

inline __m256d fold_halves(VecD a) {
  return _mm256_add_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
}
inline __m256 fold_halves(VecF a) {
  return _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
}

#elif defined(__AVX2__) && defined(__FMA__)

struct VecD {
  static constexpr int kLanes = 8;
  __m256d lo, hi;

  static VecD zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static VecD set1(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static VecD load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static VecD load(const float* p) {
    return {_mm256_cvtps_pd(_mm_loadu_ps(p)), _mm256_cvtps_pd(_mm_loadu_ps(p + 4))};
  }
  void store(double* p) const {
    _mm256_storeu_pd(p, lo);
    _mm256_storeu_pd(p + 4, hi);
  }
};

inline VecD operator+(VecD a, VecD b) {
  return {_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)};
}
inline VecD operator-(VecD a, VecD b) {
  return {_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)};
}
inline VecD operator*(VecD a, VecD b) {
  return {_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)};
}
inline VecD fma(VecD a, VecD b, VecD c) {
  return {_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}

struct VecF {
  static constexpr int kLanes = 16;
  __m256 lo, hi;

  static VecF zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static VecF set1(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static VecF load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  void store(float* p) const {
    _mm256_storeu_ps(p, lo);
    _mm256_storeu_ps(p + 8, hi);
  }
};

inline VecF operator+(VecF a, VecF b) {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
inline VecF operator-(VecF a, VecF b) {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
inline VecF operator*(VecF a, VecF b) {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
inline VecF fma(VecF a, VecF b, VecF c) {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}

inline void transpose(__m256d& a, __m256d& b, __m256d& c, __m256d& d) {
  const __m256d ab0 = _mm256_unpacklo_pd(a, b), ab1 = _mm256_unpackhi_pd(a, b);
  const __m256d cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab0, cd0, 0x20);
  b = _mm256_permute2f128_pd(ab1, cd1, 0x20);
  c = _mm256_permute2f128_pd(ab0, cd0, 0x31);
  d = _mm256_permute2f128_pd(ab1, cd1, 0x31);
}

// The four quarters, of which two change places.
inline void transpose(VecD (&x)[8]) {
  for (int i = 0; i < 8; i += 4) {
    transpose(x[i].lo, x[i + 1].lo, x[i + 2].lo, x[i + 3].lo);
    transpose(x[i].hi, x[i + 1].hi, x[i + 2].hi, x[i + 3].hi);
  }
  for (int i = 0; i < 4; ++i) {
    const __m256d upper = x[i].hi;
    x[i].hi = x[i + 4].lo;
    x[i + 4].lo = upper;
  }
}

inline __m256d fold_halves(VecD a) { return _mm256_add_pd(a.lo, a.hi); }
inline __m256 fold_halves(VecF a) { return _mm256_add_ps(a.lo, a.hi); }

#else

// Arrays rather than vector types: passing those needs one calling convention per level.
template <class T, int kCount>
struct Lanes {
  static constexpr int kLanes = kCount;
  T v[kCount];

  static Lanes zero() { return set1(T{0}); }
  static Lanes set1(T x) {
    Lanes out;
    for (T& lane : out.v) lane = x;
    return out;
  }
  template <class Source>
  static Lanes load(const Source* p) {
    Lanes out;
    for (int i = 0; i < kCount; ++i) out.v[i] = static_cast<T>(p[i]);
    return out;
  }
  void store(T* p) const { std::memcpy(p, v, sizeof v); }

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < kCount; ++i) out.v[i] = a.v[i] + b.v[i];
    return out;
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < kCount; ++i) out.v[i] = a.v[i] - b.v[i];
    return out;
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes out;
    for (int i = 0; i < kCount; ++i) out.v[i] = a.v[i] * b.v[i];
    return out;
  }
  friend Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    Lanes out;
    for (int i = 0; i < kCount; ++i) {
      if constexpr (sizeof(T) == sizeof(double))
        out.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
      else
        out.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
    }
    return out;
  }
  friend T hsum(Lanes a) {
    for (int half = kCount / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) a.v[i] += a.v[i + half];
    return a.v[0];
  }
};

using VecD = Lanes<double, 8>;
using VecF = Lanes<float, 16>;

inline void transpose(VecD (&x)[8]) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < i; ++j) {
      const double below = x[i].v[j];
      x[i].v[j] = x[j].v[i];
      x[j].v[i] = below;
    }
}

#endif

#if defined(__AVX2__) && defined(__FMA__)

inline double hsum(VecD a) {
  const __m256d four = fold_halves(a);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

inline float hsum(VecF a) {
  const __m256 eight = fold_halves(a);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

#endif

// The first n < kLanes entries; the other lanes are zero when loading and untouched when storing.
template <class Vec, class Source>
Vec load_partial(const Source* p, std::int64_t n) {
  Source buffer[Vec::kLanes] = {};
  std::memcpy(buffer, p, static_cast<std::size_t>(n) * sizeof(Source));
  return Vec::load(buffer);
}

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

template <>
inline VecD load_partial<VecD>(const double* p, std::int64_t n) {
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1U), p)};
}

template <>
inline VecD load_partial<VecD>(const float* p, std::int64_t n) {
  return {_mm512_cvtps_pd(_mm256_maskz_loadu_ps(static_cast<__mmask8>((1U << n) - 1U), p))};
}

#endif

template <class Vec, class T>
void store_partial(Vec a, T* p, std::int64_t n) {
  T buffer[Vec::kLanes];
  a.store(buffer);
  std::memcpy(p, buffer, static_cast<std::size_t>(n) * sizeof(T));
}

}  // namespace gramian::GRAMIAN_ISA
