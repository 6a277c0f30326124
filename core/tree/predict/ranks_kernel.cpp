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

// Which of a group's thresholds are below a key, bit by bit, and which are the same.
inline std::uint32_t below(const std::uint32_t* group, std::uint32_t key) {
  const __m512i keys = _mm512_set1_epi32(static_cast<int>(key));
  return _mm512_cmplt_epu32_mask(_mm512_load_si512(group), keys);
}
inline bool has_equal(const std::uint32_t* group, std::uint32_t key) {
  const __m512i keys = _mm512_set1_epi32(static_cast<int>(key));
  return _mm512_cmpeq_epu32_mask(_mm512_load_si512(group), keys) != 0;
}
inline std::uint32_t n_below(const std::uint32_t* group, std::uint32_t key) {
  return static_cast<std::uint32_t>(__builtin_popcount(below(group, key)));
}

#else

inline std::uint32_t n_below(const std::uint32_t* group, std::uint32_t key) {
  std::uint32_t n = 0;
  for (int k = 0; k < RankLevels::kGroup; ++k) n += group[k] < key ? 1U : 0U;
  return n;
}
inline bool has_equal(const std::uint32_t* group, std::uint32_t key) {
  std::uint32_t n = 0;
  for (int k = 0; k < RankLevels::kGroup; ++k) n += group[k] == key ? 1U : 0U;
  return n != 0;
}

#endif

// Down the levels by comparisons with 16 thresholds at once: the number of thresholds in front of
// the group on the lowest level that decides.
inline std::uint32_t group_of(const RankLevels& levels, std::uint32_t key) {
  std::uint32_t first = 0;
  for (int k = levels.n_levels; --k > 0;)
    first = RankLevels::kGroup * (first + n_below(levels.level[k] + first, key));
  return first;
}

// Where the key does not tell: from the first threshold of this key on, in growing steps and then
// by halves.
std::uint32_t exact_place(const DoubleLevels& levels, std::uint32_t first, double x) {
  const double* const all = levels.thresholds;
  std::int64_t begin = first, step = 1;
  while (begin + step <= levels.n && all[begin + step - 1] < x) {
    begin += step;
    step *= 2;
  }
  std::int64_t end = begin + step <= levels.n ? begin + step - 1 : levels.n;
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (all[middle] < x)
      begin = middle + 1;
    else
      end = middle;
  }
  return static_cast<std::uint32_t>(begin);
}

template <class T>
bool write_keys_of(const RankedColumn<T>& column, const DoubleLevels& levels) {
  bool has_missing = false;
  for (std::int64_t i = 0; i < column.n; ++i) {
    const auto x = static_cast<double>(column.x[i * column.step]);
    const bool is_missing = x != x;
    const std::uint32_t key = tree::rough_key_of(x), first = group_of(levels.rough, key);
    const std::uint32_t* const group = levels.rough.level[0] + first;
    std::uint32_t place = first + n_below(group, key);
    if (has_equal(group, key)) [[unlikely]]
      place = exact_place(levels, place, x);
    column.keys[i * column.key_step] = is_missing ? tree::kMissingKey : place + 1U;
    has_missing |= is_missing;
  }
  return has_missing;
}

}  // namespace

// Many rows are in flight.
void write_ranks(const std::uint32_t* keys, const RankLevels& levels, std::uint16_t* ranks) {
  for (std::int64_t i = 0; i < kRankSlice; ++i) {
    const std::uint32_t key = keys[i], first = group_of(levels, key);
    const std::uint32_t place = first + n_below(levels.level[0] + first, key);
    ranks[i] = key == tree::kMissingKey ? kMissingRank : static_cast<std::uint16_t>(place);
  }
}

bool write_double_ranks(const RankedColumn<float>& column, const DoubleLevels& levels) {
  return write_keys_of(column, levels);
}
bool write_double_ranks(const RankedColumn<double>& column, const DoubleLevels& levels) {
  return write_keys_of(column, levels);
}

}  // namespace gramian::GRAMIAN_ISA
