// Steps between the Fourier transforms of a grid (core/manifold/grid.hpp).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Of 32 real rows, transformed as 16 complex ones of which the second half are imaginary parts: the
// spectra of all rows at columns 0 .. length / 2, row r at out + r * 32 of the block of each
// sixteen columns; blocks are `block_stride` apart, and the last is filled up with zeros.
GRAMIAN_DECLARE_KERNEL(void part_rows(const float* transformed, std::int64_t length,
                                      std::int64_t block_stride, float* out))

// The way back for two real fields of 16 rows from their spectra: x + i y in natural order.
GRAMIAN_DECLARE_KERNEL(void join_rows(const float* x, const float* y, std::int64_t length,
                                      std::int64_t block_stride, float* out))

// With kernels k0, k1, k2 at each element (16 floats each): x = i k1 c, y = i k2 c in place of c.
// Returns the sum of weight * k0 |c|^2 over lanes and elements.
GRAMIAN_DECLARE_KERNEL(double apply_kernels(std::int64_t n, const float* kernels,
                                            const float* weights, float* x, float* y))

}  // namespace gramian
