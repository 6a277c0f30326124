#include "tree/search/cuts_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tree/search/not_above.hpp"
#include "tree/search/wide_vectors.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::LeftSums;
using tree::MomentNode;
using tree::NodeRows;
using tree::RowTable;

// Reads one vector of a row: its first n lanes, the others are zero.
#if defined(__AVX512F__) && defined(__AVX512DQ__)

void load(const float* from, std::int64_t n, Vector<float>& out) {
  out = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1U), from);
}
void load(const double* from, std::int64_t n, Vector<double>& out) {
  out = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << n) - 1U), from);
}

#else

template <class T, class Out>
void load(const T* from, std::int64_t n, Out& out) {
  if (n == kWidth<T>) {
    std::memcpy(&out, from, sizeof out);
  } else {
    for (std::int64_t lane = 0; lane < n; ++lane) out[lane] = from[lane];
  }
}

#endif

// Reads the same columns, as many as a vector holds, of one row after the other.
template <class T>
class VectorReader {
 public:
  VectorReader(const RowTable<T>& table, std::int64_t first)
      : from_(table.values + first),
        stride_(table.row_stride),
        n_(std::clamp<std::int64_t>(table.n_features - first, 0, kWidth<T>)) {}

  void operator()(std::uint32_t row, Vector<T>& out) const { load(from_ + row * stride_, n_, out); }
  void expect(std::uint32_t row) const { __builtin_prefetch(from_ + row * stride_); }

 private:
  const T* from_;
  std::int64_t stride_;
  std::int64_t n_;
};

// Two vectors of a row are read together, if there are as many: they share a line of the cache.
template <class T, class Function>
void by_two_vectors(std::int64_t n_features, const Function& function) {
  std::int64_t first = 0;
  for (; first + kWidth<T> < n_features; first += 2 * kWidth<T>)
    function(std::integral_constant<int, 2>{}, first);
  if (first < n_features) function(std::integral_constant<int, 1>{}, first);
}

// Calls function(i) for the rows from `first` on. Of many rows those some way ahead are asked for:
// nothing else could tell where they are.
template <class T, class Function>
void for_each_row(const NodeRows& node, std::int64_t first, const VectorReader<T> (&read)[2],
                  const Function& function) {
  constexpr std::int64_t kAhead = 24, kMany = 2048;
  std::int64_t i = first;
  if (node.n >= kMany)
    for (; i + kAhead < node.n; ++i) {
      for (const VectorReader<T>& reader : read) reader.expect(node.rows[i + kAhead]);
      function(i);
    }
  for (; i < node.n; ++i) function(i);
}

template <int kVectors, class T>
void range_vectors(const RowTable<T>& table, const NodeRows& node, std::int64_t first, T* lowest,
                   T* highest) {
  const VectorReader<T> read[2] = {{table, first}, {table, first + kWidth<T>}};
  Vector<T> low[kVectors] = {}, high[kVectors], values{};
  for (int k = 0; k < kVectors; ++k) {
    read[k](node.rows[0], low[k]);
    high[k] = low[k];
  }
  for_each_row(node, 1, read, [&](std::int64_t i) {
    for (int k = 0; k < kVectors; ++k) {
      read[k](node.rows[i], values);
      low[k] = values < low[k] ? values : low[k];
      high[k] = values > high[k] ? values : high[k];
    }
  });
  std::memcpy(lowest + first, &low, sizeof low);
  std::memcpy(highest + first, &high, sizeof high);
}

template <class T>
void ranges(const RowTable<T>& table, const NodeRows& node, T* lowest, T* highest) {
  by_two_vectors<T>(table.n_features, [&]<int k>(std::integral_constant<int, k>, auto first) {
    range_vectors<k>(table, node, first, lowest, highest);
  });
}

// Of the rows that go left: their number and sums of doubles, in a lane for each column.
#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct FloatSide {
  __mmask16 lanes;
  FloatSide(const Vector<float>& values, const Vector<float>& thresholds)
      : lanes(_mm512_cmp_ps_mask(values, thresholds, _CMP_LE_OQ)) {}
  void count(Vector<std::int32_t>& counts) const {
    const auto all = (__m512i)counts;
    counts = (Vector<std::int32_t>)_mm512_mask_add_epi32(all, lanes, all, _mm512_set1_epi32(1));
  }
  void add(double value, Vector<double>* sums) const {
    const __m512d all = _mm512_set1_pd(value);
    sums[0] = _mm512_mask_add_pd(sums[0], static_cast<__mmask8>(lanes), sums[0], all);
    sums[1] = _mm512_mask_add_pd(sums[1], static_cast<__mmask8>(lanes >> 8), sums[1], all);
  }
};

struct DoubleSide {
  __mmask8 lanes;
  DoubleSide(const Vector<double>& values, const Vector<double>& thresholds)
      : lanes(_mm512_cmp_pd_mask(values, thresholds, _CMP_LE_OQ)) {}
  void count(Vector<std::int64_t>& counts) const {
    const auto all = (__m512i)counts;
    counts = (Vector<std::int64_t>)_mm512_mask_add_epi64(all, lanes, all, _mm512_set1_epi64(1));
  }
  void add(double value, Vector<double>* sums) const {
    sums[0] = _mm512_mask_add_pd(sums[0], lanes, sums[0], _mm512_set1_pd(value));
  }
};

#else

inline void add_where(const Vector<std::int64_t>& lanes, double value, Vector<double>& sums) {
  const Vector<double> all = value - Vector<double>{};
  sums += (Vector<double>)((Vector<std::int64_t>)all & lanes);
}

struct FloatSide {
  Vector<std::int32_t> lanes;
  FloatSide(const Vector<float>& values, const Vector<float>& thresholds)
      : lanes(values <= thresholds) {}
  void count(Vector<std::int32_t>& counts) const { counts -= lanes; }
  void add(double value, Vector<double>* sums) const {
    using Half [[gnu::vector_size(kBytes / 2)]] = std::int32_t;
    Half halves[2];
    std::memcpy(&halves, &lanes, sizeof lanes);
    add_where(__builtin_convertvector(halves[0], Vector<std::int64_t>), value, sums[0]);
    add_where(__builtin_convertvector(halves[1], Vector<std::int64_t>), value, sums[1]);
  }
};

struct DoubleSide {
  Vector<std::int64_t> lanes;
  DoubleSide(const Vector<double>& values, const Vector<double>& thresholds)
      : lanes(values <= thresholds) {}
  void count(Vector<std::int64_t>& counts) const { counts -= lanes; }
  void add(double value, Vector<double>* sums) const { add_where(lanes, value, sums[0]); }
};

#endif

template <class T>
using Side = std::conditional_t<std::is_same_v<T, float>, FloatSide, DoubleSide>;
template <class T>
using Counts = Vector<std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::int64_t>>;

// Vectors of doubles for the lanes of one of T.
template <class T>
constexpr int kParts = static_cast<int>(sizeof(double) / sizeof(T));

template <bool has_weights, int kVectors, class T>
void sum_vectors(const RowTable<T>& table, const NodeRows& node, std::int64_t first,
                 const T* thresholds, const LeftSums& left) {
  const VectorReader<T> read[2] = {{table, first}, {table, first + kWidth<T>}};
  Vector<T> threshold[kVectors], values{};
  std::memcpy(&threshold, thresholds + first, sizeof threshold);
  Counts<T> counts[kVectors] = {};
  Vector<double> weights[kVectors][kParts<T>] = {}, addends[kVectors][kParts<T>] = {};
  for_each_row(node, 0, read, [&](std::int64_t i) {
    for (int k = 0; k < kVectors; ++k) {
      read[k](node.rows[i], values);
      const Side<T> side(values, threshold[k]);
      side.count(counts[k]);
      if constexpr (has_weights) side.add(node.weights[i], weights[k]);
      side.add(node.addends[i], addends[k]);
    }
  });
  for (std::int64_t lane = 0; lane < kVectors * kWidth<T>; ++lane)
    left.counts[first + lane] =
        static_cast<std::int32_t>(counts[lane / kWidth<T>][lane % kWidth<T>]);
  if constexpr (has_weights) std::memcpy(left.weights + first, &weights, sizeof weights);
  std::memcpy(left.sums + first, &addends, sizeof addends);
}

template <class T>
void sums(const RowTable<T>& table, const NodeRows& node, const T* thresholds,
          const LeftSums& left) {
  by_two_vectors<T>(table.n_features, [&]<int k>(std::integral_constant<int, k>, auto first) {
    if (node.weights != nullptr)
      sum_vectors<true, k>(table, node, first, thresholds, left);
    else
      sum_vectors<false, k>(table, node, first, thresholds, left);
  });
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// Eight thresholds.
__m512d thresholds_at(__m512d low, __m512d high, __m512d places) {
  const __m512d drawn = _mm512_add_pd(low, _mm512_mul_pd(places, _mm512_sub_pd(high, low)));
  const __mmask8 has_place = _mm512_cmp_pd_mask(places, places, _CMP_ORD_Q);
  return _mm512_mask_mov_pd(drawn, _mm512_mask_cmp_pd_mask(has_place, drawn, high, _CMP_NLT_UQ),
                            low);
}

void set_thresholds(std::int64_t n_lanes, const float* lowest, const float* highest,
                    const double* places, double* thresholds, float* compared) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  for (std::int64_t i = 0; i < n_lanes; i += 8) {
    const __m512d drawn =
        thresholds_at(_mm512_cvtps_pd(_mm256_loadu_ps(lowest + i)),
                      _mm512_cvtps_pd(_mm256_loadu_ps(highest + i)), _mm512_loadu_pd(places + i));
    _mm512_storeu_pd(thresholds + i, drawn);
    _mm256_storeu_ps(compared + i, _mm512_cvt_roundpd_ps(drawn, kDown));
  }
}
void set_thresholds(std::int64_t n_lanes, const double* lowest, const double* highest,
                    const double* places, double* thresholds, double* compared) {
  for (std::int64_t i = 0; i < n_lanes; i += 8) {
    const __m512d drawn = thresholds_at(_mm512_loadu_pd(lowest + i), _mm512_loadu_pd(highest + i),
                                        _mm512_loadu_pd(places + i));
    _mm512_storeu_pd(thresholds + i, drawn);
    _mm512_storeu_pd(compared + i, drawn);
  }
}

template <bool has_weights>
double scores_of(const MomentNode& node, const LeftSums& left, std::int64_t n_columns,
                 double* scores) {
  const __m512d none = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  const __m512d weight = _mm512_set1_pd(node.weight), sum = _mm512_set1_pd(node.sum);
  const __m256i least = _mm256_set1_epi32(static_cast<std::int32_t>(node.min_samples_leaf));
  const __m256i n = _mm256_set1_epi32(static_cast<std::int32_t>(node.n));
  __m512d highest = none;
  for (std::int64_t i = 0; i < n_columns; i += 8) {
    const __m256i count = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left.counts + i));
    const __mmask8 allowed = _mm256_mask_cmpge_epi32_mask(_mm256_cmpge_epi32_mask(count, least),
                                                          _mm256_sub_epi32(n, count), least);
    const __m512d l = has_weights ? _mm512_loadu_pd(left.weights + i) : _mm512_cvtepi32_pd(count);
    const __m512d r = _mm512_sub_pd(weight, l);
    const __m512d left_sum = _mm512_loadu_pd(left.sums + i);
    const __m512d right_sum = _mm512_sub_pd(sum, left_sum);
    const __m512d num = _mm512_add_pd(_mm512_mul_pd(_mm512_mul_pd(left_sum, left_sum), r),
                                      _mm512_mul_pd(_mm512_mul_pd(right_sum, right_sum), l));
    const __m512d ratio = _mm512_div_pd(num, _mm512_mul_pd(l, r));
    const __mmask8 is_score = _mm512_mask_cmp_pd_mask(allowed, ratio, none, _CMP_GT_OQ);
    const __m512d score = _mm512_mask_mov_pd(none, is_score, ratio);
    _mm512_storeu_pd(scores + i, score);
    highest = _mm512_max_pd(highest, score);
  }
  return _mm512_reduce_max_pd(highest);
}

#else

template <class T>
void set_thresholds(std::int64_t n_lanes, const T* lowest, const T* highest, const double* places,
                    double* thresholds, T* compared) {
  for (std::int64_t i = 0; i < n_lanes; ++i) {
    const bool is_drawn = places[i] == places[i];
    thresholds[i] = is_drawn ? tree::drawn_threshold(lowest[i], highest[i], places[i]) : places[i];
    compared[i] = is_drawn ? tree::not_above(thresholds[i], T{}) : static_cast<T>(places[i]);
  }
}

template <bool has_weights>
double scores_of(const MomentNode& node, const LeftSums& left, std::int64_t n_columns,
                 double* scores) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double highest = kNone;
  for (std::int64_t i = 0; i < n_columns; ++i) {
    const std::int64_t count = left.counts[i];
    const double l = has_weights ? left.weights[i] : static_cast<double>(count);
    const double r = node.weight - l, right_sum = node.sum - left.sums[i];
    const double num = left.sums[i] * left.sums[i] * r + right_sum * right_sum * l;
    const double ratio = num / (l * r);
    const bool is_allowed = std::min(count, node.n - count) >= node.min_samples_leaf;
    scores[i] = is_allowed && ratio > kNone ? ratio : kNone;
    highest = std::max(highest, scores[i]);
  }
  return highest;
}

#endif

}  // namespace

void row_ranges(const RowTable<float>& table, const NodeRows& node, float* lowest, float* highest) {
  ranges(table, node, lowest, highest);
}
void row_ranges(const RowTable<double>& table, const NodeRows& node, double* lowest,
                double* highest) {
  ranges(table, node, lowest, highest);
}

void row_thresholds(const RowTable<float>& table, const float* lowest, const float* highest,
                    const double* places, double* thresholds, float* compared) {
  set_thresholds(table.n_lanes(), lowest, highest, places, thresholds, compared);
}
void row_thresholds(const RowTable<double>& table, const double* lowest, const double* highest,
                    const double* places, double* thresholds, double* compared) {
  set_thresholds(table.n_lanes(), lowest, highest, places, thresholds, compared);
}

double score_cuts(const MomentNode& node, const LeftSums& left, bool has_weights,
                  std::int64_t n_columns, double* scores) {
  return has_weights ? scores_of<true>(node, left, n_columns, scores)
                     : scores_of<false>(node, left, n_columns, scores);
}

void row_sums(const RowTable<float>& table, const NodeRows& node, const float* thresholds,
              const LeftSums& left) {
  sums(table, node, thresholds, left);
}
void row_sums(const RowTable<double>& table, const NodeRows& node, const double* thresholds,
              const LeftSums& left) {
  sums(table, node, thresholds, left);
}

}  // namespace gramian::GRAMIAN_ISA
