#include "boost/histogram_kernel.hpp"

#include <cstring>

namespace gramian::GRAMIAN_ISA {
namespace {

// Eight tracks at a time: their codes are one load, and their cells stay in the first cache.
template <int kTracks, bool kListed>
void add_word(const HistogramRows& block, const std::uint8_t* codes,
              const std::int64_t* first_cells, std::int64_t* cells) {
  std::int64_t* own[kTracks];
  for (int k = 0; k < kTracks; ++k) own[k] = cells + first_cells[k];
  for (std::int64_t i = 0; i < block.n; ++i) {
    const auto row = kListed ? static_cast<std::int64_t>(block.rows[i]) : i;
    std::uint64_t word;
    std::memcpy(&word, codes + row * block.stride, sizeof word);
    const std::int64_t pair = block.pairs[i];
    for (int k = 0; k < kTracks; ++k) own[k][(word >> (8 * k)) & 255] += pair;
  }
}

template <bool kListed>
void add_words(const HistogramRows& block, std::int64_t* cells) {
  for (std::int64_t first = 0; first < block.n_tracks; first += 8) {
    const std::uint8_t* codes = block.codes + first;
    const std::int64_t* first_cells = block.first_cells + first;
    switch (block.n_tracks - first) {
      case 1:
        add_word<1, kListed>(block, codes, first_cells, cells);
        break;
      case 2:
        add_word<2, kListed>(block, codes, first_cells, cells);
        break;
      case 3:
        add_word<3, kListed>(block, codes, first_cells, cells);
        break;
      case 4:
        add_word<4, kListed>(block, codes, first_cells, cells);
        break;
      case 5:
        add_word<5, kListed>(block, codes, first_cells, cells);
        break;
      case 6:
        add_word<6, kListed>(block, codes, first_cells, cells);
        break;
      case 7:
        add_word<7, kListed>(block, codes, first_cells, cells);
        break;
      default:
        add_word<8, kListed>(block, codes, first_cells, cells);
        break;
    }
  }
}

}  // namespace

void add_to_histogram(const HistogramRows& block, std::int64_t* cells) {
  if (block.rows != nullptr)
    add_words<true>(block, cells);
  else
    add_words<false>(block, cells);
}

void add_cells(std::int64_t* cells, const std::int64_t* other, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) cells[i] += other[i];
}

void subtract_cells(std::int64_t* cells, const std::int64_t* other, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) cells[i] -= other[i];
}

}  // namespace gramian::GRAMIAN_ISA
