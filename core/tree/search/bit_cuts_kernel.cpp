#include "tree/search/bit_cuts_kernel.hpp"

#include <cstring>
#include <limits>

#include "tree/search/not_above.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::BitCut;
using tree::CutColumn;

template <class T>
struct Bounds {
  T lowest, highest;
};

struct Counts {
  std::int64_t all = 0, second = 0;
};

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

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
Counts counts_of(const T* values, const std::uint32_t* words, std::int64_t n, T threshold) {
  using L = Lanes<T>;
  const auto thresholds = L::all(threshold);
  Counts counts;
  for (std::int64_t i = 0; i < n; i += L::kCount) {
    const auto rows = rows_of<T>(n - i);
    const auto left = L::not_above(rows, L::load(rows, T{}, values + i), thresholds);
    const auto second = L::second(L::load(rows, words + i));
    counts.all += __builtin_popcount(left);
    counts.second += __builtin_popcount(left & second);
  }
  return counts;
}

std::int64_t second_of(const std::uint32_t* words, std::int64_t n) {
  using L = Lanes<float>;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; i += L::kCount)
    count += __builtin_popcount(L::second(L::load(rows_of<float>(n - i), words + i)));
  return count;
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

// Sums of bits: no branch, which nothing could predict.
template <class T>
Counts counts_of(const T* values, const std::uint32_t* words, std::int64_t n, T threshold) {
  Counts counts;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t is_left = values[i] <= threshold ? 1U : 0U;
    counts.all += is_left;
    counts.second += is_left & words[i] >> 31;
  }
  return counts;
}

std::int64_t second_of(const std::uint32_t* words, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += words[i] >> 31;
  return count;
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

template <class T>
BitCut cut(const CutColumn<T>& column, const std::uint32_t* words, std::int64_t n, double place,
           T* values) {
  const T* from = column.values;
  const std::int64_t step = column.step;
  for (std::int64_t i = 0; i < n; ++i)
    values[i] = from[static_cast<std::int64_t>(words[i] & tree::kRowNumber) * step];
  const Bounds<T> bounds = bounds_of(values, n);
  BitCut cut;
  cut.varies = bounds.lowest < bounds.highest;
  if (!cut.varies) return cut;
  cut.threshold = tree::drawn_threshold(bounds.lowest, bounds.highest, place);
  const Counts left = counts_of(values, words, n, tree::not_above(cut.threshold, T{}));
  cut.n_left = left.all;
  cut.n_second = left.second;
  return cut;
}

}  // namespace

std::int64_t count_second(const std::uint32_t* words, std::int64_t n) {
  return second_of(words, n);
}

BitCut cut_words(const CutColumn<float>& column, const std::uint32_t* words, std::int64_t n,
                 double place, float* values) {
  return cut(column, words, n, place, values);
}
BitCut cut_words(const CutColumn<double>& column, const std::uint32_t* words, std::int64_t n,
                 double place, double* values) {
  return cut(column, words, n, place, values);
}

void part_words(const float* values, double threshold, std::uint32_t* words, std::int64_t n,
                std::uint32_t* right) {
  part(values, tree::not_above(threshold, 0.0f), words, n, right);
}
void part_words(const double* values, double threshold, std::uint32_t* words, std::int64_t n,
                std::uint32_t* right) {
  part(values, threshold, words, n, right);
}

}  // namespace gramian::GRAMIAN_ISA
