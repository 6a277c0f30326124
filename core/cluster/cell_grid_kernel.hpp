// The points near one of a grid of cells. Sums of squares are those of the k-d tree, feature by
// feature: entry k of point i stands at points[k * stride + i], and 7 entries more may be read.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::cluster {

// Runs of adjacent cells; cell c holds the points begins[c] .. begins[c + 1].
struct CellRuns {
  const std::int64_t* begins;
  const std::int64_t *firsts, *lasts;
  std::int64_t n_runs;
};

// All points of a grid.
struct GridPoints {
  const double* values;
  std::int64_t stride;
  std::int64_t n_features;  // 1 to 3
};

}  // namespace gramian::cluster

namespace gramian {

// How many points of the runs have a squared distance from x up to the limit; counted run by run
// until there are enough.
GRAMIAN_DECLARE_KERNEL(std::int64_t count_near(const double* x, const cluster::GridPoints& points,
                                               const cluster::CellRuns& runs, double limit,
                                               double enough))

// Whether one of the n points from a place on has.
GRAMIAN_DECLARE_KERNEL(bool has_near(const double* x, const cluster::GridPoints& points,
                                     std::int64_t begin, std::int64_t n, double limit))

// Moves each run forward to the keys from key + offset - reach to key + offset + reach, whole
// numbers of which there are at most 8. Keys ascend, with 8 infinite ones at their end.
GRAMIAN_DECLARE_KERNEL(void move_runs(const double* keys, double key, const double* offsets,
                                      std::int64_t n_runs, double reach, std::int64_t* firsts,
                                      std::int64_t* lasts))

}  // namespace gramian
