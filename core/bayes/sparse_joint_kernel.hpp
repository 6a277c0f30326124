// Joint log-probabilities of sparse rows and every class: sums over the stored entries.
#pragma once

#include <cstdint>

#include "base/views.hpp"
#include "simd/level.hpp"

namespace gramian {

// coef(j, c) stands at table[j * k + c] for the first n_whole columns, and at
// tail[(j - n_whole) * k + c] for the others; whole vectors may be read from any of these entries.
struct ClassTable {
  const double* table;
  const double* tail;
  std::int64_t n_whole;
  const double* constant;
  std::int64_t k;
};

// joint(c, i) = constant_c + sum_e value_e coef(col_e, c) over the entries of row i: those of a
// JointBlock.
#define GRAMIAN_SPARSE_JOINT(T, Index) \
  GRAMIAN_DECLARE_KERNEL(              \
      void sparse_joint(const CsrView<T, Index>& rows, const ClassTable& classes, double* joint))
GRAMIAN_SPARSE_JOINT(float, std::int32_t)
GRAMIAN_SPARSE_JOINT(float, std::int64_t)
GRAMIAN_SPARSE_JOINT(double, std::int32_t)
GRAMIAN_SPARSE_JOINT(double, std::int64_t)
#undef GRAMIAN_SPARSE_JOINT

}  // namespace gramian
