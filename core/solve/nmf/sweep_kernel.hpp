// Coordinate descent on non-negative least squares, for a block of rows side by side in lanes.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kSweepRows = 32;

// For each row w: min w'Gw / 2 - c'w over w >= 0, one coordinate after the other. Entry t of the
// rows lies at [t * kSweepRows + lane].
struct SweepBlock {
  std::int64_t k;
  const double* gram;         // k x k
  const double* inverse;      // 1 / G(t, t), 0 where that is 0
  const std::int64_t* order;  // of the coordinates
  std::int64_t n_sweeps;      // most
  double shrink;              // ends when a sweep moves less than this part of the first
  const double* cross;        // c
  double* rows;               // w
  double violation;           // out: sum of the projected gradient as the first sweep met it
};

GRAMIAN_DECLARE_KERNEL(void sweep_block(SweepBlock& block))

}  // namespace gramian
