#include "tree/predict/ranked_kernel.hpp"

#include <bit>

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::ActiveRows;
using tree::kMissingRank;
using tree::kRankSlice;
using tree::kTopSplits;
using tree::LevelNodeBlock;
using tree::NodeBlock;
using tree::RankedRows;
using tree::RankedTree;
using tree::TopSplit;
using tree::TwoLevelBlock;

// Slices that are under way at once.
constexpr std::int64_t kWalkSlices = 8;

#if defined(__AVX512BW__)

// A split waits for the masks of its parent, so that several slices go side by side.
constexpr int kSlicesAtOnce = 4;

inline std::uint64_t above(const std::uint16_t* ranks, std::uint16_t rank) {
  const __m512i bound = _mm512_set1_epi16(static_cast<short>(rank));
  const __mmask32 low = _mm512_cmpgt_epu16_mask(_mm512_loadu_si512(ranks), bound);
  const __mmask32 high = _mm512_cmpgt_epu16_mask(_mm512_loadu_si512(ranks + 32), bound);
  // Not low | high << 32: GCC 12 may store 32 bits of a mask and read 64 of them again.
  return _mm512_kunpackd(high, low);
}

// Whether the bits of levels are set; any answer for those that are missing.
inline std::uint64_t in_levels(const std::uint16_t* ranks, std::uint64_t levels) {
  const __m512i first = _mm512_movm_epi16(static_cast<__mmask32>(levels));
  const __m512i second = _mm512_movm_epi16(static_cast<__mmask32>(levels >> 32));
  const auto of_half = [&](const std::uint16_t* half) {
    const __m512i places = _mm512_loadu_si512(half);
    return _mm512_movepi16_mask(_mm512_permutex2var_epi16(first, places, second));
  };
  return _mm512_kunpackd(of_half(ranks + 32), of_half(ranks));
}

template <bool kHasMissing>
inline std::uint64_t goes_right(const TopSplit& split, const std::uint16_t* ranks) {
  const bool asks_levels = kHasMissing && split.rank == tree::kRankOfLevels;
  const std::uint64_t is_right =
      asks_levels ? in_levels(ranks, split.levels) : above(ranks, split.rank);
  if (!kHasMissing || (split.is_missing_left == 0 && !asks_levels)) return is_right;
  const std::uint64_t is_missing = above(ranks, kMissingRank - 1U);
  return split.is_missing_left != 0 ? is_right & ~is_missing : is_right | is_missing;
}

template <int kSlices, bool kHasMissing>
void find_exits(const TopSplit* top, int n_top, const std::uint16_t* sliced,
                std::int64_t slice_size, std::uint8_t* exits) {
  std::uint64_t reach[kTopSplits + 1][kSlices];
  __m512i number[kSlices];
  for (int s = 0; s < kSlices; ++s) {
    reach[0][s] = ~std::uint64_t{0};
    number[s] = _mm512_setzero_si512();
  }
  for (int k = 0; k < n_top; ++k) {
    const TopSplit split = top[k];
    const __m512i n_left = _mm512_set1_epi8(static_cast<char>(split.n_left_exits));
    for (int s = 0; s < kSlices; ++s) {
      const std::uint16_t* ranks = sliced + s * slice_size + kRankSlice * split.slot;
      const std::uint64_t is_right = goes_right<kHasMissing>(split, ranks);
      const std::uint64_t right = reach[k][s] & is_right;
      const std::uint64_t left = reach[k][s] & ~is_right;
      reach[split.left][s] = left;
      reach[split.right][s] = right;
      number[s] = _mm512_mask_add_epi8(number[s], right, number[s], n_left);
    }
  }
  for (int s = 0; s < kSlices; ++s) _mm512_storeu_si512(exits + s * kRankSlice, number[s]);
}

// Takes the rows that have arrived off the list; how many are left.
std::int64_t drop_arrived(const ActiveRows& active, std::int64_t n) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < n; i += 16) {
    const auto is_row = static_cast<__mmask16>(n - i < 16 ? (1U << (n - i)) - 1U : 0xFFFFU);
    const __m512i links = _mm512_loadu_si512(active.links + i);
    const __m512i rows = _mm512_loadu_si512(active.rows + i);
    const __mmask16 is_kept = _mm512_mask_testn_epi32_mask(is_row, links, _mm512_set1_epi32(1));
    _mm512_storeu_si512(active.links + n_kept, _mm512_maskz_compress_epi32(is_kept, links));
    _mm512_storeu_si512(active.rows + n_kept, _mm512_maskz_compress_epi32(is_kept, rows));
    n_kept += __builtin_popcount(is_kept);
  }
  return n_kept;
}

inline __m256i load_16(const std::uint16_t* values) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(values));
}

// The ranks that a block asks for.
template <int kRowSize>
[[gnu::always_inline]] inline __m256i asked_ranks(__m256i slots, const std::uint16_t* own) {
  const __m512i places = _mm512_castsi256_si512(slots), low = _mm512_load_si512(own);
  const __m512i found = kRowSize == 32
                            ? _mm512_permutexvar_epi16(places, low)
                            : _mm512_permutex2var_epi16(low, places, _mm512_load_si512(own + 32));
  return _mm512_castsi512_si256(found);
}

// Which splits a row answers by going right.
template <bool kHasMissing, int kRowSize>
[[gnu::always_inline]] inline __mmask16 answers(const NodeBlock& block, const std::uint16_t* own) {
  const __m256i slots = load_16(block.slot), ranks = asked_ranks<kRowSize>(slots, own);
  const __mmask16 is_right = _mm256_cmpgt_epu16_mask(ranks, load_16(block.rank));
  if constexpr (!kHasMissing) return is_right;
  const __mmask16 is_left = _mm256_mask_cmpeq_epu16_mask(
      _mm256_movepi16_mask(slots), ranks, _mm256_set1_epi16(static_cast<short>(kMissingRank)));
  return static_cast<__mmask16>(is_right & ~is_left);
}

// Shifts by more than 63 leave nothing.
template <bool, int kRowSize>
[[gnu::always_inline]] inline __mmask16 answers(const LevelNodeBlock& block,
                                                const std::uint16_t* own) {
  const __m256i slots = load_16(block.slot), ranks = asked_ranks<kRowSize>(slots, own);
  const auto in_levels = [&](__m128i half, const std::uint64_t* levels) {
    const __m512i shifted =
        _mm512_srlv_epi64(_mm512_load_si512(levels), _mm512_cvtepu16_epi64(half));
    return _mm512_test_epi64_mask(shifted, _mm512_set1_epi64(1));
  };
  const __mmask16 has_level =
      _mm512_kunpackb(in_levels(_mm256_extracti128_si256(ranks, 1), block.levels + 8),
                      in_levels(_mm256_castsi256_si128(ranks), block.levels));
  const __mmask16 is_above = _mm256_cmpgt_epu16_mask(ranks, load_16(block.rank));
  const __mmask16 is_missing =
      _mm256_cmpeq_epu16_mask(ranks, _mm256_set1_epi16(static_cast<short>(kMissingRank)));
  const __mmask16 is_missing_left = _mm256_movepi16_mask(slots);
  return static_cast<__mmask16>(((is_above | has_level) & ~is_missing) |
                                (is_missing & ~is_missing_left));
}

// Bit e: exit e agrees with the answers of the splits that lead to it.
inline std::uint32_t open_exits(const NodeBlock& block, __mmask16 is_right) {
  const __m256i differs =
      _mm256_xor_si256(_mm256_set1_epi16(static_cast<short>(is_right)), load_16(block.bits));
  return _mm256_testn_epi16_mask(differs, load_16(block.asked));
}

#else

constexpr int kSlicesAtOnce = 1;

template <bool kHasMissing, int kRowSize>
std::uint32_t answers(const NodeBlock& block, const std::uint16_t* own) {
  std::uint32_t is_right = 0;
  for (int k = 0; k < NodeBlock::kSize; ++k) {
    const bool is_missing_left = (block.slot[k] & tree::kMissingLeftSlot) != 0;
    const std::uint16_t rank = own[block.slot[k] % kRowSize];
    const bool is_left = kHasMissing && is_missing_left && rank == kMissingRank;
    is_right |= (rank > block.rank[k] && !is_left ? 1U : 0U) << k;
  }
  return is_right;
}

template <bool, int kRowSize>
std::uint32_t answers(const LevelNodeBlock& block, const std::uint16_t* own) {
  std::uint32_t is_right = 0;
  for (int k = 0; k < NodeBlock::kSize; ++k) {
    const bool is_missing_left = (block.slot[k] & tree::kMissingLeftSlot) != 0;
    const std::uint16_t rank = own[block.slot[k] % kRowSize];
    const bool has_level = rank < 64 && (block.levels[k] >> rank & 1U) != 0;
    const bool goes_right =
        rank == kMissingRank ? !is_missing_left : rank > block.rank[k] || has_level;
    is_right |= (goes_right ? 1U : 0U) << k;
  }
  return is_right;
}

std::uint32_t open_exits(const NodeBlock& block, std::uint32_t is_right) {
  std::uint32_t agrees = 0;
  for (int e = 0; e < NodeBlock::kSize; ++e)
    agrees |= (((is_right ^ block.bits[e]) & block.asked[e]) == 0 ? 1U : 0U) << e;
  return agrees;
}

// Masks of 16 bits, which the compiler turns into vectors of the level's width.
template <bool kHasMissing>
void find_right(const TopSplit& split, const std::uint16_t* ranks, std::uint16_t* right) {
  const auto mask = [](bool is_right) {
    return static_cast<std::uint16_t>(is_right ? 0xFFFFU : 0U);
  };
  const bool asks_missing = kHasMissing && split.is_missing_left != 0;
  if (kHasMissing && split.rank == tree::kRankOfLevels) {
    for (int i = 0; i < kRankSlice; ++i)
      right[i] = mask(ranks[i] == kMissingRank ? !asks_missing
                                               : (split.levels >> ranks[i] % 64 & 1U) != 0);
    return;
  }
  const std::uint16_t bound = split.rank;
  const std::uint16_t highest = asks_missing ? kMissingRank - 1U : kMissingRank;
  for (int i = 0; i < kRankSlice; ++i)
    right[i] = static_cast<std::uint16_t>(mask(ranks[i] > bound) & mask(ranks[i] <= highest));
}

template <int kSlices, bool kHasMissing>
void find_exits(const TopSplit* top, int n_top, const std::uint16_t* sliced, std::int64_t,
                std::uint8_t* exits) {
  static_assert(kSlices == 1);
  alignas(64) std::uint16_t reach[kTopSplits + 1][kRankSlice];
  alignas(64) std::uint16_t number[kRankSlice] = {};
  for (auto& mask : reach[0]) mask = 0xFFFFU;
  for (int k = 0; k < n_top; ++k) {
    const TopSplit split = top[k];
    const std::uint16_t* ranks = sliced + kRankSlice * split.slot;
    const std::uint16_t n_left = split.n_left_exits;
    std::uint16_t left[kRankSlice], right[kRankSlice];
    find_right<kHasMissing>(split, ranks, right);
    for (int i = 0; i < kRankSlice; ++i) {
      right[i] = static_cast<std::uint16_t>(reach[k][i] & right[i]);
      left[i] = static_cast<std::uint16_t>(reach[k][i] & ~right[i]);
      number[i] = static_cast<std::uint16_t>(number[i] + (right[i] & n_left));
    }
    for (int i = 0; i < kRankSlice; ++i) reach[split.left][i] = left[i];
    for (int i = 0; i < kRankSlice; ++i) reach[split.right][i] = right[i];
  }
  for (int i = 0; i < kRankSlice; ++i) exits[i] = static_cast<std::uint8_t>(number[i]);
}

std::int64_t drop_arrived(const ActiveRows& active, std::int64_t n) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t link = active.links[i], row = active.rows[i];
    active.links[n_kept] = link;
    active.rows[n_kept] = row;
    n_kept += tree::is_leaf_link(link) ? 0 : 1;
  }
  return n_kept;
}

#endif

// entry + entry + (bound < rank): a comparison and an addition with carry. Compilers make a branch
// of it, which nobody can foretell, or three instructions more. `kIsMemory`: the bound is read
// there.
template <bool kIsMemory>
[[gnu::always_inline]] inline std::size_t next_entry(std::size_t entry, const std::uint16_t& bound,
                                                     std::uint16_t rank) {
#if defined(__x86_64__)
  if constexpr (kIsMemory)
    asm("cmpw %w2, %1\n\tadcq %0, %0" : "+r"(entry) : "m"(bound), "r"(rank) : "cc");
  else
    asm("cmpw %w2, %w1\n\tadcq %0, %0" : "+r"(entry) : "r"(bound), "r"(rank) : "cc");
  return entry;
#else
  return entry + entry + (bound < rank ? 1U : 0U);
#endif
}

template <bool kHasMissing>
inline std::size_t step(const TwoLevelBlock& block, std::size_t entry, const std::uint16_t* ranks) {
  const std::uint16_t rank = ranks[block.slot[entry]];
  if constexpr (!kHasMissing) return next_entry<true>(entry, block.rank[entry], rank);
  const unsigned shift = block.slot[0] >> entry & 1U;  // makes kMissingRank 0
  const auto bound = static_cast<std::uint16_t>(block.rank[entry] + shift);
  return next_entry<false>(entry, bound, static_cast<std::uint16_t>(rank + shift));
}

// The link behind a block, for a row whose ranks begin at `own`.
template <bool kHasMissing, int>
[[gnu::always_inline]] inline std::uint32_t pass(const TwoLevelBlock* blocks, std::uint32_t link,
                                                 const std::uint16_t* own) {
  const TwoLevelBlock& block = *reinterpret_cast<const TwoLevelBlock*>(
      reinterpret_cast<const unsigned char*>(blocks) + link);
  const std::size_t entry = step<kHasMissing>(block, step<kHasMissing>(block, 1, own), own);
  return block.link[entry - 4];
}

template <bool kHasMissing, int kRowSize, class AnyBlock>
[[gnu::always_inline]] inline std::uint32_t pass(const AnyBlock* blocks, std::uint32_t link,
                                                 const std::uint16_t* own) {
  const AnyBlock& block = *reinterpret_cast<const AnyBlock*>(
      reinterpret_cast<const unsigned char*>(blocks) + (link & tree::kBlockPlace));
  const std::uint32_t first = (link & ~tree::kBlockPlace) >> 1;
  const std::uint32_t agrees =
      open_exits(block, answers<kHasMissing, kRowSize>(block, own)) >> first;
  return block.link[first + static_cast<std::uint32_t>(std::countr_zero(agrees))];
}

template <bool kHasMissing, int kRowSize, class Block>
void walk(const RankedTree<Block>& tree, const RankedRows& rows, const ActiveRows& active,
          std::int64_t n, std::uint32_t* leaves) {
  const Block* const blocks = tree.blocks;
  const std::uint16_t* const ranks = rows.ranks;
  const auto row_size = static_cast<std::size_t>(kRowSize > 0 ? kRowSize : rows.row_size);
  for (; n > 0; n = drop_arrived(active, n))
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t row = active.rows[i];
      const auto link =
          pass<kHasMissing, kRowSize>(blocks, active.links[i], ranks + row * row_size);
      active.links[i] = link;
      leaves[row] = link;
    }
}

// A share of the next tree's lines with each slice.
template <class Block>
void fetch_ahead(const RankedTree<Block>& tree, std::int64_t slice, std::int64_t n_slices) {
  constexpr std::int64_t kLine = 64;
  const auto* bytes = reinterpret_cast<const unsigned char*>(tree.next_begin);
  const auto n =
      (tree.next_end - tree.next_begin) * static_cast<std::int64_t>(sizeof(Block)) / kLine;
  for (auto i = n * slice / n_slices; i < n * (slice + 1) / n_slices; ++i)
    __builtin_prefetch(bytes + kLine * i, 0, 2);
}

// The exits of some slices, and the rows that have not arrived yet; how many there are.
template <bool kHasMissing, class Block>
std::int64_t enter(const RankedTree<Block>& tree, const RankedRows& rows, std::int64_t first,
                   std::int64_t end, const ActiveRows& active, std::uint32_t* leaves) {
  const std::int64_t slice_size = kRankSlice * rows.n_slots;
  alignas(64) std::uint8_t exits[kSlicesAtOnce * kRankSlice];
  std::int64_t n_moving = 0;
  while (first < end) {
    const bool is_full = first + kSlicesAtOnce <= end;
    const std::uint16_t* sliced = rows.sliced + first * slice_size;
    if (is_full)
      find_exits<kSlicesAtOnce, kHasMissing>(tree.top, tree.n_top, sliced, slice_size, exits);
    else
      find_exits<1, kHasMissing>(tree.top, tree.n_top, sliced, slice_size, exits);
    const std::int64_t row = first * kRankSlice, next = first + (is_full ? kSlicesAtOnce : 1);
    for (std::int64_t i = 0; i < next * kRankSlice - row; ++i) {
      const std::uint32_t link = tree.exits[exits[i]];
      leaves[row + i] = link;
      active.links[n_moving] = link;
      active.rows[n_moving] = static_cast<std::uint32_t>(row + i);
      n_moving += tree::is_leaf_link(link) ? 0 : 1;
    }
    first = next;
  }
  return n_moving;
}

template <bool kHasMissing, int kRowSize, class Block>
void walk_all(const RankedTree<Block>& tree, const RankedRows& rows, const ActiveRows& active,
              std::uint32_t* leaves) {
  const std::int64_t n_slices = rows.n_rows / kRankSlice;
  for (std::int64_t first = 0; first < n_slices; first += kWalkSlices) {
    const std::int64_t end = first + kWalkSlices < n_slices ? first + kWalkSlices : n_slices;
    const auto n_moving = enter<kHasMissing>(tree, rows, first, end, active, leaves);
    for (std::int64_t slice = first; slice < end; ++slice) fetch_ahead(tree, slice, n_slices);
    walk<kHasMissing, kRowSize>(tree, rows, active, n_moving, leaves);
  }
  for (std::int64_t i = 0; i < rows.n_rows; ++i) leaves[i] >>= 1;
}

}  // namespace

void walk_ranked(const RankedTree<TwoLevelBlock>& tree, const RankedRows& rows, bool has_missing,
                 const ActiveRows& active, std::uint32_t* leaves) {
  if (has_missing)
    walk_all<true, 0>(tree, rows, active, leaves);
  else
    walk_all<false, 0>(tree, rows, active, leaves);
}

void walk_ranked(const RankedTree<NodeBlock>& tree, const RankedRows& rows, bool has_missing,
                 const ActiveRows& active, std::uint32_t* leaves) {
  if (rows.row_size == 32)
    has_missing ? walk_all<true, 32>(tree, rows, active, leaves)
                : walk_all<false, 32>(tree, rows, active, leaves);
  else
    has_missing ? walk_all<true, 64>(tree, rows, active, leaves)
                : walk_all<false, 64>(tree, rows, active, leaves);
}

// Levels may be missing or unknown, so that rows are always asked.
void walk_ranked(const RankedTree<LevelNodeBlock>& tree, const RankedRows& rows, bool,
                 const ActiveRows& active, std::uint32_t* leaves) {
  if (rows.row_size == 32)
    walk_all<true, 32>(tree, rows, active, leaves);
  else
    walk_all<true, 64>(tree, rows, active, leaves);
}

}  // namespace gramian::GRAMIAN_ISA
