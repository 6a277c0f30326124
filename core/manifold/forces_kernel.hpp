// Forces between points of an embedding.
//
// With d the distance of two points and f degrees of freedom, q = 1 / (1 + d^2 / f) and Student's
// weight is w = q^((f + 1) / 2). A point at y is pushed away from one at z by w q (y - z) over the
// sum of all w, and pulled towards it by p q (y - z). In two coordinates f is 1 and w is q; in more
// it is one less than their number.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Points of which plane k begins at values + k * stride.
struct PointPlanes {
  const float* values;
  std::int64_t stride;
  int n_planes;
};

struct ForcePlanes {
  float* values;
  std::int64_t stride;
};

// Points first .. end of some planes. Sources begin at any multiple of a vector and are followed by
// points far away up to the end of their last vector.
struct PointRun {
  PointPlanes points;
  std::int64_t first;
  std::int64_t end;
};

// forces[i] = sum over the sources j of mass_j w q (y_i - y_j) for each target i; without masses
// each is 1. Returns the sum of mass_j w, in which a source at the target's place counts 1.
GRAMIAN_DECLARE_KERNEL(double repel(const PointRun& targets, const PointRun& sources,
                                    const float* masses, const ForcePlanes& forces))

// The same of two runs of points of the plane, which act on each other: every pair is looked at
// once. Returns the sum over the pairs.
GRAMIAN_DECLARE_KERNEL(double repel_each_other(const PointRun& a, const PointRun& b,
                                               const ForcePlanes& on_a, const ForcePlanes& on_b))

// A row of affinities: those to points `places`, or to all points where that is null.
struct AffinityRow {
  const float* values;
  const std::int32_t* places;
  std::int64_t size;
};

// force[k] = sum_j p_j q (y_ik - y_jk), plane k's at force[k * stride].
GRAMIAN_DECLARE_KERNEL(void attract(const PointPlanes& points, std::int64_t i,
                                    const AffinityRow& row, const ForcePlanes& forces))

// sum_j p_j log(1 / w).
GRAMIAN_DECLARE_KERNEL(double attraction_energy(const PointPlanes& points, std::int64_t i,
                                                const AffinityRow& row))

// sum_j p_j log p_j, where 0 log 0 = 0.
GRAMIAN_DECLARE_KERNEL(double negative_entropy(const float* values, std::int64_t n))

}  // namespace gramian
