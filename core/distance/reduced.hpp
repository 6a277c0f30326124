// Distances of sums: of squares, of sizes or of powers.
#pragma once

#include <cmath>

#include "distance/tiles.hpp"

namespace gramian::distance {

inline double from_reduced(const Measure& measure, double reduced) {
  if (measure.metric == Metric::euclidean) return std::sqrt(reduced);
  if (measure.metric == Metric::minkowski) return std::pow(reduced, 1.0 / measure.power);
  return reduced;
}

}  // namespace gramian::distance
