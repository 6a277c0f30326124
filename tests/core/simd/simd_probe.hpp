// What the SIMD types compute, for a comparison of the levels.
#pragma once

#include "simd/level.hpp"

namespace gramian {

// out gets, in turn: a+b, a-b, a*b, fma(a,b,c) and hsum(a); a, b, c have 8 (16) entries.
GRAMIAN_DECLARE_KERNEL(void probe(const double* a, const double* b, const double* c, double* out))
GRAMIAN_DECLARE_KERNEL(void probe(const float* a, const float* b, const float* c, float* out))
// Eight floats as doubles, the first n < 8 entries of a, and those n stored over zeros.
GRAMIAN_DECLARE_KERNEL(void probe_loads(const float* a, const double* b, int n, double* out))

}  // namespace gramian
