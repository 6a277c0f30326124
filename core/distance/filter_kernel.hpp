// The float32 filter of a search by Euclidean distance: tiles of scores, of which only those within
// a row's limit are kept; and the float64 distances by which the kept ones are judged.
//
// A panel holds kFilterLanes rows of Y side by side: entry k of row l stands at
// [k * kFilterLanes + l]. The score of a pair is ||y||^2 / 2 - x'y, which is half of
// ||x - y||^2 - ||x||^2.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::distance {

inline constexpr int kFilterLanes = 16;
inline constexpr int kFilterRows = 8;
inline constexpr int kFilterPanels = 12;
inline constexpr int kFilterCols = kFilterLanes * kFilterPanels;

inline constexpr int kSurvivorRoom = kFilterCols + kFilterLanes;

struct FilterOperands {
  const float* x;           // kFilterRows adjacent rows
  const float* y;           // adjacent panels
  const float* half_norms;  // of each row of Y, infinite beyond the last
  std::int64_t n_features;
  std::int64_t n_panels;  // at most kFilterPanels
  std::int32_t first_col;
};

// The columns of a row whose scores are at most its limit, which is finite. There must be room for
// kSurvivorRoom more.
struct Survivors {
  float limit;
  std::int32_t count;
  float* scores;
  std::int32_t* columns;
};

// Rows of numbers that are adjacent in memory.
template <class T>
struct RowsOf {
  const T* data;
  std::int64_t row_stride;
  std::int64_t n_features;
};

}  // namespace gramian::distance

namespace gramian {

// Adds to survivors[i], for each row i of the tile, what passes its limit.
GRAMIAN_DECLARE_KERNEL(void filter_tile(const distance::FilterOperands& operands,
                                        distance::Survivors* survivors))

// out[i] = sum (x - y)^2 over the features in their order, one fused multiply-add each, for the
// rows y named by columns[i], or the rows first + i where columns is null.
GRAMIAN_DECLARE_KERNEL(void squared_distances(const double* x, const distance::RowsOf<double>& rows,
                                              const std::int32_t* columns, std::int64_t first,
                                              std::int64_t n, double* out))
GRAMIAN_DECLARE_KERNEL(void squared_distances(const double* x, const distance::RowsOf<float>& rows,
                                              const std::int32_t* columns, std::int64_t first,
                                              std::int64_t n, double* out))

}  // namespace gramian
