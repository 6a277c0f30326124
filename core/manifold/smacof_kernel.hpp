// One row of a step of SMACOF.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Points as planes: coordinate c of point j is planes[c * ld + j], and ld is a whole number of
// vectors, filled up with anything finite.
struct SmacofPoints {
  const double* planes;
  std::int64_t ld;
  std::int64_t n_planes;
  std::int64_t n_points;
};

struct SmacofSums {
  double stress;   // sum_j (d(i, j) - disparity(j))^2
  double squares;  // sum_j d(i, j)^2
};

// next[c] = sum_j disparity(j) / d(i, j) (x(i, c) - x(j, c)), without points at the same place;
// distances(j) = d(i, j), unless null. `scratch` holds a vector for each plane.
GRAMIAN_DECLARE_KERNEL(SmacofSums smacof_row(const SmacofPoints& points, std::int64_t i,
                                             const double* disparity, double* next,
                                             double* distances, double* scratch))

}  // namespace gramian
