#include "tree/sliced_kernel.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

#include "tree/keys_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kMaxSlicedLeaves;
using tree::kMissingCode;
using tree::kSliceRows;
using tree::SlicedNode;

#if defined(__AVX512BW__)

template <bool kHasMissing>
void slice(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes,
           std::uint32_t* leaves) {
  std::uint64_t reach[kMaxSlicedLeaves + 1];
  reach[0] = ~std::uint64_t{0};
  __m512i number = _mm512_setzero_si512();
  for (int k = 0; k < n_splits; ++k) {
    const SlicedNode& node = nodes[k];
    const __m512i code = _mm512_loadu_si512(codes + kSliceRows * node.slot);
    std::uint64_t above =
        _mm512_cmpgt_epu8_mask(code, _mm512_set1_epi8(static_cast<char>(node.code)));
    if constexpr (kHasMissing)
      if (node.is_missing_left != 0)
        above &= _mm512_cmpneq_epu8_mask(code, _mm512_set1_epi8(static_cast<char>(kMissingCode)));
    const std::uint64_t right = reach[k] & above;
    const std::uint64_t left = reach[k] & ~above;
    reach[node.left] = left;
    reach[node.right] = right;
    number = _mm512_mask_add_epi8(number, right, number,
                                  _mm512_set1_epi8(static_cast<char>(node.n_left_leaves)));
  }
  const __m128i parts[] = {
      _mm512_extracti32x4_epi32(number, 0), _mm512_extracti32x4_epi32(number, 1),
      _mm512_extracti32x4_epi32(number, 2), _mm512_extracti32x4_epi32(number, 3)};
  for (int k = 0; k < 4; ++k) _mm512_storeu_si512(leaves + 16 * k, _mm512_cvtepu8_epi32(parts[k]));
}

#else

// Masks of bytes, which the compiler turns into vectors of the level's width.
template <bool kHasMissing>
void slice(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes,
           std::uint32_t* leaves) {
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

#endif

}  // namespace

void write_codes(const std::uint32_t* keys, const std::uint32_t* thresholds, int n_bits,
                 std::uint8_t* codes) {
  // One step of all searches after another: vectors, or at least no branch that would be guessed
  // wrong half of the time.
  std::uint32_t n_below[kSliceRows] = {};
  for (int bit = n_bits - 1; bit >= 0; --bit) {
    const std::uint32_t half = 1U << bit;
    for (int i = 0; i < kSliceRows; ++i) {
      const auto is_below =
          static_cast<std::uint32_t>(thresholds[n_below[i] + half - 1U] < keys[i]);
      n_below[i] += is_below << bit;
    }
  }
  for (int i = 0; i < kSliceRows; ++i)
    codes[i] = static_cast<std::uint8_t>(keys[i] == tree::kMissingKey ? kMissingCode : n_below[i]);
}

void slice_rows(const SlicedNode* nodes, int n_splits, const std::uint8_t* codes, bool has_missing,
                std::uint32_t* leaves) {
  if (has_missing)
    slice<true>(nodes, n_splits, codes, leaves);
  else
    slice<false>(nodes, n_splits, codes, leaves);
}

}  // namespace gramian::GRAMIAN_ISA
