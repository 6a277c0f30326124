// Entries of multiplicative updates for beta divergences, and the divergences themselves.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// x of the data and y of the product of the factors, both of `count` entries, a whole multiple of
// 8. Reciprocals and logarithms take y for at least `least`.
struct BetaEntries {
  double beta;
  double least;
  std::int64_t count;
  double* x;
  double* y;
};

// x <- x y^(beta - 2) and y <- y^(beta - 1).
GRAMIAN_DECLARE_KERNEL(void beta_ratios(const BetaEntries& entries))

// The sum of the divergences d(x | y); x = y = 1 has none.
GRAMIAN_DECLARE_KERNEL(double beta_divergences(const BetaEntries& entries))

}  // namespace gramian
