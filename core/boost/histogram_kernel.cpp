#include "boost/histogram_kernel.hpp"

#include <algorithm>
#include <cstring>

namespace gramian::GRAMIAN_ISA {
namespace {

// Rows are added block by block: the codes and pairs of a block stay in the first cache while eight
// tracks after eight tracks are done, whose cells then stay there too.
constexpr std::int64_t kBlock = 128;

struct Block {
  const std::uint32_t* rows;  // row numbers; of consecutive rows null
  const std::uint8_t* codes;  // of all rows, or of the block's first one
  const std::int64_t* pairs;  // of the block's rows
  std::int64_t n;
  // The rows of the next block, which the first pass over this one fetches.
  const std::uint32_t* next;
  const std::int64_t* all_pairs;
};

// Adds eight tracks, or what is left of them, of a block: their codes are one load.
template <int kTracks, bool kListed, bool kFetches>
void add_word(const Block& block, std::int64_t stride, std::int64_t first,
              const std::int64_t* first_cells, std::int64_t* cells) {
  std::int64_t* own[kTracks];
  for (int k = 0; k < kTracks; ++k) own[k] = cells + first_cells[first + k];
  const std::uint8_t* codes = block.codes + first;
  for (std::int64_t i = 0; i < block.n; ++i) {
    const auto row = kListed ? static_cast<std::int64_t>(block.rows[i]) : i;
    if constexpr (kFetches) {
      __builtin_prefetch(block.codes + block.next[i] * stride);
      __builtin_prefetch(block.all_pairs + block.next[i]);
    }
    std::uint64_t word;
    std::memcpy(&word, codes + row * stride, sizeof word);
    const std::int64_t pair = block.pairs[i];
    for (int k = 0; k < kTracks; ++k) own[k][(word >> (8 * k)) & 255] += pair;
  }
}

template <bool kListed, bool kFetches>
void add_some(const Block& block, const HistogramRows& all, std::int64_t first,
              std::int64_t* cells) {
  const auto add = [&]<int kTracks>() {
    add_word<kTracks, kListed, kFetches>(block, all.stride, first, all.first_cells, cells);
  };
  switch (std::min<std::int64_t>(all.n_tracks - first, 8)) {
    case 1:
      return add.template operator()<1>();
    case 2:
      return add.template operator()<2>();
    case 3:
      return add.template operator()<3>();
    case 4:
      return add.template operator()<4>();
    case 5:
      return add.template operator()<5>();
    case 6:
      return add.template operator()<6>();
    case 7:
      return add.template operator()<7>();
    default:
      return add.template operator()<8>();
  }
}

void add_listed(const HistogramRows& all, std::int64_t* cells) {
  std::int64_t pairs[kBlock];
  std::uint32_t next[kBlock];
  for (std::int64_t begin = 0; begin < all.n; begin += kBlock) {
    const std::int64_t n = std::min(kBlock, all.n - begin);
    const Block block{all.rows + begin, all.codes, pairs, n, next, all.pairs};
    for (std::int64_t i = 0; i < n; ++i) {
      pairs[i] = all.pairs[block.rows[i]];
      next[i] = all.rows[std::min(begin + kBlock + i, all.n - 1)];
    }
    add_some<true, true>(block, all, 0, cells);
    for (std::int64_t first = 8; first < all.n_tracks; first += 8)
      add_some<true, false>(block, all, first, cells);
  }
}

void add_first(const HistogramRows& all, std::int64_t* cells) {
  for (std::int64_t begin = 0; begin < all.n; begin += kBlock) {
    const Block block{nullptr,           all.codes + begin * all.stride,
                      all.pairs + begin, std::min(kBlock, all.n - begin),
                      nullptr,           nullptr};
    for (std::int64_t first = 0; first < all.n_tracks; first += 8)
      add_some<false, false>(block, all, first, cells);
  }
}

}  // namespace

void add_to_histogram(const HistogramRows& rows, std::int64_t* cells) {
  rows.rows != nullptr ? add_listed(rows, cells) : add_first(rows, cells);
}

void add_cells(std::int64_t* cells, const std::int64_t* other, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) cells[i] += other[i];
}

void subtract_cells(std::int64_t* cells, const std::int64_t* other, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) cells[i] -= other[i];
}

}  // namespace gramian::GRAMIAN_ISA
