#include "tree/search/numbers_kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__)
namespace {

// The high and the low half of the products of sixteen numbers and one.
struct Products {
  __m512i high, low;
  Products(__m512i numbers, __m512i multiplier) {
    const __mmask16 odd_lanes = 0xaaaa;
    const __m512i even = _mm512_mul_epu32(numbers, multiplier);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(numbers, 32), multiplier);
    high = _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), odd_lanes, odd);
    low = _mm512_mask_mov_epi32(even, odd_lanes, _mm512_slli_epi64(odd, 32));
  }
};

__m512i all(std::uint32_t number) { return _mm512_set1_epi32(static_cast<std::int32_t>(number)); }

// A lane of each vector is a block; they are written one block after the other.
void write_by_block(__m512i a, __m512i b, __m512i c, __m512i d, std::uint32_t* blocks) {
  const __m512i ab_low = _mm512_unpacklo_epi32(a, b), ab_high = _mm512_unpackhi_epi32(a, b);
  const __m512i cd_low = _mm512_unpacklo_epi32(c, d), cd_high = _mm512_unpackhi_epi32(c, d);
  // Of these, each quarter holds a block: 0, 4, 8 and 12, and so on.
  const __m512i quarters[4] = {
      _mm512_unpacklo_epi64(ab_low, cd_low), _mm512_unpackhi_epi64(ab_low, cd_low),
      _mm512_unpacklo_epi64(ab_high, cd_high), _mm512_unpackhi_epi64(ab_high, cd_high)};
  const __m512i low01 = _mm512_shuffle_i32x4(quarters[0], quarters[1], 0x44);
  const __m512i low23 = _mm512_shuffle_i32x4(quarters[2], quarters[3], 0x44);
  const __m512i high01 = _mm512_shuffle_i32x4(quarters[0], quarters[1], 0xee);
  const __m512i high23 = _mm512_shuffle_i32x4(quarters[2], quarters[3], 0xee);
  _mm512_storeu_si512(blocks, _mm512_shuffle_i32x4(low01, low23, 0x88));
  _mm512_storeu_si512(blocks + 16, _mm512_shuffle_i32x4(low01, low23, 0xdd));
  _mm512_storeu_si512(blocks + 32, _mm512_shuffle_i32x4(high01, high23, 0x88));
  _mm512_storeu_si512(blocks + 48, _mm512_shuffle_i32x4(high01, high23, 0xdd));
}

}  // namespace

// As philox4x32, sixteen blocks side by side.
void write_blocks(const PhiloxCounter& counter, const PhiloxKey& key, std::uint32_t* blocks) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i c0 = _mm512_add_epi32(all(counter[0]), lanes), c1 = all(counter[1]);
  __m512i c2 = all(counter[2]), c3 = all(counter[3]);
  std::uint32_t key0 = key[0], key1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const Products first(c0, all(0xD2511F53)), second(c2, all(0xCD9E8D57));
    c0 = _mm512_xor_si512(_mm512_xor_si512(second.high, c1), all(key0));
    c2 = _mm512_xor_si512(_mm512_xor_si512(first.high, c3), all(key1));
    c1 = second.low;
    c3 = first.low;
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  write_by_block(c0, c1, c2, c3, blocks);
}

#else

// As philox4x32; the compiler makes vectors of the blocks side by side.
void write_blocks(const PhiloxCounter& counter, const PhiloxKey& key, std::uint32_t* blocks) {
  constexpr std::size_t kBlocks = tree::kManyBlocks;
  std::uint32_t c[4][kBlocks];
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    for (std::size_t k = 0; k < 4; ++k) c[k][b] = counter[k];
    c[0][b] += b;
  }
  std::uint32_t key0 = key[0], key1 = key[1];
  for (int round = 0; round < 10; ++round) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::uint64_t first = std::uint64_t{0xD2511F53} * c[0][b];
      const std::uint64_t second = std::uint64_t{0xCD9E8D57} * c[2][b];
      c[0][b] = static_cast<std::uint32_t>(second >> 32) ^ c[1][b] ^ key0;
      c[2][b] = static_cast<std::uint32_t>(first >> 32) ^ c[3][b] ^ key1;
      c[1][b] = static_cast<std::uint32_t>(second);
      c[3][b] = static_cast<std::uint32_t>(first);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  for (std::size_t b = 0; b < kBlocks; ++b)
    for (std::size_t k = 0; k < 4; ++k) blocks[4 * b + k] = c[k][b];
}

#endif

}  // namespace gramian::GRAMIAN_ISA
