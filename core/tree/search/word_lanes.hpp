// The values of rows that are words, their range and their parting: for kernels of random cuts
// only, each level of which has its own. A word is the number of a row and, in the bits above it,
// the class.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "tree/search/bit_cuts_kernel.hpp"

#ifndef GRAMIAN_ISA
#error "word_lanes.hpp is for kernel sources, which are compiled with GRAMIAN_ISA set"
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define GRAMIAN_WORD_LANES 1
#include <immintrin.h>
#else
#define GRAMIAN_WORD_LANES 0
#endif

namespace gramian::GRAMIAN_ISA {

template <class T>
struct Bounds {
  T lowest, highest;
};

#if GRAMIAN_WORD_LANES

// A vector of values and the words of the same rows; the last vector may be filled in part.
template <class T>
struct Lanes;

template <>
struct Lanes<float> {
  using Values = __m512;
  using Words = __m512i;
  using Mask = __mmask16;
  static constexpr std::int64_t kCount = 16;

  static Values all(float value) { return _mm512_set1_ps(value); }
  static Values load(Mask rows, float other, const float* from) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(other), rows, from);
  }
  static Values low(Values a, Values b) { return _mm512_min_ps(a, b); }
  static Values high(Values a, Values b) { return _mm512_max_ps(a, b); }
  static float lowest(Values a) { return _mm512_reduce_min_ps(a); }
  static float highest(Values a) { return _mm512_reduce_max_ps(a); }
  static Mask not_above(Mask rows, Values a, Values b) {
    return _mm512_mask_cmp_ps_mask(rows, a, b, _CMP_LE_OQ);
  }
  static Words load(Mask rows, const std::uint32_t* from) {
    return _mm512_maskz_loadu_epi32(rows, from);
  }
  static Mask second(Words words) { return _mm512_movepi32_mask(words); }
  // The words of some lanes, without gaps; as many lanes are written as `kept` has.
  static void store(std::uint32_t* to, Mask kept, Mask lanes, Words words) {
    _mm512_mask_storeu_epi32(to, kept, _mm512_maskz_compress_epi32(lanes, words));
  }
};

template <>
struct Lanes<double> {
  using Values = __m512d;
  using Words = __m256i;
  using Mask = __mmask8;
  static constexpr std::int64_t kCount = 8;

  static Values all(double value) { return _mm512_set1_pd(value); }
  static Values load(Mask rows, double other, const double* from) {
    return _mm512_mask_loadu_pd(_mm512_set1_pd(other), rows, from);
  }
  static Values low(Values a, Values b) { return _mm512_min_pd(a, b); }
  static Values high(Values a, Values b) { return _mm512_max_pd(a, b); }
  static double lowest(Values a) { return _mm512_reduce_min_pd(a); }
  static double highest(Values a) { return _mm512_reduce_max_pd(a); }
  static Mask not_above(Mask rows, Values a, Values b) {
    return _mm512_mask_cmp_pd_mask(rows, a, b, _CMP_LE_OQ);
  }
  static Words load(Mask rows, const std::uint32_t* from) {
    return _mm256_maskz_loadu_epi32(rows, from);
  }
  static Mask second(Words words) { return _mm256_movepi32_mask(words); }
  static void store(std::uint32_t* to, Mask kept, Mask lanes, Words words) {
    _mm256_mask_storeu_epi32(to, kept, _mm256_maskz_compress_epi32(lanes, words));
  }
};

template <class T>
typename Lanes<T>::Mask rows_of(std::int64_t n_left) {
  using Mask = typename Lanes<T>::Mask;
  constexpr auto kCount = Lanes<T>::kCount;
  return static_cast<Mask>(n_left < kCount ? (1U << n_left) - 1U : (1U << kCount) - 1U);
}

template <class T>
Bounds<T> bounds_of(const T* values, std::int64_t n) {
  using L = Lanes<T>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  typename L::Values low = L::all(kInfinity), high = L::all(-kInfinity);
  for (std::int64_t i = 0; i < n; i += L::kCount) {
    const auto rows = rows_of<T>(n - i);
    low = L::low(low, L::load(rows, kInfinity, values + i));
    high = L::high(high, L::load(rows, -kInfinity, values + i));
  }
  return {L::lowest(low), L::highest(high)};
}

template <class T>
void part(const T* values, T threshold, std::uint32_t* words, std::int64_t n,
          std::uint32_t* right) {
  using L = Lanes<T>;
  using Mask = typename L::Mask;
  const auto thresholds = L::all(threshold);
  std::int64_t n_left = 0, n_right = 0;
  for (std::int64_t i = 0; i < n; i += L::kCount) {
    const auto rows = rows_of<T>(n - i);
    const auto these = L::load(rows, words + i);
    const auto left = L::not_above(rows, L::load(rows, T{}, values + i), thresholds);
    const auto n_here = __builtin_popcount(left);
    // What lies behind the words of the node is another's.
    L::store(words + n_left, rows_of<T>(n_here), left, these);
    L::store(right + n_right, rows_of<T>(L::kCount), static_cast<Mask>(rows & ~left), these);
    n_left += n_here;
    n_right += __builtin_popcount(rows) - n_here;
  }
  std::memcpy(words + n_left, right, static_cast<std::size_t>(n_right) * sizeof *right);
}

#else

template <class T>
Bounds<T> bounds_of(const T* values, std::int64_t n) {
  Bounds<T> bounds{values[0], values[0]};
  for (std::int64_t i = 1; i < n; ++i) {
    bounds.lowest = values[i] < bounds.lowest ? values[i] : bounds.lowest;
    bounds.highest = values[i] > bounds.highest ? values[i] : bounds.highest;
  }
  return bounds;
}

template <class T>
void part(const T* values, T threshold, std::uint32_t* words, std::int64_t n,
          std::uint32_t* right) {
  std::int64_t n_left = 0, n_right = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t word = words[i];
    const bool is_left = values[i] <= threshold;
    words[n_left] = word;
    right[n_right] = word;
    n_left += is_left;
    n_right += !is_left;
  }
  std::memcpy(words + n_left, right, static_cast<std::size_t>(n_right) * sizeof *right);
}

#endif

}  // namespace gramian::GRAMIAN_ISA
