#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// y += a x.
GRAMIAN_DECLARE_KERNEL(void add_scaled(double a, const double* x, std::int64_t n, double* y))

}  // namespace gramian
