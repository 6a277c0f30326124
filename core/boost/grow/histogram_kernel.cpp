#include "boost/grow/histogram_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gramian::GRAMIAN_ISA {
namespace {

// Rows are added block by block: the codes and pairs of a block stay in the first cache while eight
// tracks after eight tracks are done, whose cells then stay there too.
constexpr std::int64_t kBlock = 128;

struct Block {
  const std::uint8_t* codes;
  const std::int64_t* pairs;
  std::int64_t n;
};

// Adds eight tracks, or what is left of them, of a block: their codes are one load. Not inlined:
// the pointers to the cells fill the registers.
template <int kTracks>
[[gnu::noinline]] void add_word(const Block& block, std::int64_t stride, std::int64_t first,
                                const std::int64_t* first_cells, std::int64_t* cells) {
  std::int64_t* own[kTracks];
  for (int k = 0; k < kTracks; ++k) own[k] = cells + first_cells[first + k];
  const std::uint8_t* codes = block.codes + first;
  for (std::int64_t i = 0; i < block.n; ++i) {
    std::uint64_t word;
    std::memcpy(&word, codes + i * stride, sizeof word);
    const std::int64_t pair = block.pairs[i];
    for (int k = 0; k < kTracks; ++k) own[k][(word >> (8 * k)) & 255] += pair;
  }
}

void add_block(const Block& block, const HistogramRows& all, std::int64_t* cells) {
  constexpr std::array kAdd{add_word<1>, add_word<2>, add_word<3>, add_word<4>,
                            add_word<5>, add_word<6>, add_word<7>, add_word<8>};
  for (std::int64_t first = 0; first < all.n_tracks; first += 8) {
    const std::int64_t n_tracks = std::min<std::int64_t>(all.n_tracks - first, 8);
    kAdd[static_cast<std::size_t>(n_tracks - 1)](block, all.stride, first, all.first_cells, cells);
  }
}

// The codes and pairs of rows here and there are brought together, while those of the next block
// are fetched.
void add_listed(const HistogramRows& all, std::int64_t* cells) {
  constexpr std::int64_t kMostBytes = 64;  // of a row
  alignas(64) std::uint8_t codes[kBlock * kMostBytes];
  std::int64_t pairs[kBlock];
  for (std::int64_t begin = 0; begin < all.n; begin += kBlock) {
    const std::int64_t n = std::min(kBlock, all.n - begin);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t row = all.rows[begin + i];
      const std::int64_t next = all.rows[std::min(begin + kBlock + i, all.n - 1)];
      __builtin_prefetch(all.codes + next * all.stride);
      __builtin_prefetch(all.pairs + next);
      pairs[i] = all.pairs[row];
      for (std::int64_t k = 0; k < all.stride; k += 8)
        std::memcpy(codes + i * all.stride + k, all.codes + row * all.stride + k, 8);
    }
    add_block({codes, pairs, n}, all, cells);
  }
}

void add_first(const HistogramRows& all, std::int64_t* cells) {
  for (std::int64_t begin = 0; begin < all.n; begin += kBlock)
    add_block({all.codes + begin * all.stride, all.pairs + begin, std::min(kBlock, all.n - begin)},
              all, cells);
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
