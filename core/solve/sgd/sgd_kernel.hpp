// The inner loops of a stochastic gradient step on a dense row. The weights are double and padded
// with zeros to whole multiples of kWeightLanes; the row is not.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr std::int64_t kWeightLanes = 8;

// The functions of one level: chosen once for all the steps of a fit.
template <class T>
struct RowKernels {
  double (*dot)(const T* row, std::int64_t n, const double* v);
  double (*squared_norm)(const T* row, std::int64_t n);
  // v += c row; returns |v|^2 after it.
  double (*add)(const T* row, std::int64_t n, double c, double* v);
};

// Pulls the entries of v towards zero: the cumulative penalty `total`, less what an entry already
// got of it, which `given` keeps (Tsuruoka, Tsujii and Ananiadou 2009). The weights are scale v.
struct Shrinkage {
  double total;
  double scale;
};

// Static: a copy of its own for every level.
static inline double shrunk(const Shrinkage& shrinkage, double v, double& given) {
  // Never negative but for rounding, which must not move an entry away from zero.
  const double above = (shrinkage.total + given) / shrinkage.scale;
  const double below = (shrinkage.total - given) / shrinkage.scale;
  const double lower = v - (above > 0.0 ? above : 0.0);
  const double upper = v + (below > 0.0 ? below : 0.0);
  const double towards_zero = v > 0.0 ? (lower > 0.0 ? lower : 0.0) : (upper < 0.0 ? upper : 0.0);
  const double moved = v > 0.0 || v < 0.0 ? towards_zero : v;
  given += shrinkage.scale * (moved - v);
  return moved;
}

GRAMIAN_DECLARE_KERNEL(RowKernels<float> float_row_kernels())
GRAMIAN_DECLARE_KERNEL(RowKernels<double> double_row_kernels())
GRAMIAN_DECLARE_KERNEL(void shrink_all(const Shrinkage& shrinkage, std::int64_t n, double* v,
                                       double* given))
GRAMIAN_DECLARE_KERNEL(double sum_of_magnitudes(const double* v, std::int64_t n_padded))

}  // namespace gramian
