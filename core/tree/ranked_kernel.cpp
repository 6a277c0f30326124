#include "tree/ranked_kernel.hpp"

#include "tree/keys_kernel.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::kMissingRank;
using tree::kRankSlice;
using tree::kTopSplits;
using tree::Quad;
using tree::RankedRows;
using tree::RankedTree;
using tree::RankedWay;
using tree::TopSplit;

// Slices that are under way at once.
constexpr std::int64_t kWalkSlices = 16;

#if defined(__AVX512BW__)

// A split waits for the masks of its parent, so that several slices go side by side.
constexpr int kSlicesAtOnce = 4;

inline std::uint64_t above(const std::uint16_t* ranks, std::uint16_t rank) {
  const __m512i bound = _mm512_set1_epi16(static_cast<short>(rank));
  const std::uint64_t low = _mm512_cmpgt_epu16_mask(_mm512_loadu_si512(ranks), bound);
  const std::uint64_t high = _mm512_cmpgt_epu16_mask(_mm512_loadu_si512(ranks + 32), bound);
  return low | high << 32;
}

template <int kSlices, bool kHasMissing>
void find_exits(const RankedTree& tree, const std::uint16_t* sliced, std::int64_t slice_size,
                std::uint8_t* exits) {
  std::uint64_t reach[kTopSplits + 1][kSlices];
  __m512i number[kSlices];
  for (int s = 0; s < kSlices; ++s) {
    reach[0][s] = ~std::uint64_t{0};
    number[s] = _mm512_setzero_si512();
  }
  for (int k = 0; k < tree.n_top; ++k) {
    const TopSplit split = tree.top[k];
    const __m512i n_left = _mm512_set1_epi8(static_cast<char>(split.n_left_exits));
    for (int s = 0; s < kSlices; ++s) {
      const std::uint16_t* ranks = sliced + s * slice_size + kRankSlice * split.slot;
      std::uint64_t is_right = above(ranks, split.rank);
      if (kHasMissing && split.is_missing_left != 0) is_right &= ~above(ranks, kMissingRank - 1U);
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
std::int64_t drop_arrived(const RankedWay& way, std::int64_t n) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < n; i += 16) {
    const auto is_row = static_cast<__mmask16>(n - i < 16 ? (1U << (n - i)) - 1U : 0xFFFFU);
    const __m512i links = _mm512_loadu_si512(way.links + i);
    const __m512i rows = _mm512_loadu_si512(way.rows + i);
    const __mmask16 is_kept = _mm512_mask_testn_epi32_mask(is_row, links, _mm512_set1_epi32(1));
    _mm512_storeu_si512(way.links + n_kept, _mm512_maskz_compress_epi32(is_kept, links));
    _mm512_storeu_si512(way.rows + n_kept, _mm512_maskz_compress_epi32(is_kept, rows));
    n_kept += __builtin_popcount(is_kept);
  }
  return n_kept;
}

#else

constexpr int kSlicesAtOnce = 1;

// Masks of 16 bits, which the compiler turns into vectors of the level's width.
template <int kSlices, bool kHasMissing>
void find_exits(const RankedTree& tree, const std::uint16_t* sliced, std::int64_t,
                std::uint8_t* exits) {
  static_assert(kSlices == 1);
  alignas(64) std::uint16_t reach[kTopSplits + 1][kRankSlice];
  alignas(64) std::uint16_t number[kRankSlice] = {};
  for (auto& mask : reach[0]) mask = 0xFFFFU;
  for (int k = 0; k < tree.n_top; ++k) {
    const TopSplit split = tree.top[k];
    const std::uint16_t* ranks = sliced + kRankSlice * split.slot;
    const std::uint16_t bound = split.rank, n_left = split.n_left_exits;
    const bool asks_missing = kHasMissing && split.is_missing_left != 0;
    const std::uint16_t highest = asks_missing ? kMissingRank - 1U : kMissingRank;
    std::uint16_t left[kRankSlice], right[kRankSlice];
    for (int i = 0; i < kRankSlice; ++i) {
      const auto is_above = static_cast<std::uint16_t>(ranks[i] > bound ? 0xFFFFU : 0U);
      const auto is_number = static_cast<std::uint16_t>(ranks[i] <= highest ? 0xFFFFU : 0U);
      right[i] = static_cast<std::uint16_t>(reach[k][i] & is_above & is_number);
      left[i] = static_cast<std::uint16_t>(reach[k][i] & ~right[i]);
      number[i] = static_cast<std::uint16_t>(number[i] + (right[i] & n_left));
    }
    for (int i = 0; i < kRankSlice; ++i) reach[split.left][i] = left[i];
    for (int i = 0; i < kRankSlice; ++i) reach[split.right][i] = right[i];
  }
  for (int i = 0; i < kRankSlice; ++i) exits[i] = static_cast<std::uint8_t>(number[i]);
}

std::int64_t drop_arrived(const RankedWay& way, std::int64_t n) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t link = way.links[i], row = way.rows[i];
    way.links[n_kept] = link;
    way.rows[n_kept] = row;
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
inline std::size_t step(const Quad& quad, std::size_t entry, const std::uint16_t* ranks) {
  const std::uint16_t rank = ranks[quad.slot[entry]];
  if constexpr (!kHasMissing) return next_entry<true>(entry, quad.rank[entry], rank);
  const unsigned shift = quad.slot[0] >> entry & 1U;  // makes kMissingRank 0
  const auto bound = static_cast<std::uint16_t>(quad.rank[entry] + shift);
  return next_entry<false>(entry, bound, static_cast<std::uint16_t>(rank + shift));
}

template <bool kHasMissing>
void walk(const RankedTree& tree, const RankedRows& rows, const RankedWay& way, std::int64_t n,
          std::uint32_t* leaves) {
  const auto* quads = reinterpret_cast<const unsigned char*>(tree.quads);
  const std::uint16_t* const ranks = rows.ranks;
  const auto n_slots = static_cast<std::size_t>(rows.n_slots);
  for (; n > 0; n = drop_arrived(way, n))
    for (std::int64_t i = 0; i < n; ++i) {
      const Quad& quad = *reinterpret_cast<const Quad*>(quads + way.links[i]);
      const std::uint32_t row = way.rows[i];
      const std::uint16_t* own = ranks + row * n_slots;
      const std::size_t entry = step<kHasMissing>(quad, step<kHasMissing>(quad, 1, own), own);
      const std::uint32_t link = quad.link[entry - 4];
      way.links[i] = link;
      leaves[row] = link;
    }
}

// A share of the next tree's lines with each slice.
void fetch_ahead(const RankedTree& tree, std::int64_t slice, std::int64_t n_slices) {
  const auto n = tree.next_end - tree.next_begin;
  const Quad* end = tree.next_begin + n * (slice + 1) / n_slices;
  for (const Quad* quad = tree.next_begin + n * slice / n_slices; quad < end; quad += 2)
    __builtin_prefetch(quad, 0, 2);
}

// The exits of some slices, and the rows that have not arrived yet; how many there are.
template <bool kHasMissing>
std::int64_t enter(const RankedTree& tree, const RankedRows& rows, std::int64_t first,
                   std::int64_t end, const RankedWay& way, std::uint32_t* leaves) {
  const std::int64_t slice_size = kRankSlice * rows.n_slots;
  alignas(64) std::uint8_t exits[kSlicesAtOnce * kRankSlice];
  std::int64_t n_moving = 0;
  while (first < end) {
    const bool is_full = first + kSlicesAtOnce <= end;
    const std::uint16_t* sliced = rows.sliced + first * slice_size;
    if (is_full)
      find_exits<kSlicesAtOnce, kHasMissing>(tree, sliced, slice_size, exits);
    else
      find_exits<1, kHasMissing>(tree, sliced, slice_size, exits);
    const std::int64_t row = first * kRankSlice, next = first + (is_full ? kSlicesAtOnce : 1);
    for (std::int64_t i = 0; i < next * kRankSlice - row; ++i) {
      const std::uint32_t link = tree.exits[exits[i]];
      leaves[row + i] = link;
      way.links[n_moving] = link;
      way.rows[n_moving] = static_cast<std::uint32_t>(row + i);
      n_moving += tree::is_leaf_link(link) ? 0 : 1;
    }
    first = next;
  }
  return n_moving;
}

template <bool kHasMissing>
void walk_all(const RankedTree& tree, const RankedRows& rows, const RankedWay& way,
              std::uint32_t* leaves) {
  const std::int64_t n_slices = rows.n_rows / kRankSlice;
  for (std::int64_t first = 0; first < n_slices; first += kWalkSlices) {
    const std::int64_t end = first + kWalkSlices < n_slices ? first + kWalkSlices : n_slices;
    const auto n_moving = enter<kHasMissing>(tree, rows, first, end, way, leaves);
    for (std::int64_t slice = first; slice < end; ++slice) fetch_ahead(tree, slice, n_slices);
    walk<kHasMissing>(tree, rows, way, n_moving, leaves);
  }
  for (std::int64_t i = 0; i < rows.n_rows; ++i) leaves[i] >>= 1;
}

}  // namespace

// Binary searches whose steps do not branch, many in flight at once.
void write_ranks(const std::uint32_t* keys, const std::uint32_t* thresholds, std::int64_t n,
                 std::uint16_t* ranks) {
  std::uint32_t place[kRankSlice] = {};
  auto left = static_cast<std::uint32_t>(n);
  while (left > 1) {
    const std::uint32_t half = left / 2;
    for (std::int64_t i = 0; i < kRankSlice; ++i) {
      const auto is_below = static_cast<std::uint32_t>(thresholds[place[i] + half - 1] < keys[i]);
      place[i] += half & (0U - is_below);
    }
    left -= half;
  }
  for (std::int64_t i = 0; i < kRankSlice; ++i) {
    const std::uint32_t last = n > 0 && thresholds[place[i]] < keys[i] ? 1U : 0U;
    const bool is_missing = keys[i] == tree::kMissingKey;
    ranks[i] = is_missing ? kMissingRank : static_cast<std::uint16_t>(place[i] + last);
  }
}

void walk_ranked(const RankedTree& tree, const RankedRows& rows, bool has_missing,
                 const RankedWay& way, std::uint32_t* leaves) {
  if (has_missing)
    walk_all<true>(tree, rows, way, leaves);
  else
    walk_all<false>(tree, rows, way, leaves);
}

}  // namespace gramian::GRAMIAN_ISA
