#include "manifold/smacof_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;

struct Totals {
  VecD stress = VecD::zero();
  VecD squares = VecD::zero();
};

// Adds the points j .. j + kLanes; returns their distances. Lanes whose `counts` is 0 add nothing.
VecD add_points(const SmacofPoints& points, std::int64_t i, std::int64_t j, VecD disparity,
                VecD counts, double* sums, Totals& totals) {
  VecD squared = VecD::zero();
  for (std::int64_t c = 0; c < points.n_planes; ++c) {
    const double* plane = points.planes + c * points.ld;
    const VecD difference = VecD::set1(plane[i]) - VecD::load(plane + j);
    squared = fma(difference, difference, squared);
  }
  const VecD distance = sqrt(squared) * counts, excess = distance - disparity;
  totals.stress = fma(excess, excess, totals.stress);
  totals.squares = fma(distance, distance, totals.squares);
  const VecD ratio = select_less(VecD::zero(), distance, disparity / distance, VecD::zero());
  for (std::int64_t c = 0; c < points.n_planes; ++c) {
    const double* plane = points.planes + c * points.ld;
    const VecD difference = VecD::set1(plane[i]) - VecD::load(plane + j);
    fma(ratio, difference, VecD::load(sums + c * kLanes)).store(sums + c * kLanes);
  }
  return distance;
}

}  // namespace

SmacofSums smacof_row(const SmacofPoints& points, std::int64_t i, const double* disparity,
                      double* next, double* distances, double* scratch) {
  for (std::int64_t c = 0; c < points.n_planes; ++c) VecD::zero().store(scratch + c * kLanes);
  Totals totals;
  std::int64_t j = 0;
  for (; j + kLanes <= points.n_points; j += kLanes) {
    const VecD distance =
        add_points(points, i, j, VecD::load(disparity + j), VecD::set1(1.0), scratch, totals);
    if (distances) distance.store(distances + j);
  }
  if (const std::int64_t rest = points.n_points - j; rest > 0) {
    constexpr double kOnes[kLanes] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const VecD distance = add_points(points, i, j, load_partial<VecD>(disparity + j, rest),
                                     load_partial<VecD>(kOnes, rest), scratch, totals);
    if (distances) store_partial(distance, distances + j, rest);
  }
  for (std::int64_t c = 0; c < points.n_planes; ++c)
    next[c] = hsum(VecD::load(scratch + c * kLanes));
  return {hsum(totals.stress), hsum(totals.squares)};
}

}  // namespace gramian::GRAMIAN_ISA
