// Distances from a point to a box, and to the points of a leaf, in the order of the features with
// the same operations. Rounding is monotone, so no point of a box is computed as nearer than the
// box: a search may skip what is farther than the k-th nearest so far, without any tolerance.
//
// All are "reduced": sums of squares, of sizes or of powers, of which no root is taken.
#pragma once

#include <cstdint>

#include "distance/tile_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

// box holds the least entries of the features, then the largest.
GRAMIAN_DECLARE_KERNEL(double distance_to_box(distance::Metric metric, double power,
                                              const double* x, const double* box,
                                              std::int64_t n_features))

// To the corner of the box that is farthest.
GRAMIAN_DECLARE_KERNEL(double distance_across_box(distance::Metric metric, double power,
                                                  const double* x, const double* box,
                                                  std::int64_t n_features))

// Of the points whose feature k stands at points[k * stride ..]; stride is a multiple of 8.
GRAMIAN_DECLARE_KERNEL(void distances_to_leaf(distance::Metric metric, double power,
                                              const double* x, const double* points,
                                              std::int64_t n_features, std::int64_t stride,
                                              double* out))

}  // namespace gramian
