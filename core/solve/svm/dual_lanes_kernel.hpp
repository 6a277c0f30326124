// Products of a row with the coefficients of eight machines, which stand side by side.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// Rows of n entries: values, and the columns they stand in (null: 0, 1, 2 ...). Column j of W is
// the eight numbers from 8 j on.
template <class T, class Index>
struct LaneKernels {
  // out = sum_e values[e] W[cols[e]]
  void (*times)(const T* values, const Index* cols, std::int64_t n, const double* W, double* out);
  // W[cols[e]] += values[e] step
  void (*add)(const T* values, const Index* cols, std::int64_t n, const double* step, double* W);
};

template <class T, class Index>
struct LaneRow {
  const T* values;
  const Index* cols;
  std::int64_t n;
};

using FloatLanes32 = LaneKernels<float, std::int32_t>;
using FloatLanes64 = LaneKernels<float, std::int64_t>;
using DoubleLanes32 = LaneKernels<double, std::int32_t>;
using DoubleLanes64 = LaneKernels<double, std::int64_t>;

GRAMIAN_DECLARE_KERNEL(FloatLanes32 float_lanes_32())
GRAMIAN_DECLARE_KERNEL(FloatLanes64 float_lanes_64())
GRAMIAN_DECLARE_KERNEL(DoubleLanes32 double_lanes_32())
GRAMIAN_DECLARE_KERNEL(DoubleLanes64 double_lanes_64())

}  // namespace gramian
