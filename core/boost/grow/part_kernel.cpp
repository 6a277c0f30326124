#include "boost/grow/part_kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {

namespace {

template <class CodeOf>
std::int64_t part(std::uint32_t* rows, std::int64_t n, const CodeOf& code_of,
                  const std::uint8_t* goes_left, std::uint32_t* right) {
  std::int64_t i = 0, to_left = 0, to_right = 0;
#if defined(__AVX512F__)
  // Sixteen rows at a time. What is written beyond the rows that are kept is written again later:
  // the places up to i + 16 have been read, and there are n of them on the right.
  for (; i + 16 <= n; i += 16) {
    const __m512i own = _mm512_loadu_si512(rows + i);
    unsigned bits = 0;
#pragma GCC unroll 16
    for (int k = 0; k < 16; ++k)
      bits |= static_cast<unsigned>(goes_left[code_of(rows[i + k])]) << k;
    const auto is_left = static_cast<__mmask16>(bits);
    const int n_left = __builtin_popcount(is_left);
    _mm512_storeu_si512(rows + to_left, _mm512_maskz_compress_epi32(is_left, own));
    _mm512_storeu_si512(right + to_right,
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(~is_left), own));
    to_left += n_left;
    to_right += 16 - n_left;
  }
#endif
  for (; i < n; ++i) {  // both are written: no branch to mispredict
    const std::uint32_t row = rows[i];
    const std::int64_t is_left = goes_left[code_of(row)];
    rows[to_left] = row;
    right[to_right] = row;
    to_left += is_left;
    to_right += 1 - is_left;
  }
  return to_left;
}

}  // namespace

std::int64_t part_rows(std::uint32_t* rows, std::int64_t n, const std::uint8_t* codes,
                       std::int64_t stride, const std::uint8_t* goes_left, std::uint32_t* right) {
  if (stride == 1)
    return part(rows, n, [codes](std::uint32_t row) { return codes[row]; }, goes_left, right);
  const auto code_of = [codes, stride](std::uint32_t row) {
    return codes[static_cast<std::int64_t>(row) * stride];
  };
  return part(rows, n, code_of, goes_left, right);
}

}  // namespace gramian::GRAMIAN_ISA
