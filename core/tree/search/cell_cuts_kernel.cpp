#include "tree/search/cell_cuts_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tree/criterion/criterion.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define GRAMIAN_HAS_LANES 1
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::CellCut;
using tree::kLanes;
using tree::LaneNode;

// Adds the lanes of a cell, whatever its type.
template <class Cell>
void add_cell(const Cell* cells, std::int64_t i, std::int64_t* lanes) {
  for (int k = 0; k < kLanes; ++k) {
    if constexpr (sizeof(Cell) == 8)
      lanes[k] += static_cast<std::int64_t>(cells[i] >> 8 * k & 0xff);
    else
      lanes[k] += cells[kLanes * i + k];
  }
}

// One cell after the other.
template <class Cell>
CellCut plain_best_cut(const Cell* cells, std::int64_t n_cells, const LaneNode& node, double best) {
  CellCut cut{best};
  std::int64_t left[kLanes] = {};
  const auto weight = static_cast<std::int64_t>(node.weight);
  for (std::int64_t i = 0; i < n_cells; ++i) {
    add_cell(cells, i, left);
    std::int64_t left_weight = 0, left_terms = 0, right_terms = 0;
    for (int k = 1; k < kLanes; ++k) {
      const std::int64_t right = node.lanes[k] - left[k];
      left_weight += left[k];
      left_terms += left[k] * left[k];
      right_terms += right * right;
    }
    const std::int64_t right_weight = weight - left_weight;
    if (left_weight == 0 || right_weight == 0) continue;
    if (std::min(left[0], node.n - left[0]) < node.min_samples_leaf) continue;
    const auto l = static_cast<double>(left_weight), r = static_cast<double>(right_weight);
    const double num = static_cast<double>(left_terms) * r + static_cast<double>(right_terms) * l;
    if (!tree::ratio_improves(num, l * r, cut.score, cut.score)) continue;
    cut.last = i;
    cut.is_left_heavier = left_weight > right_weight;
  }
  return cut;
}

#if defined(GRAMIAN_HAS_LANES)

// Eight cuts: the sums of squares and the weights of both sides.
struct EightCuts {
  __m512d left_terms, right_terms, left;
  __mmask8 valid;  // neither side is empty, or too small
};

// Scores eight cuts and keeps the best.
class BestCut {
 public:
  BestCut(const LaneNode& node, double best) : weight_(_mm512_set1_pd(node.weight)) {
    cut_.score = best;
  }

  // As GiniTerms::improves, of the cuts behind the cells from `first` on.
  void consider(const EightCuts& cuts, std::int64_t first) {
    const __m512d right = _mm512_sub_pd(weight_, cuts.left);
    const __m512d num = _mm512_add_pd(_mm512_mul_pd(cuts.left_terms, right),
                                      _mm512_mul_pd(cuts.right_terms, cuts.left));
    const __m512d den = _mm512_mul_pd(cuts.left, right);
    const __m512d bound = _mm512_mul_pd(den, _mm512_set1_pd(cut_.score * (1.0 - 1e-14)));
    const __mmask8 better = _mm512_mask_cmp_pd_mask(cuts.valid, num, bound, _CMP_GE_OQ);
    if (better == 0) return;
    const __m512d ratio = _mm512_mask_div_pd(
        _mm512_set1_pd(-std::numeric_limits<double>::infinity()), better, num, den);
    const double highest = _mm512_reduce_max_pd(ratio);
    if (!(highest > cut_.score)) return;
    const __mmask8 at = _mm512_cmp_pd_mask(ratio, _mm512_set1_pd(highest), _CMP_EQ_OQ);
    const int lane = __builtin_ctz(at);
    cut_.score = highest;
    cut_.last = first + lane;
    cut_.is_left_heavier = (_mm512_cmp_pd_mask(cuts.left, right, _CMP_GT_OQ) >> lane & 1) != 0;
  }

  const CellCut& cut() const { return cut_; }

 private:
  __m512d weight_;
  CellCut cut_{};
};

// The cuts whose sides, of whole numbers in 64 bits each, keep to the node's rules.
class Rules {
 public:
  explicit Rules(const LaneNode& node)
      : weight_(_mm512_set1_epi64(node.weight)),
        least_(_mm512_set1_epi64(node.min_samples_leaf)),
        most_(_mm512_set1_epi64(node.n - node.min_samples_leaf)),
        counts_(node.min_samples_leaf > 1) {}

  __mmask8 allowed(__m512i left, __m512i counts) const {
    const __mmask8 parted =
        _mm512_mask_cmplt_epi64_mask(_mm512_test_epi64_mask(left, left), left, weight_);
    if (!counts_) return parted;
    return _mm512_mask_cmple_epi64_mask(_mm512_mask_cmpge_epi64_mask(parted, counts, least_),
                                        counts, most_);
  }

 private:
  __m512i weight_, least_, most_;
  bool counts_;
};

// The sum of the squares of eight bytes below 128, in each of eight numbers; they sum up to at most
// kMostOfBytes.
__m512i squares_of_bytes(__m512i bytes) {
  const __m512i pairs = _mm512_madd_epi16(_mm512_maddubs_epi16(bytes, bytes), _mm512_set1_epi16(1));
  return _mm512_and_si512(_mm512_add_epi32(pairs, _mm512_srli_epi64(pairs, 32)),
                          _mm512_set1_epi64(0xffffffff));
}

CellCut best_cut(const std::uint64_t* cells, std::int64_t n_cells, const LaneNode& node,
                 double best) {
  std::uint64_t total = 0;
  for (int k = 1; k < kLanes; ++k) total |= std::uint64_t{node.lanes[k]} << 8 * k;
  const __m512i totals = _mm512_set1_epi64(static_cast<std::int64_t>(total));
  const __m512i zero = _mm512_setzero_si512(), count_lane = _mm512_set1_epi64(0xff);
  const Rules rules(node);
  BestCut found(node, best);
  __m512i before = zero;
  for (std::int64_t i = 0; i < n_cells; i += 8) {
    __m512i sums = _mm512_loadu_si512(cells + i);
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 7));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 6));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 4));
    sums = _mm512_add_epi64(sums, before);
    before = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums);
    const __m512i left = _mm512_andnot_si512(count_lane, sums);
    const __m512i left_weight = _mm512_sad_epu8(left, zero);
    EightCuts cuts;
    cuts.valid = rules.allowed(left_weight, _mm512_and_si512(sums, count_lane));
    cuts.left = _mm512_cvtepi64_pd(left_weight);
    cuts.left_terms = _mm512_cvtepi64_pd(squares_of_bytes(left));
    cuts.right_terms = _mm512_cvtepi64_pd(squares_of_bytes(_mm512_sub_epi8(totals, left)));
    found.consider(cuts, i);
  }
  return found.cut();
}

// Four cells of pairs of bytes: running sums, and what cuts need of them in the four numbers of
// each cell, whose sums are wanted.
struct FourCells {
  __m512i left_terms, right_terms, left, counts;
};

FourCells four_cells(const std::uint16_t* cells, __m512i totals, __m512i& before) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i count_lane = _mm512_set4_epi32(0, 0, 0, 0xffff);
  __m512i sums = _mm512_loadu_si512(cells);
  sums = _mm512_add_epi16(sums, _mm512_alignr_epi64(sums, zero, 6));
  sums = _mm512_add_epi16(sums, _mm512_alignr_epi64(sums, zero, 4));
  sums = _mm512_add_epi16(sums, before);
  before = _mm512_shuffle_i64x2(sums, sums, 0xff);
  const __m512i left = _mm512_andnot_si512(count_lane, sums);
  const __m512i right = _mm512_sub_epi16(totals, left);
  return {_mm512_madd_epi16(left, left), _mm512_madd_epi16(right, right),
          _mm512_madd_epi16(left, _mm512_set1_epi16(1)), _mm512_and_si512(sums, count_lane)};
}

// The sums of the four numbers of each cell, of eight cells.
__m256i sums_of_cells(__m512i first, __m512i second) {
  __m512i sums =
      _mm512_add_epi32(_mm512_unpacklo_epi32(first, second), _mm512_unpackhi_epi32(first, second));
  sums = _mm512_add_epi32(sums, _mm512_shuffle_epi32(sums, _MM_PERM_BADC));
  const __m512i order = _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 13, 9, 5, 1, 12, 8, 4, 0);
  return _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, sums));
}

CellCut best_cut(const std::uint16_t* cells, std::int64_t n_cells, const LaneNode& node,
                 double best) {
  std::uint16_t total[kLanes] = {};
  for (int k = 1; k < kLanes; ++k) total[k] = static_cast<std::uint16_t>(node.lanes[k]);
  __m128i lanes;
  std::memcpy(&lanes, total, sizeof lanes);
  const __m512i totals = _mm512_broadcast_i32x4(lanes);
  const Rules rules(node);
  BestCut found(node, best);
  __m512i before = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < n_cells; i += 8) {
    const FourCells first = four_cells(cells + kLanes * i, totals, before);
    const FourCells second = four_cells(cells + kLanes * (i + 4), totals, before);
    const __m256i left = sums_of_cells(first.left, second.left);
    EightCuts cuts;
    cuts.valid = rules.allowed(_mm512_cvtepu32_epi64(left),
                               _mm512_cvtepu32_epi64(sums_of_cells(first.counts, second.counts)));
    cuts.left = _mm512_cvtepi32_pd(left);
    cuts.left_terms = _mm512_cvtepi32_pd(sums_of_cells(first.left_terms, second.left_terms));
    cuts.right_terms = _mm512_cvtepi32_pd(sums_of_cells(first.right_terms, second.right_terms));
    found.consider(cuts, i);
  }
  return found.cut();
}

#else

CellCut best_cut(const std::uint64_t* cells, std::int64_t n_cells, const LaneNode& node,
                 double best) {
  return plain_best_cut(cells, n_cells, node, best);
}
CellCut best_cut(const std::uint16_t* cells, std::int64_t n_cells, const LaneNode& node,
                 double best) {
  return plain_best_cut(cells, n_cells, node, best);
}

#endif

}  // namespace

CellCut best_cell_cut(const std::uint64_t* cells, std::int64_t n_cells, const LaneNode& node,
                      double best) {
  return best_cut(cells, n_cells, node, best);
}
CellCut best_cell_cut(const std::uint16_t* cells, std::int64_t n_cells, const LaneNode& node,
                      double best) {
  return best_cut(cells, n_cells, node, best);
}
CellCut best_cell_cut(const std::uint32_t* cells, std::int64_t n_cells, const LaneNode& node,
                      double best) {
  return plain_best_cut(cells, n_cells, node, best);
}

}  // namespace gramian::GRAMIAN_ISA
