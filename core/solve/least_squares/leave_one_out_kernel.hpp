// The elementwise part of leave-one-out errors, on blocks of rows padded to whole vectors.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// leverage[i] <- 1 / (1 - weight[i] (leverage[i] + offset)), for i < n, a multiple of 8. A
// denominator that rounding has made smaller than the precision counts as the precision.
GRAMIAN_DECLARE_KERNEL(void invert_complements(const double* weight, double offset, std::int64_t n,
                                               double* leverage))

// prediction[i] <- (target[i] - prediction[i]) inverse[i]; returns the weighted sum of squares.
GRAMIAN_DECLARE_KERNEL(double leave_out(const double* target, const double* weight,
                                        const double* inverse, std::int64_t n, double* prediction))

// out[i] = scale[i / 8] values[i] for `count` groups of 8: the rows of a panel, each scaled.
GRAMIAN_DECLARE_KERNEL(void scale_panel(const double* values, const double* scale,
                                        std::int64_t count, double* out))

// out[i] = values[i]^2.
GRAMIAN_DECLARE_KERNEL(void square_panel(const double* values, std::int64_t count, double* out))

// acc[j] += scale row[j] for j < n.
GRAMIAN_DECLARE_KERNEL(void add_scaled_row(const double* row, double scale, std::int64_t n,
                                           double* acc))

}  // namespace gramian
