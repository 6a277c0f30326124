// The loops over the arrays of a sparse matrix. Without branches, so that they vectorise.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

struct IndexRun {
  bool is_inside = true;     // all indices are in 0 .. last
  std::int64_t n_falls = 0;  // indices not above the one before, which may belong to another row
};

// Of indices[begin] .. indices[end - 1]; the one before the first is read, too, unless begin is 0.
// Requires fewer than 2^31 indices.
GRAMIAN_DECLARE_KERNEL(IndexRun read_indices(const std::int32_t* indices, std::int64_t begin,
                                             std::int64_t end, std::int32_t last))
GRAMIAN_DECLARE_KERNEL(IndexRun read_indices(const std::int64_t* indices, std::int64_t begin,
                                             std::int64_t end, std::int64_t last))

// Whether offsets[begin] <= offsets[begin + 1] <= ... <= offsets[end].
GRAMIAN_DECLARE_KERNEL(bool never_falls(const std::int32_t* offsets, std::int64_t begin,
                                        std::int64_t end))
GRAMIAN_DECLARE_KERNEL(bool never_falls(const std::int64_t* offsets, std::int64_t begin,
                                        std::int64_t end))

// One row of a product: sums = the rows of a matrix, each times a value. Row r starts at
// matrix + r * stride; the terms of each sum are added in their order.
#define GRAMIAN_DECLARE_SUM_ROWS(T, Index)                                                 \
  GRAMIAN_DECLARE_KERNEL(void sum_rows(const T* values, const Index* rows, std::int64_t n, \
                                       const double* matrix, std::int64_t stride,          \
                                       std::int64_t n_sums, double* sums))
GRAMIAN_DECLARE_SUM_ROWS(float, std::int32_t)
GRAMIAN_DECLARE_SUM_ROWS(float, std::int64_t)
GRAMIAN_DECLARE_SUM_ROWS(double, std::int32_t)
GRAMIAN_DECLARE_SUM_ROWS(double, std::int64_t)
#undef GRAMIAN_DECLARE_SUM_ROWS

}  // namespace gramian
