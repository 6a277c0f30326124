// Logarithms of smoothed frequencies, the classes of a column side by side as sparse rows read
// them.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

struct LogShares {
  const double* counts;     // count(c, j) at c * n_cols + j
  const double* base;       // one for each column: what is added to, or taken from
  const double* added;      // smoothing, one for each column
  const double* log_total;  // log_of that of each class
  std::int64_t n_classes, n_cols;
  double sign;  // 1 or -1: of the counts, and of the logarithm
  double* out;
};

// The logarithm of any number, as log_shares has it.
GRAMIAN_DECLARE_KERNEL(double log_of(double x))

// out[j * n_classes + c] = sign log((base_j + sign count(c, j) + added_j) / total_c) for the
// columns begin .. end.
GRAMIAN_DECLARE_KERNEL(void log_shares(const LogShares& shares, std::int64_t begin,
                                       std::int64_t end))

}  // namespace gramian
