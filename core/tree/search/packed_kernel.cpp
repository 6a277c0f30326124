#include "tree/search/packed_kernel.hpp"

#include "tree/criterion/criterion.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kPackedBits;
using tree::PackedCut;
using tree::PackedTotal;

constexpr std::uint32_t kEmpty = 0xffffffffu;  // no key: weights are below 128

// The sums of the rows before a cut.
struct Sums {
  double weight = 0.0;
  double second = 0.0;

  void add(std::uint32_t key) {
    const auto w = static_cast<double>(key >> 1 & 0x7f);
    weight += w;
    second += (key & 1) != 0 ? w : 0.0;
  }
};

// As GiniTerms::improves_two.
void consider(const Sums& left, const PackedTotal& node, std::int64_t n_left, PackedCut& best) {
  const double right = node.weight - left.weight;
  const double right_second = node.second - left.second;
  const double rest = node.weight - 2.0 * node.second;
  const double num = left.second * left.second * right + right_second * right_second * left.weight;
  double ratio = 0.0;
  if (!tree::ratio_improves(num, left.weight * right, 0.5 * (best.score - rest), ratio)) return;
  const double sum = rest + 2.0 * ratio;
  if (!(sum > best.score)) return;
  best.score = sum;
  best.n_left = n_left;
  best.left_weight = left.weight;
}

bool is_cut(const std::uint32_t* keys, std::int64_t i) {
  return keys[i] >> kPackedBits != keys[i - 1] >> kPackedBits;
}

// The cuts before rows i + 1 .. end; `left` holds the rows before i.
void scan_one_by_one(const std::uint32_t* keys, std::int64_t i, std::int64_t end,
                     const PackedTotal& node, Sums& left, PackedCut& best) {
  while (i < end) {
    left.add(keys[i++]);
    if (is_cut(keys, i)) consider(left, node, i, best);
  }
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// Sums of the lanes up to and including each.
__m512i running_sums(__m512i x) {
  const __m512i zero = _mm512_setzero_si512();
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
  return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}

// Which of eight cuts may score above `best`, rounding aside: by the terms of both sides over their
// weights, as one fraction.
__mmask8 may_improve(__m256i weights, __m256i seconds, const Sums& before, const PackedTotal& node,
                     double best) {
  const __m512d left = _mm512_add_pd(_mm512_set1_pd(before.weight), _mm512_cvtepi32_pd(weights));
  const __m512d second = _mm512_add_pd(_mm512_set1_pd(before.second), _mm512_cvtepi32_pd(seconds));
  const __m512d first = _mm512_sub_pd(left, second);
  const __m512d right = _mm512_sub_pd(_mm512_set1_pd(node.weight), left);
  const __m512d right_second = _mm512_sub_pd(_mm512_set1_pd(node.second), second);
  const __m512d right_first = _mm512_sub_pd(right, right_second);
  const __m512d left_terms =
      _mm512_add_pd(_mm512_mul_pd(second, second), _mm512_mul_pd(first, first));
  const __m512d right_terms = _mm512_add_pd(_mm512_mul_pd(right_second, right_second),
                                            _mm512_mul_pd(right_first, right_first));
  const __m512d num =
      _mm512_add_pd(_mm512_mul_pd(left_terms, right), _mm512_mul_pd(right_terms, left));
  const __m512d bound =
      _mm512_mul_pd(_mm512_mul_pd(left, right), _mm512_set1_pd(best * (1.0 - 2e-14)));
  return _mm512_cmp_pd_mask(num, bound, _CMP_GE_OQ);
}

// Sixteen rows at a time, the last ones in part; cuts that may win are then scored one by one.
void scan(const std::uint32_t* keys, std::int64_t i, std::int64_t end, const PackedTotal& node,
          Sums& left, PackedCut& best) {
  for (; i < end; i += 16) {
    const auto rows = static_cast<__mmask16>(end - i < 16 ? (1U << (end - i)) - 1U : 0xffffU);
    const __m512i these = _mm512_maskz_loadu_epi32(rows, keys + i);
    const __m512i next = _mm512_maskz_loadu_epi32(rows, keys + i + 1);
    const __m512i weight = _mm512_and_si512(_mm512_srli_epi32(these, 1), _mm512_set1_epi32(0x7f));
    const __mmask16 is_second = _mm512_test_epi32_mask(these, _mm512_set1_epi32(1));
    const __m512i weights = running_sums(weight);
    const __m512i seconds = running_sums(_mm512_maskz_mov_epi32(is_second, weight));
    const __mmask16 cuts = _mm512_cmpneq_epi32_mask(_mm512_srli_epi32(these, kPackedBits),
                                                    _mm512_srli_epi32(next, kPackedBits));
    const auto low = may_improve(_mm512_castsi512_si256(weights), _mm512_castsi512_si256(seconds),
                                 left, node, best.score);
    const auto high = may_improve(_mm512_extracti64x4_epi64(weights, 1),
                                  _mm512_extracti64x4_epi64(seconds, 1), left, node, best.score);
    if ((cuts & static_cast<__mmask16>(low | high << 8)) != 0) {
      scan_one_by_one(keys, i, end - i < 16 ? end : i + 16, node, left, best);
      continue;
    }
    left.weight += _mm512_cvtsi512_si32(_mm512_alignr_epi32(weights, weights, 15));
    left.second += _mm512_cvtsi512_si32(_mm512_alignr_epi32(seconds, seconds, 15));
  }
}

#else

void scan(const std::uint32_t* keys, std::int64_t i, std::int64_t end, const PackedTotal& node,
          Sums& left, PackedCut& best) {
  scan_one_by_one(keys, i, end, node, left, best);
}

#endif

}  // namespace

void sort_few_packed(const std::uint32_t* keys, std::int64_t n, std::uint32_t* sorted) {
  for (std::int64_t i = 0; i < n; ++i) sorted[i] = kEmpty;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t key = keys[i];
    std::uint32_t place = 0;
    for (std::int64_t j = 0; j < n; ++j) place += keys[j] < key ? 1u : 0u;
    sorted[place] = key;
  }
  // Equal keys were written to one place, before as many empty ones.
  for (std::int64_t i = 1; i < n; ++i)
    if (sorted[i] == kEmpty) sorted[i] = sorted[i - 1];
}

PackedCut best_packed_cut(const std::uint32_t* keys, PackedTotal node, std::int64_t first,
                          std::int64_t last, double best) {
  PackedCut cut{best, 0, 0.0};
  Sums left;
  std::int64_t i = 0;
  while (i < first - 1) left.add(keys[i++]);
  scan(keys, i, last, node, left, cut);
  return cut;
}

}  // namespace gramian::GRAMIAN_ISA
