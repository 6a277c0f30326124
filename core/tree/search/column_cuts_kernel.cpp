#include "tree/search/column_cuts_kernel.hpp"

#include <cstring>
#include <limits>

#include "tree/search/wide_vectors.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::LeftSum;
using tree::NodeRows;
using tree::Range;

template <class T>
Range<T> range(const T* values, std::int64_t n) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  Vector<T> low = kInfinity - Vector<T>{}, high = -low;
  Range<T> range{kInfinity, -kInfinity};
  std::int64_t i = 0;
  for (; i + kWidth<T> <= n; i += kWidth<T>) {
    Vector<T> these;
    std::memcpy(&these, values + i, sizeof these);
    low = these < low ? these : low;
    high = these > high ? these : high;
  }
  const auto widen = [&](T least, T most) {
    range.lowest = least < range.lowest ? least : range.lowest;
    range.highest = most > range.highest ? most : range.highest;
  };
  if (i > 0)
    for (int lane = 0; lane < kWidth<T>; ++lane) widen(low[lane], high[lane]);
  for (; i < n; ++i) widen(values[i], values[i]);
  return range;
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// One vector of rows at a time, the last one in part.
template <bool has_weights>
LeftSum sum(const double* values, const NodeRows& node, double threshold) {
  const __m512d thresholds = _mm512_set1_pd(threshold);
  __m512d weights = _mm512_setzero_pd(), addends = weights;
  LeftSum left;
  for (std::int64_t i = 0; i < node.n; i += 8) {
    const auto rows = static_cast<__mmask8>(node.n - i < 8 ? (1U << (node.n - i)) - 1U : 0xffU);
    const __mmask8 lanes = _mm512_mask_cmp_pd_mask(rows, _mm512_maskz_loadu_pd(rows, values + i),
                                                   thresholds, _CMP_LE_OQ);
    left.count += __builtin_popcount(lanes);
    if constexpr (has_weights)
      weights = _mm512_add_pd(weights, _mm512_maskz_loadu_pd(lanes, node.weights + i));
    addends = _mm512_add_pd(addends, _mm512_maskz_loadu_pd(lanes, node.addends + i));
  }
  left.weight = has_weights ? _mm512_reduce_add_pd(weights) : static_cast<double>(left.count);
  left.sum = _mm512_reduce_add_pd(addends);
  return left;
}

template <bool has_weights>
LeftSum sum(const float* values, const NodeRows& node, float threshold) {
  const __m512 thresholds = _mm512_set1_ps(threshold);
  __m512d weights = _mm512_setzero_pd(), addends = weights;
  LeftSum left;
  for (std::int64_t i = 0; i < node.n; i += 16) {
    const auto rows = static_cast<__mmask16>(node.n - i < 16 ? (1U << (node.n - i)) - 1U : 0xffffU);
    const __mmask16 lanes = _mm512_mask_cmp_ps_mask(rows, _mm512_maskz_loadu_ps(rows, values + i),
                                                    thresholds, _CMP_LE_OQ);
    left.count += __builtin_popcount(lanes);
    const auto add = [i, low = static_cast<__mmask8>(lanes),
                      high = static_cast<__mmask8>(lanes >> 8)](__m512d sums, const double* from) {
      sums = _mm512_add_pd(sums, _mm512_maskz_loadu_pd(low, from + i));
      return _mm512_add_pd(sums, _mm512_maskz_loadu_pd(high, from + i + 8));
    };
    if constexpr (has_weights) weights = add(weights, node.weights);
    addends = add(addends, node.addends);
  }
  left.weight = has_weights ? _mm512_reduce_add_pd(weights) : static_cast<double>(left.count);
  left.sum = _mm512_reduce_add_pd(addends);
  return left;
}

#else

template <bool has_weights, class T>
LeftSum sum(const T* values, const NodeRows& node, T threshold) {
  LeftSum left;
  for (std::int64_t i = 0; i < node.n; ++i) {
    const bool is_left = values[i] <= threshold;
    const auto taken = static_cast<double>(is_left);  // no branch: it could not be predicted
    left.count += is_left;
    if constexpr (has_weights) left.weight += taken * node.weights[i];
    left.sum += taken * node.addends[i];
  }
  if constexpr (!has_weights) left.weight = static_cast<double>(left.count);
  return left;
}

#endif

}  // namespace

Range<float> column_range(const float* values, std::int64_t n) { return range(values, n); }
Range<double> column_range(const double* values, std::int64_t n) { return range(values, n); }

LeftSum column_sum(const float* values, const NodeRows& node, float threshold) {
  return node.weights != nullptr ? sum<true>(values, node, threshold)
                                 : sum<false>(values, node, threshold);
}
LeftSum column_sum(const double* values, const NodeRows& node, double threshold) {
  return node.weights != nullptr ? sum<true>(values, node, threshold)
                                 : sum<false>(values, node, threshold);
}

}  // namespace gramian::GRAMIAN_ISA
