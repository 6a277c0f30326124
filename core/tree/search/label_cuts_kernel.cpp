#include "tree/search/label_cuts_kernel.hpp"

#include "tree/search/not_above.hpp"
#include "tree/search/word_lanes.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kLabelShift;
using tree::LabelCut;
using tree::LabelNode;

// Row after row: what is added for a row follows from the counts so far, whatever the number of
// classes. No branch: which side a row is on cannot be predicted.
template <class T>
void count_rows(const T* values, const LabelNode& node, T threshold, LabelCut& cut) {
  std::uint64_t squares = 0, products = 0;
  std::int64_t n_left = 0;
  for (std::int64_t i = 0; i < node.n; ++i) {
    const std::uint32_t label = node.words[i] >> kLabelShift;
    const std::uint32_t is_left = values[i] <= threshold ? 1U : 0U;
    const std::uint64_t mask = std::uint64_t{0} - is_left;
    std::uint32_t& count = node.left[label];
    squares += (2 * std::uint64_t{count} + 1) & mask;
    products += node.counts[label] & mask;
    count += is_left;
    n_left += is_left;
  }
  std::uint64_t all = 0;
  for (std::int64_t k = 0; k < node.n_classes; ++k)
    all += std::uint64_t{node.counts[k]} * node.counts[k];
  if (node.n < node.n_classes)
    for (std::int64_t i = 0; i < node.n; ++i) node.left[node.words[i] >> kLabelShift] = 0;
  else
    for (std::int64_t k = 0; k < node.n_classes; ++k) node.left[k] = 0;
  cut.n_left = n_left;
  cut.left_squares = squares;
  cut.right_squares = all - 2 * products + squares;
}

void count_words(const std::uint32_t* words, std::int64_t n, std::uint32_t* counts) {
  for (std::int64_t i = 0; i < n; ++i) ++counts[words[i] >> kLabelShift];
}

#if GRAMIAN_WORD_LANES

// Eight classes to a word of 64 bits, a byte each, which cannot overflow in so many vectors.
constexpr int kClasses = 8;
constexpr std::int64_t kRows = 8;  // of a vector
constexpr std::int64_t kVectors = 255;

using RowMask = __mmask8;

RowMask rows_below(std::int64_t n) {
  return static_cast<RowMask>(n < kRows ? (1U << n) - 1U : 0xFFU);
}

RowMask left_of(const double* values, RowMask rows, double threshold) {
  return _mm512_mask_cmp_pd_mask(rows, _mm512_maskz_loadu_pd(rows, values),
                                 _mm512_set1_pd(threshold), _CMP_LE_OQ);
}
RowMask left_of(const float* values, RowMask rows, float threshold) {
  return _mm256_mask_cmp_ps_mask(rows, _mm256_maskz_loadu_ps(rows, values),
                                 _mm256_set1_ps(threshold), _CMP_LE_OQ);
}

// Counts of kWords times eight classes, lane by lane.
template <int kWords>
struct LaneCounts {
  __m512i bytes[kWords];

  LaneCounts() {
    for (__m512i& word : bytes) word = _mm512_setzero_si512();
  }

  void add(const std::uint32_t* words, RowMask rows, RowMask counted) {
    const __m256i labels =
        _mm256_srli_epi32(_mm256_maskz_loadu_epi32(rows, words), tree::kLabelShift);
    const __m512i bits = _mm512_slli_epi64(_mm512_cvtepu32_epi64(labels), 3);
    for (int w = 0; w < kWords; ++w) {  // a shift out of the word leaves nothing
      const __m512i place = _mm512_sub_epi64(bits, _mm512_set1_epi64(64 * w));
      const __m512i one = _mm512_sllv_epi64(_mm512_set1_epi64(1), place);
      bytes[w] = _mm512_mask_add_epi64(bytes[w], counted, bytes[w], one);
    }
  }

  // Adds the counts of eight classes, each in a lane.
  __m512i plus(__m512i counts, int w) const {
    const __m512i even = _mm512_set1_epi64(0x00FF00FF00FF00FF);
    const auto low =
        static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_and_si512(bytes[w], even)));
    const auto high = static_cast<std::uint64_t>(
        _mm512_reduce_add_epi64(_mm512_and_si512(_mm512_srli_epi64(bytes[w], 8), even)));
    const __m128i pairs = _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
    const __m128i order = _mm_set_epi8(15, 14, 7, 6, 13, 12, 5, 4, 11, 10, 3, 2, 9, 8, 1, 0);
    return _mm512_add_epi64(counts, _mm512_cvtepu16_epi64(_mm_shuffle_epi8(pairs, order)));
  }

  // The same of no more rows than a byte holds.
  __m512i few(int w) const {
    const auto sum = _mm512_reduce_add_epi64(bytes[w]);
    return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(sum));
  }
};

// side_of(i, rows): which of the rows from i on are counted. Calls sums(w, counts) for each eight
// classes.
template <int kWords, class SideOf, class Sums>
std::int64_t count_sides(const std::uint32_t* words, std::int64_t n, const SideOf& side_of,
                         const Sums& sums) {
  std::int64_t n_counted = 0;
  const auto count_from = [&](std::int64_t begin, std::int64_t end) {
    LaneCounts<kWords> lanes;
    for (std::int64_t i = begin; i < end; i += kRows) {
      const RowMask rows = rows_below(end - i), counted = side_of(i, rows);
      n_counted += __builtin_popcount(counted);
      lanes.add(words + i, rows, counted);
    }
    return lanes;
  };
  if (n <= kVectors) {
    const LaneCounts<kWords> lanes = count_from(0, n);
    for (int w = 0; w < kWords; ++w) sums(w, lanes.few(w));
    return n_counted;
  }
  __m512i counts[kWords];
  for (__m512i& count : counts) count = _mm512_setzero_si512();
  for (std::int64_t begin = 0; begin < n; begin += kRows * kVectors) {
    const LaneCounts<kWords> lanes =
        count_from(begin, n < begin + kRows * kVectors ? n : begin + kRows * kVectors);
    for (int w = 0; w < kWords; ++w) counts[w] = lanes.plus(counts[w], w);
  }
  for (int w = 0; w < kWords; ++w) sums(w, counts[w]);
  return n_counted;
}

template <int kWords, class T>
void count_lanes(const T* values, const LabelNode& node, T threshold, LabelCut& cut) {
  __m512i left_squares = _mm512_setzero_si512(), right_squares = left_squares;
  cut.n_left = count_sides<kWords>(
      node.words, node.n,
      [&](std::int64_t i, RowMask rows) { return left_of(values + i, rows, threshold); },
      [&](int w, __m512i left) {
        const __m512i all = _mm512_cvtepu32_epi64(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(node.counts + kClasses * w)));
        const __m512i right = _mm512_sub_epi64(all, left);
        left_squares = _mm512_add_epi64(left_squares, _mm512_mul_epu32(left, left));
        right_squares = _mm512_add_epi64(right_squares, _mm512_mul_epu32(right, right));
      });
  cut.left_squares = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(left_squares));
  cut.right_squares = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(right_squares));
}

template <int kWords>
void count_all(const std::uint32_t* words, std::int64_t n, std::uint32_t* counts) {
  count_sides<kWords>(
      words, n, [](std::int64_t, RowMask rows) { return rows; },
      [&](int w, __m512i sums) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(counts + kClasses * w),
                            _mm512_cvtepi64_epi32(sums));
      });
}

// Calls function<words>() for so many classes; false if they are too many for that to pay.
template <class Function>
bool with_words(std::int64_t n_classes, const Function& function) {
  if (n_classes <= kClasses)
    function.template operator()<1>();
  else if (n_classes <= 2 * kClasses)
    function.template operator()<2>();
  else if (n_classes <= 4 * kClasses)
    function.template operator()<4>();
  else
    return false;
  return true;
}

#else

template <class Function>
bool with_words(std::int64_t, const Function&) {
  return false;
}
template <int, class T>
void count_lanes(const T*, const LabelNode&, T, LabelCut&) {}
template <int>
void count_all(const std::uint32_t*, std::int64_t, std::uint32_t*) {}

#endif

template <class T>
LabelCut cut(const T* values, const LabelNode& node, double place) {
  const Bounds<T> bounds = bounds_of(values, node.n);
  LabelCut cut;
  cut.varies = bounds.lowest < bounds.highest;
  if (!cut.varies) return cut;
  cut.threshold = tree::drawn_threshold(bounds.lowest, bounds.highest, place);
  const T threshold = tree::not_above(cut.threshold, T{});
  if (!with_words(node.n_classes,
                  [&]<int kWords>() { count_lanes<kWords>(values, node, threshold, cut); }))
    count_rows(values, node, threshold, cut);
  return cut;
}

}  // namespace

void count_labels(const std::uint32_t* words, std::int64_t n, std::int64_t n_classes,
                  std::uint32_t* counts) {
  if (with_words(n_classes, [&]<int kWords>() { count_all<kWords>(words, n, counts); })) return;
  for (std::int64_t k = 0; k < n_classes; ++k) counts[k] = 0;
  count_words(words, n, counts);
}

LabelCut cut_labels(const float* values, const LabelNode& node, double place) {
  return cut(values, node, place);
}
LabelCut cut_labels(const double* values, const LabelNode& node, double place) {
  return cut(values, node, place);
}

}  // namespace gramian::GRAMIAN_ISA
