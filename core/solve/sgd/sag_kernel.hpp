// The inner loops of a stochastic average gradient step on a dense row. Vectors are padded with
// zeros to whole multiples of kRowLanes entries.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kRowLanes = 8;

// What one step does with z, a centred row whose remembered derivative changes by `change`:
//   sum <- sum + change z,   v <- shrink v - average_step sum - row_step change z.
struct SagStep {
  double change;
  double shrink;
  double average_step;
  double row_step;
};

// out = row - mean; `row` has n entries, `mean` and `out` are padded.
GRAMIAN_DECLARE_KERNEL(void centre_row(const double* row, const double* mean, std::int64_t n,
                                       double* out))
GRAMIAN_DECLARE_KERNEL(void centre_row(const float* row, const double* mean, std::int64_t n,
                                       double* out))

GRAMIAN_DECLARE_KERNEL(double padded_dot(const double* a, const double* b, std::int64_t n_padded))

GRAMIAN_DECLARE_KERNEL(void move_along_average(const SagStep& step, const double* z,
                                               std::int64_t n_padded, double* sum, double* v))

}  // namespace gramian
