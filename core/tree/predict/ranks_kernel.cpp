#include "tree/predict/ranks_kernel.hpp"

#include "tree/predict/keys_kernel.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kMissingRank;
using tree::kRankSlice;
using tree::RankLevels;

#if defined(__AVX512BW__)

// How many of a group's thresholds are below a key.
inline std::uint32_t n_below(const std::uint32_t* group, std::uint32_t key) {
  const __m512i keys = _mm512_set1_epi32(static_cast<int>(key));
  const __mmask16 is_below = _mm512_cmplt_epu32_mask(_mm512_load_si512(group), keys);
  return static_cast<std::uint32_t>(__builtin_popcount(is_below));
}

#else

inline std::uint32_t n_below(const std::uint32_t* group, std::uint32_t key) {
  std::uint32_t n = 0;
  for (int k = 0; k < RankLevels::kGroup; ++k) n += group[k] < key ? 1U : 0U;
  return n;
}

#endif

}  // namespace

// Down the levels by comparisons with 16 thresholds at once; many rows are in flight.
void write_ranks(const std::uint32_t* keys, const RankLevels& levels, std::uint16_t* ranks) {
  for (std::int64_t i = 0; i < kRankSlice; ++i) {
    const std::uint32_t key = keys[i];
    std::uint32_t place = 0;
    for (int k = levels.n_levels; k-- > 0;) {
      const std::uint32_t first = RankLevels::kGroup * place;
      place = first + n_below(levels.level[k] + first, key);
    }
    ranks[i] = key == tree::kMissingKey ? kMissingRank : static_cast<std::uint16_t>(place);
  }
}

}  // namespace gramian::GRAMIAN_ISA
