// Histograms of packed pairs: a cell is the sum of the gradients in its high and of the hessians in
// its low 32 bits (see pairs.hpp), so that a row costs one addition for each track.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// The rows of one group of tracks: n rows with their pairs, to be added to the cells of n_tracks
// tracks. Row i is at codes + row_offset * stride, with row_offset = rows[i], or i if rows is null.
struct HistogramRows {
  const std::uint8_t* codes;
  std::int64_t stride;  // bytes from row to row, a multiple of 8
  std::int64_t n_tracks;
  const std::uint32_t* rows;
  const std::int64_t* pairs;  // of these n rows, one after the other
  std::int64_t n;
  const std::int64_t* first_cells;  // of each track
};

GRAMIAN_DECLARE_KERNEL(void add_to_histogram(const HistogramRows& block, std::int64_t* cells))
GRAMIAN_DECLARE_KERNEL(void add_cells(std::int64_t* cells, const std::int64_t* other,
                                      std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void subtract_cells(std::int64_t* cells, const std::int64_t* other,
                                           std::int64_t n))

}  // namespace gramian
