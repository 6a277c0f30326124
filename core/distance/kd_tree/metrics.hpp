// The sums that the reduced distances of a k-d tree are. Include in kernel sources only.
#pragma once

#include <cmath>
#include <cstdint>

#include "distance/tile_kernel.hpp"
#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {

inline constexpr double kPowersAreMonotone = 1e-12;  // up to so much

template <distance::Metric kMetric>
inline double add_gap(double sum, double gap, double power) {
  using distance::Metric;
  if constexpr (kMetric == Metric::euclidean) return __builtin_fma(gap, gap, sum);
  if constexpr (kMetric == Metric::manhattan) return sum + gap;
  if constexpr (kMetric == Metric::chebyshev) return gap > sum ? gap : sum;
  return sum + std::pow(gap, power);
}

template <distance::Metric kMetric>
inline VecD add_gap(VecD sum, VecD gap, double power) {
  using distance::Metric;
  if constexpr (kMetric == Metric::euclidean) return fma(gap, gap, sum);
  if constexpr (kMetric == Metric::manhattan) return sum + gap;
  if constexpr (kMetric == Metric::chebyshev) return max(sum, gap);
  double lanes[VecD::kLanes];
  gap.store(lanes);
  for (double& lane : lanes) lane = std::pow(lane, power);
  return sum + VecD::load(lanes);
}

// Calls function with the metric as a constant.
template <class Function>
inline auto with_tree_metric(distance::Metric metric, const Function& function) {
  using distance::Metric;
  if (metric == Metric::euclidean) return function.template operator()<Metric::euclidean>();
  if (metric == Metric::manhattan) return function.template operator()<Metric::manhattan>();
  if (metric == Metric::chebyshev) return function.template operator()<Metric::chebyshev>();
  return function.template operator()<Metric::minkowski>();
}

}  // namespace gramian::GRAMIAN_ISA
