// The contrast functions of independent component analysis, and their slopes.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

enum class Contrast {
  logcosh,  // tanh(alpha y)
  exp,      // y exp(-y^2 / 2)
  cube      // y^3
};

// values[i] = g(values[i]); slopes[i mod width] += g'(values[i]), for rows of `width` entries, a
// whole multiple of 8.
struct ContrastTile {
  Contrast contrast;
  double alpha;
  double* values;
  std::int64_t n_rows;
  std::int64_t width;
  double* slopes;
};

GRAMIAN_DECLARE_KERNEL(void apply_contrast(const ContrastTile& tile))

}  // namespace gramian
