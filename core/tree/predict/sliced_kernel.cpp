#include "tree/predict/sliced_kernel.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "tree/predict/keys_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kMaxSlicedLeaves;
using tree::kMissingCode;
using tree::kSliceRows;
using tree::SlicedLevel;
using tree::SlicedNode;

#if defined(__AVX512BW__)

// A split waits for the masks of its parent, which is most often the split before it, so that
// several slices go through a tree side by side.
constexpr int kSlicesAtOnce = 4;

void store_numbers(__m512i number, std::uint32_t* leaves) {
  const __m128i parts[] = {
      _mm512_extracti32x4_epi32(number, 0), _mm512_extracti32x4_epi32(number, 1),
      _mm512_extracti32x4_epi32(number, 2), _mm512_extracti32x4_epi32(number, 3)};
  for (int k = 0; k < 4; ++k) _mm512_storeu_si512(leaves + 16 * k, _mm512_cvtepu8_epi32(parts[k]));
}

template <int kSlices, bool kHasMissing>
void slice(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes,
           std::int64_t slice_size, std::uint32_t* leaves) {
  std::uint64_t reach[kMaxSlicedLeaves + 1][kSlices];
  __m512i number[kSlices];
  for (int s = 0; s < kSlices; ++s) {
    reach[0][s] = ~std::uint64_t{0};
    number[s] = _mm512_setzero_si512();
  }
  for (int k = 0; k < n_splits; ++k) {
    const SlicedNode& node = nodes[k];
    const __m512i threshold = _mm512_set1_epi8(static_cast<char>(node.code));
    const __m512i n_left_leaves = _mm512_set1_epi8(static_cast<char>(node.n_left_leaves));
    for (int s = 0; s < kSlices; ++s) {
      const __m512i code = _mm512_loadu_si512(codes + s * slice_size + kSliceRows * node.slot);
      std::uint64_t above = _mm512_cmpgt_epu8_mask(code, threshold);
      if constexpr (kHasMissing)
        if (node.is_missing_left != 0)
          above &= _mm512_cmpneq_epu8_mask(code, _mm512_set1_epi8(static_cast<char>(kMissingCode)));
      const std::uint64_t right = reach[k][s] & above;
      const std::uint64_t left = reach[k][s] & ~above;
      reach[node.left][s] = left;
      reach[node.right][s] = right;
      number[s] = _mm512_mask_add_epi8(number[s], right, number[s], n_left_leaves);
    }
  }
  for (int s = 0; s < kSlices; ++s) store_numbers(number[s], leaves + kSliceRows * s);
}

template <bool kHasMissing>
void ask_levels(const SlicedLevel* levels, int n_levels, const std::uint8_t* codes,
                std::uint32_t* leaves) {
  __m512i number = _mm512_setzero_si512();
  for (int k = 0; k < n_levels; ++k) {
    const SlicedLevel& level = levels[k];
    const __m512i code = _mm512_loadu_si512(codes + kSliceRows * level.slot);
    std::uint64_t above =
        _mm512_cmpgt_epu8_mask(code, _mm512_set1_epi8(static_cast<char>(level.code)));
    if constexpr (kHasMissing)
      if (level.is_missing_left != 0)
        above &= _mm512_cmpneq_epu8_mask(code, _mm512_set1_epi8(static_cast<char>(kMissingCode)));
    number = _mm512_add_epi8(number, number);
    number = _mm512_mask_add_epi8(number, above, number, _mm512_set1_epi8(1));
  }
  store_numbers(number, leaves);
}

// Searches of 64 rows side by side. The first five steps look into two registers, and only the last
// ones, of which there are at most three, into memory.
void find_codes(const std::uint32_t* keys, const std::uint32_t* thresholds, int n_bits,
                std::uint32_t* n_below) {
  constexpr int kBitsAtOnce = 5, kSize = 1 << kBitsAtOnce;
  const int n_more = n_bits > kBitsAtOnce ? n_bits - kBitsAtOnce : 0;
  alignas(64) std::uint32_t coarse[kSize];  // every 2^n_more-th threshold
  for (int k = 0; k < kSize; ++k) {
    const int place = ((k + 1) << n_more) - 1;
    coarse[k] = place < (1 << n_bits) - 1 ? thresholds[place] : tree::kMissingKey;
  }
  const __m512i low = _mm512_load_si512(coarse), high = _mm512_load_si512(coarse + 16);
  __m512i key[4], at[4];
  for (int k = 0; k < 4; ++k) {
    key[k] = _mm512_loadu_si512(keys + 16 * k);
    at[k] = _mm512_setzero_si512();
  }
  const auto step = [&](int k, __m512i half, __m512i threshold) {
    at[k] = _mm512_mask_add_epi32(at[k], _mm512_cmplt_epu32_mask(threshold, key[k]), at[k], half);
  };
  const auto middle = [&](int k, int half) {
    return _mm512_add_epi32(at[k], _mm512_set1_epi32(half - 1));
  };
  for (int half = kSize / 2; half > 0; half /= 2)
    for (int k = 0; k < 4; ++k)
      step(k, _mm512_set1_epi32(half), _mm512_permutex2var_epi32(low, middle(k, half), high));
  for (auto& place : at) place = _mm512_slli_epi32(place, static_cast<unsigned>(n_more));
  for (int half = (1 << n_more) / 2; half > 0; half /= 2)
    for (int k = 0; k < 4; ++k)
      step(k, _mm512_set1_epi32(half), _mm512_i32gather_epi32(middle(k, half), thresholds, 4));
  for (int k = 0; k < 4; ++k) _mm512_storeu_si512(n_below + 16 * k, at[k]);
}

#else

constexpr int kSlicesAtOnce = 1;

// Masks of bytes, which the compiler turns into vectors of the level's width.
template <int kSlices, bool kHasMissing>
void slice(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes, std::int64_t,
           std::uint32_t* leaves) {
  static_assert(kSlices == 1);
  alignas(64) std::uint8_t reach[kMaxSlicedLeaves + 1][kSliceRows];
  alignas(64) std::uint8_t number[kSliceRows];
  for (int i = 0; i < kSliceRows; ++i) {
    reach[0][i] = 0xFF;
    number[i] = 0;
  }
  for (int k = 0; k < n_splits; ++k) {
    const SlicedNode& node = nodes[k];
    const std::uint8_t* code = codes + kSliceRows * node.slot;
    alignas(64) std::uint8_t right[kSliceRows], left[kSliceRows];
    const std::uint8_t missing_mask = kHasMissing && node.is_missing_left != 0 ? 0xFF : 0;
    for (int i = 0; i < kSliceRows; ++i) {
      std::uint8_t above = code[i] > node.code ? 0xFF : 0;
      if (kHasMissing)
        above = static_cast<std::uint8_t>(above & ~(code[i] == kMissingCode ? missing_mask : 0U));
      right[i] = static_cast<std::uint8_t>(reach[k][i] & above);
      left[i] = static_cast<std::uint8_t>(reach[k][i] & ~above);
      number[i] = static_cast<std::uint8_t>(number[i] + (right[i] & node.n_left_leaves));
    }
    __builtin_memcpy(reach[node.left], left, kSliceRows);
    __builtin_memcpy(reach[node.right], right, kSliceRows);
  }
  for (int i = 0; i < kSliceRows; ++i) leaves[i] = number[i];
}

template <bool kHasMissing>
void ask_levels(const SlicedLevel* levels, int n_levels, const std::uint8_t* codes,
                std::uint32_t* leaves) {
  alignas(64) std::uint8_t number[kSliceRows] = {};
  for (int k = 0; k < n_levels; ++k) {
    const SlicedLevel& level = levels[k];
    const std::uint8_t* code = codes + kSliceRows * level.slot;
    const bool keeps_missing = kHasMissing && level.is_missing_left != 0;
    for (int i = 0; i < kSliceRows; ++i) {
      const bool is_above = code[i] > level.code && !(keeps_missing && code[i] == kMissingCode);
      number[i] = static_cast<std::uint8_t>(2 * number[i] + (is_above ? 1 : 0));
    }
  }
  for (int i = 0; i < kSliceRows; ++i) leaves[i] = number[i];
}

// One step of all searches after another: vectors, or at least no branch that would be guessed
// wrong half of the time.
void find_codes(const std::uint32_t* keys, const std::uint32_t* thresholds, int n_bits,
                std::uint32_t* n_below) {
  for (int i = 0; i < kSliceRows; ++i) n_below[i] = 0;
  for (int bit = n_bits - 1; bit >= 0; --bit) {
    const std::uint32_t half = 1U << bit;
    for (int i = 0; i < kSliceRows; ++i) {
      const auto is_below =
          static_cast<std::uint32_t>(thresholds[n_below[i] + half - 1U] < keys[i]);
      n_below[i] += is_below << bit;
    }
  }
}

#endif

template <bool kHasMissing>
void slice_all(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes,
               std::int64_t slice_size, std::int64_t n_slices, std::uint32_t* leaves) {
  std::int64_t k = 0;
  for (; k + kSlicesAtOnce <= n_slices; k += kSlicesAtOnce)
    slice<kSlicesAtOnce, kHasMissing>(nodes, n_splits, codes + k * slice_size, slice_size,
                                      leaves + k * kSliceRows);
  for (; k < n_slices; ++k)
    slice<1, kHasMissing>(nodes, n_splits, codes + k * slice_size, slice_size,
                          leaves + k * kSliceRows);
}

}  // namespace

void write_codes(const std::uint32_t* keys, const std::uint32_t* thresholds, int n_bits,
                 std::uint8_t* codes) {
  std::uint32_t n_below[kSliceRows];
  find_codes(keys, thresholds, n_bits, n_below);
  for (int i = 0; i < kSliceRows; ++i)
    codes[i] = static_cast<std::uint8_t>(keys[i] == tree::kMissingKey ? kMissingCode : n_below[i]);
}

void slice_rows(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes,
                std::int64_t slice_size, std::int64_t n_slices, bool has_missing,
                std::uint32_t* leaves) {
  if (has_missing)
    slice_all<true>(nodes, n_splits, codes, slice_size, n_slices, leaves);
  else
    slice_all<false>(nodes, n_splits, codes, slice_size, n_slices, leaves);
}

void slice_symmetric(const SlicedLevel* levels, int n_levels, const std::uint8_t* codes,
                     std::int64_t slice_size, std::int64_t n_slices, bool has_missing,
                     std::uint32_t* leaves) {
  for (std::int64_t k = 0; k < n_slices; ++k, codes += slice_size, leaves += kSliceRows)
    if (has_missing)
      ask_levels<true>(levels, n_levels, codes, leaves);
    else
      ask_levels<false>(levels, n_levels, codes, leaves);
}

}  // namespace gramian::GRAMIAN_ISA
