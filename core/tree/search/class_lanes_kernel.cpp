#include "tree/search/class_lanes_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define GRAMIAN_HAS_LANES 1
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::BitRange;
using tree::CodeRange;
using tree::kLanes;
using tree::kWordRow;

template <class Code>
bool read(const Code* from, std::int64_t step, const std::uint32_t* words, std::int64_t n,
          std::uint16_t* codes) {
  const Code first = from[static_cast<std::int64_t>(words[0] & kWordRow) * step];
  std::uint32_t difference = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Code code = from[static_cast<std::int64_t>(words[i] & kWordRow) * step];
    difference |= static_cast<std::uint32_t>(code ^ first);
    codes[i] = code;
  }
  return difference != 0;
}

// The lanes of one row, as a cell of bytes.
std::uint64_t cell_of(std::uint32_t word) {
  return (std::uint64_t{word >> tree::kWordRowBits & tree::kWordWeight} << (word >> 29) * 8) + 1;
}

#if defined(GRAMIAN_HAS_LANES)

__mmask8 first_of_eight(std::int64_t n) {
  return static_cast<__mmask8>(n < 8 ? (1U << n) - 1U : 0xffU);
}

// Sums the lanes of the words for which taken(i, mask) keeps the bits of eight words from i on.
// Bytes hold the sums of 64 words, pairs of bytes those of 2048.
template <class Taken>
std::int64_t add_lanes(const std::uint32_t* words, std::int64_t n, const Taken& taken,
                       std::uint32_t* lanes) {
  constexpr std::int64_t kOfBytes = 64, kOfPairs = 2048;
  const __m512i weights = _mm512_set1_epi64(tree::kWordWeight), shifts = _mm512_set1_epi64(0x38);
  const __m512i low_bytes = _mm512_set1_epi16(0xff);
  std::int64_t count = 0;
  std::fill_n(lanes, kLanes, 0U);
  for (std::int64_t begin = 0; begin < n; begin += kOfPairs) {
    const std::int64_t end = std::min(begin + kOfPairs, n);
    __m512i even = _mm512_setzero_si512(), odd = even;
    for (std::int64_t i = begin; i < end; i += kOfBytes) {
      const std::int64_t stop = std::min(i + kOfBytes, end);
      __m512i bytes = _mm512_setzero_si512();
      for (std::int64_t k = i; k < stop; k += 8) {
        const __mmask8 mask = taken(k, first_of_eight(stop - k));
        count += __builtin_popcount(mask);
        const __m512i these = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(mask, words + k));
        bytes = _mm512_add_epi64(
            bytes, _mm512_sllv_epi64(
                       _mm512_and_si512(_mm512_srli_epi64(these, tree::kWordRowBits), weights),
                       _mm512_and_si512(_mm512_srli_epi64(these, 26), shifts)));
      }
      even = _mm512_add_epi64(even, _mm512_and_si512(bytes, low_bytes));
      odd = _mm512_add_epi64(odd, _mm512_and_si512(_mm512_srli_epi64(bytes, 8), low_bytes));
    }
    const auto evens = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(even));
    const auto odds = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(odd));
    for (int k = 0; k < kLanes / 2; ++k) {
      lanes[2 * k] += static_cast<std::uint32_t>(evens >> 16 * k & 0xffff);
      lanes[2 * k + 1] += static_cast<std::uint32_t>(odds >> 16 * k & 0xffff);
    }
  }
  return count;
}

#else

template <class Taken>
std::int64_t add_lanes(const std::uint32_t* words, std::int64_t n, const Taken& taken,
                       std::uint32_t* lanes) {
  std::int64_t count = 0;
  std::fill_n(lanes, kLanes, 0U);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t is_taken = taken(i, 1U);
    lanes[words[i] >> 29] += is_taken * (words[i] >> tree::kWordRowBits & tree::kWordWeight);
    count += is_taken;
  }
  return count;
}

#endif

// Parts words, as many at a time as right_of(i, n) tells of: a mask of those that go right.
#if defined(GRAMIAN_HAS_LANES)

template <class RightOf>
std::int64_t part(std::uint32_t* words, std::int64_t n, std::uint32_t* right,
                  const RightOf& right_of) {
  std::int64_t n_left = 0, n_right = 0;
  for (std::int64_t i = 0; i < n; i += 16) {
    const auto rows = static_cast<__mmask16>(n - i < 16 ? (1U << (n - i)) - 1U : 0xffffU);
    const __m512i these = _mm512_maskz_loadu_epi32(rows, words + i);
    const __mmask16 goes_right = right_of(i, rows);
    const auto goes_left = static_cast<__mmask16>(rows & ~goes_right);
    const int n_here = __builtin_popcount(goes_left);
    // What lies behind the words of the node is another's.
    _mm512_mask_storeu_epi32(words + n_left, static_cast<__mmask16>((1U << n_here) - 1U),
                             _mm512_maskz_compress_epi32(goes_left, these));
    _mm512_storeu_si512(right + n_right, _mm512_maskz_compress_epi32(goes_right, these));
    n_left += n_here;
    n_right += __builtin_popcount(goes_right);
  }
  std::memcpy(words + n_left, right, static_cast<std::size_t>(n_right) * sizeof *right);
  return n_left;
}

#else

template <class RightOf>
std::int64_t part(std::uint32_t* words, std::int64_t n, std::uint32_t* right,
                  const RightOf& right_of) {
  std::int64_t n_left = 0, n_right = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t word = words[i];
    const bool goes_right = right_of(i, 1U) != 0;
    words[n_left] = word;
    right[n_right] = word;
    n_left += !goes_right;
    n_right += goes_right;
  }
  std::memcpy(words + n_left, right, static_cast<std::size_t>(n_right) * sizeof *right);
  return n_left;
}

#endif

#if defined(GRAMIAN_HAS_LANES)

// Lanes beyond the last code hold the lowest seen in them.
CodeRange range_of(const std::uint16_t* codes, std::int64_t n) {
  __m512i lowest = _mm512_set1_epi16(static_cast<std::int16_t>(codes[0])), highest = lowest;
  for (std::int64_t i = 0; i < n; i += 32) {
    const __mmask32 rows = n - i < 32 ? (1U << (n - i)) - 1U : ~0U;
    const __m512i these = _mm512_mask_loadu_epi16(lowest, rows, codes + i);
    lowest = _mm512_min_epu16(lowest, these);
    highest = _mm512_max_epu16(highest, these);
  }
  // There is an instruction for the smallest of eight codes; the largest is the smallest inverted.
  const auto least = [](__m512i all) {
    const __m256i half =
        _mm256_min_epu16(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    const __m128i eight =
        _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return static_cast<std::uint16_t>(_mm_extract_epi16(_mm_minpos_epu16(eight), 0));
  };
  const __m512i inverted = _mm512_xor_si512(highest, _mm512_set1_epi16(-1));
  return {least(lowest), static_cast<std::uint16_t>(~least(inverted))};
}

template <int kVectors>
void rank(const std::uint16_t* codes, const std::uint32_t* words, std::int64_t n,
          std::uint64_t* cells, std::uint16_t* cell_codes) {
  __m512i all[kVectors];
  for (int v = 0; v < kVectors; ++v) all[v] = _mm512_loadu_si512(codes + 32 * v);
  for (std::int64_t i = 0; i < n; ++i) {
    const __m512i code = _mm512_set1_epi16(static_cast<std::int16_t>(codes[i]));
    int place = 0;
    for (int v = 0; v < kVectors; ++v)
      place += __builtin_popcount(_mm512_cmplt_epu16_mask(all[v], code));
    cells[place] += cell_of(words[i]);
    cell_codes[place] = codes[i];
  }
}

#else

CodeRange range_of(const std::uint16_t* codes, std::int64_t n) {
  std::uint16_t lowest = codes[0], highest = codes[0];
  for (std::int64_t i = 0; i < n; ++i) {
    lowest = std::min(lowest, codes[i]);
    highest = std::max(highest, codes[i]);
  }
  return {lowest, highest};
}

#endif

}  // namespace

void sum_lanes(const std::uint32_t* words, std::int64_t n, std::uint32_t* lanes) {
  lanes[0] = 0;
  add_lanes(words, n, [](std::int64_t, auto rows) { return rows; }, lanes);
  lanes[0] = static_cast<std::uint32_t>(n);
}

void sum_lanes_without(const std::uint64_t* bits, int bit, const std::uint32_t* words,
                       std::int64_t n, std::uint32_t* lanes) {
#if defined(GRAMIAN_HAS_LANES)
  const __m512i wanted = _mm512_set1_epi64(static_cast<std::int64_t>(std::uint64_t{1} << bit));
  const auto taken = [&](std::int64_t i, __mmask8 rows) {
    return _mm512_mask_testn_epi64_mask(rows, _mm512_maskz_loadu_epi64(rows, bits + i), wanted);
  };
#else
  const auto taken = [&](std::int64_t i, std::uint32_t) {
    return static_cast<std::uint32_t>(~bits[i] >> bit & 1);
  };
#endif
  const std::int64_t count = add_lanes(words, n, taken, lanes);
  lanes[0] = static_cast<std::uint32_t>(count);
}

BitRange read_bits(const std::uint16_t* from, std::int64_t step, const std::uint32_t* words,
                   std::int64_t n, std::uint64_t* bits) {
  BitRange range{~std::uint64_t{0}, 0};
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t these;
    std::memcpy(&these, from + static_cast<std::int64_t>(words[i] & kWordRow) * step, sizeof these);
    bits[i] = these;
    range.all &= these;
    range.any |= these;
  }
  return range;
}

bool read_codes(const std::uint16_t* from, std::int64_t step, const std::uint32_t* words,
                std::int64_t n, std::uint16_t* codes) {
  return read(from, step, words, n, codes);
}
bool read_codes(const std::uint8_t* from, std::int64_t step, const std::uint32_t* words,
                std::int64_t n, std::uint16_t* codes) {
  return read(from, step, words, n, codes);
}

CodeRange range_of_codes(const std::uint16_t* codes, std::int64_t n) { return range_of(codes, n); }

void rank_cells(std::uint16_t* codes, const std::uint32_t* words, std::int64_t n,
                std::uint64_t* cells, std::uint16_t* cell_codes) {
  std::fill_n(cells, n + tree::kSpareCells, std::uint64_t{0});
#if defined(GRAMIAN_HAS_LANES)
  std::fill(codes + n, codes + (n + 31) / 32 * 32, std::numeric_limits<std::uint16_t>::max());
  if (n <= 32) return rank<1>(codes, words, n, cells, cell_codes);
  if (n <= 64) return rank<2>(codes, words, n, cells, cell_codes);
  if (n <= 96) return rank<3>(codes, words, n, cells, cell_codes);
  rank<4>(codes, words, n, cells, cell_codes);
#else
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t place = 0;
    for (std::int64_t j = 0; j < n; ++j) place += codes[j] < codes[i] ? 1U : 0U;
    cells[place] += cell_of(words[i]);
    cell_codes[place] = codes[i];
  }
#endif
}

std::int64_t part_by_codes(const std::uint16_t* codes, std::uint32_t last_left,
                           std::uint32_t* words, std::int64_t n, std::uint32_t* right) {
#if defined(GRAMIAN_HAS_LANES)
  const __m256i last = _mm256_set1_epi16(static_cast<std::int16_t>(last_left));
  return part(words, n, right, [&](std::int64_t i, __mmask16 rows) {
    return _mm256_mask_cmpgt_epu16_mask(rows, _mm256_maskz_loadu_epi16(rows, codes + i), last);
  });
#else
  return part(words, n, right,
              [&](std::int64_t i, std::uint32_t) { return codes[i] > last_left ? 1U : 0U; });
#endif
}

std::int64_t part_by_bit(const std::uint64_t* bits, int bit, std::uint32_t* words, std::int64_t n,
                         std::uint32_t* right) {
#if defined(GRAMIAN_HAS_LANES)
  const __m512i wanted = _mm512_set1_epi64(static_cast<std::int64_t>(std::uint64_t{1} << bit));
  return part(words, n, right, [&](std::int64_t i, __mmask16 rows) {
    const auto low = static_cast<__mmask8>(rows), high = static_cast<__mmask8>(rows >> 8);
    const auto has_low =
        _mm512_mask_test_epi64_mask(low, _mm512_maskz_loadu_epi64(low, bits + i), wanted);
    const auto has_high =
        _mm512_mask_test_epi64_mask(high, _mm512_maskz_loadu_epi64(high, bits + i + 8), wanted);
    return static_cast<__mmask16>(has_low | has_high << 8);
  });
#else
  return part(words, n, right, [&](std::int64_t i, std::uint32_t) {
    return static_cast<std::uint32_t>(bits[i] >> bit & 1);
  });
#endif
}

}  // namespace gramian::GRAMIAN_ISA
