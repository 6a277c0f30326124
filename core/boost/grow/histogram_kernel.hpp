// Histograms of packed pairs: a cell is the sum of the gradients in its high and of the hessians in
// its low 32 bits (see pairs.hpp), so that a row costs one addition for each track.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// n rows of one group of tracks: those listed, or if rows is null the first n.
struct HistogramRows {
  const std::uint8_t* codes;  // of all rows, one row after the other
  std::int64_t stride;        // bytes from row to row, a multiple of 8
  std::int64_t n_tracks;
  const std::uint32_t* rows;
  const std::int64_t* pairs;  // of all rows
  std::int64_t n;
  const std::int64_t* first_cells;  // of each track
};

// Adds the pair of each row to the cells of its codes.
GRAMIAN_DECLARE_KERNEL(void add_to_histogram(const HistogramRows& rows, std::int64_t* cells))
GRAMIAN_DECLARE_KERNEL(void add_cells(std::int64_t* cells, const std::int64_t* other,
                                      std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void subtract_cells(std::int64_t* cells, const std::int64_t* other,
                                           std::int64_t n))

}  // namespace gramian
