#include "tree/predict/ranks_kernel.hpp"

#include "tree/predict/keys_kernel.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::DoubleLevels;
using tree::kMissingRank;
using tree::kRankSlice;
using tree::RankedColumn;
using tree::RankLevels;

#if defined(__AVX512BW__)

// How many of a group's thresholds are below a key.
inline std::uint32_t n_below(const std::uint32_t* group, std::uint32_t key) {
  const __m512i keys = _mm512_set1_epi32(static_cast<int>(key));
  const __mmask16 is_below = _mm512_cmplt_epu32_mask(_mm512_load_si512(group), keys);
  return static_cast<std::uint32_t>(__builtin_popcount(is_below));
}

inline std::uint32_t n_below(const double* group, double x) {
  const __mmask8 is_below =
      _mm512_cmp_pd_mask(_mm512_load_pd(group), _mm512_set1_pd(x), _CMP_LT_OQ);
  return static_cast<std::uint32_t>(__builtin_popcount(is_below));
}

#else

template <class T>
inline std::uint32_t n_below(const T* group, T key) {
  std::uint32_t n = 0;
  for (int k = 0; k < tree::SearchLevels<T>::kGroup; ++k) n += group[k] < key ? 1U : 0U;
  return n;
}

#endif

// Down the levels by comparisons with a group at once.
template <class T>
inline std::uint32_t place_of(const tree::SearchLevels<T>& levels, T key) {
  std::uint32_t place = 0;
  for (int k = levels.n_levels; k-- > 0;) {
    const std::uint32_t first = static_cast<std::uint32_t>(levels.kGroup) * place;
    place = first + n_below(levels.level[k] + first, key);
  }
  return place;
}

template <class T>
bool write_keys_of(const RankedColumn<T>& column, const DoubleLevels& levels) {
  bool has_missing = false;
  for (std::int64_t i = 0; i < column.n; ++i) {
    const auto x = static_cast<double>(column.x[i * column.step]);
    const bool is_missing = x != x;
    const std::uint32_t key = place_of(levels, x) + 1U;
    column.keys[i * column.key_step] = is_missing ? tree::kMissingKey : key;
    has_missing |= is_missing;
  }
  return has_missing;
}

}  // namespace

// Many rows are in flight.
void write_ranks(const std::uint32_t* keys, const RankLevels& levels, std::uint16_t* ranks) {
  for (std::int64_t i = 0; i < kRankSlice; ++i) {
    const std::uint32_t place = place_of(levels, keys[i]);
    ranks[i] = keys[i] == tree::kMissingKey ? kMissingRank : static_cast<std::uint16_t>(place);
  }
}

bool write_double_ranks(const RankedColumn<float>& column, const DoubleLevels& levels) {
  return write_keys_of(column, levels);
}
bool write_double_ranks(const RankedColumn<double>& column, const DoubleLevels& levels) {
  return write_keys_of(column, levels);
}

}  // namespace gramian::GRAMIAN_ISA
