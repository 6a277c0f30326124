#include "boost/bins/quantise_kernel.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

#if defined(__AVX512F__)

// Sixteen values at a time. The number of edges below a value is found in two halves of four bits:
// the upper one in a table of every sixteenth edge, which is held in registers.
struct Floats {
  using Vector = __m512;
  static Vector load(const float* x) { return _mm512_loadu_ps(x); }
  static Vector every_16th(const float* edges) {
    const __m512i places =
        _mm512_setr_epi32(15, 31, 47, 63, 79, 95, 111, 127, 143, 159, 175, 191, 207, 223, 239, 255);
    return _mm512_i32gather_ps(places, edges, 4);
  }
  static __mmask16 below(__m512i place, Vector table, Vector x) {
    return _mm512_cmp_ps_mask(_mm512_permutexvar_ps(place, table), x, _CMP_LT_OQ);
  }
  static __mmask16 below(__m512i place, const float* edges, Vector x) {
    return _mm512_cmp_ps_mask(_mm512_i32gather_ps(place, edges, 4), x, _CMP_LT_OQ);
  }
  static __mmask16 numbers(Vector x) { return _mm512_cmp_ps_mask(x, x, _CMP_EQ_OQ); }
};

struct Doubles {
  struct Vector {
    __m512d low, high;
  };
  static Vector load(const double* x) { return {_mm512_loadu_pd(x), _mm512_loadu_pd(x + 8)}; }
  static Vector every_16th(const double* edges) {
    const __m256i places = _mm256_setr_epi32(15, 31, 47, 63, 79, 95, 111, 127);
    return {_mm512_i32gather_pd(places, edges, 8), _mm512_i32gather_pd(places, edges + 128, 8)};
  }
  static __mmask16 both(__m512d low, __m512d high, const Vector& x) {
    return _mm512_kunpackb(_mm512_cmp_pd_mask(high, x.high, _CMP_LT_OQ),
                           _mm512_cmp_pd_mask(low, x.low, _CMP_LT_OQ));
  }
  static __m256i lower_half(__m512i place) { return _mm512_castsi512_si256(place); }
  static __m256i upper_half(__m512i place) { return _mm512_extracti64x4_epi64(place, 1); }
  static __mmask16 below(__m512i place, const Vector& table, const Vector& x) {
    const auto pick = [&](__m256i at) {
      return _mm512_permutex2var_pd(table.low, _mm512_cvtepi32_epi64(at), table.high);
    };
    return both(pick(lower_half(place)), pick(upper_half(place)), x);
  }
  static __mmask16 below(__m512i place, const double* edges, const Vector& x) {
    return both(_mm512_i32gather_pd(lower_half(place), edges, 8),
                _mm512_i32gather_pd(upper_half(place), edges, 8), x);
  }
  static __mmask16 numbers(const Vector& x) {
    return _mm512_kunpackb(_mm512_cmp_pd_mask(x.high, x.high, _CMP_EQ_OQ),
                           _mm512_cmp_pd_mask(x.low, x.low, _CMP_EQ_OQ));
  }
};

template <class Lanes, class Table>
__m512i search_16(__m512i first, const Table& table, const typename Lanes::Vector& x) {
  __m512i place = first;
  for (int step = 8; step > 0; step /= 2) {
    const __m512i probe = _mm512_add_epi32(place, _mm512_set1_epi32(step - 1));
    place =
        _mm512_mask_add_epi32(place, Lanes::below(probe, table, x), place, _mm512_set1_epi32(step));
  }
  return place;
}

template <class Lanes, class T>
void search(const T* values, std::int64_t n, const T* edges, int n_edges, std::uint8_t missing,
            std::uint8_t* bins) {
  const auto coarse = Lanes::every_16th(edges);
  const auto first = Lanes::load(edges);
  for (std::int64_t i = 0; i < n; i += 16) {
    T rest[16] = {};
    const bool is_whole = i + 16 <= n;
    if (!is_whole)
      for (std::int64_t k = i; k < n; ++k) rest[k - i] = values[k];
    const auto x = Lanes::load(is_whole ? values + i : rest);
    __m512i place = _mm512_setzero_si512();
    if (n_edges < 16) {
      place = search_16<Lanes>(place, first, x);
    } else {
      place = _mm512_slli_epi32(search_16<Lanes>(place, coarse, x), 4);
      place = search_16<Lanes>(place, edges, x);
    }
    place = _mm512_mask_mov_epi32(_mm512_set1_epi32(missing), Lanes::numbers(x), place);
    alignas(16) std::uint8_t out[16];
    _mm_store_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtepi32_epi8(place));
    const std::int64_t m = is_whole ? 16 : n - i;
    for (std::int64_t k = 0; k < m; ++k) bins[i + k] = out[k];
  }
}

#else

struct Floats {};
struct Doubles {};

// One step of all searches after another: no branch that would be guessed wrong half of the time.
template <class Lanes, class T>
void search(const T* values, std::int64_t n, const T* edges, int n_edges, std::uint8_t missing,
            std::uint8_t* bins) {
  constexpr int kBlock = 64;
  const int top = n_edges < 16 ? 3 : 7;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const auto m = static_cast<int>(n - begin < kBlock ? n - begin : kBlock);
    std::int32_t below[kBlock] = {};
    for (int bit = top; bit >= 0; --bit)
      for (int i = 0; i < m; ++i)
        below[i] += static_cast<std::int32_t>(edges[below[i] + (1 << bit) - 1] < values[begin + i])
                    << bit;
    for (int i = 0; i < m; ++i) {
      const T x = values[begin + i];
      bins[begin + i] = x == x ? static_cast<std::uint8_t>(below[i]) : missing;
    }
  }
}

#endif

}  // namespace

void write_bins(const float* values, std::int64_t n, const float* edges, int n_edges,
                std::uint8_t missing, std::uint8_t* bins) {
  search<Floats>(values, n, edges, n_edges, missing, bins);
}
void write_bins(const double* values, std::int64_t n, const double* edges, int n_edges,
                std::uint8_t missing, std::uint8_t* bins) {
  search<Doubles>(values, n, edges, n_edges, missing, bins);
}

}  // namespace gramian::GRAMIAN_ISA
