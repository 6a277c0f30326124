// Kernels on rows whose entries are adjacent in memory. Every column is summed in the order of the
// rows, so that the bits depend neither on the instruction set nor on the memory layout.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// A block of rows; the entries of one row are adjacent.
template <class T>
struct Rows {
  const T* data;
  std::int64_t row_stride;
  std::int64_t n_rows;
  std::int64_t n_cols;
};

// For each column, over the entries that are not NaN: the weight, the mean distance from a finite
// origin, and the weighted sum of squares about the mean. `scratch` has room for 3 n_cols numbers.
struct MomentArrays {
  const double* origin;
  double* weight;
  double* mean;
  double* squares;
  double* scratch;
};

// Adds a block to the moments; `row_weight` may be null.
GRAMIAN_DECLARE_KERNEL(void add_moments(const Rows<double>& rows, const double* row_weight,
                                        const MomentArrays& moments))
GRAMIAN_DECLARE_KERNEL(void add_moments(const Rows<float>& rows, const double* row_weight,
                                        const MomentArrays& moments))

// low[j] = min, high[j] = max with the block's entries that are not NaN.
GRAMIAN_DECLARE_KERNEL(void widen_ranges(const Rows<double>& rows, double* low, double* high))
GRAMIAN_DECLARE_KERNEL(void widen_ranges(const Rows<float>& rows, double* low, double* high))
// The same for one column whose n entries are adjacent.
GRAMIAN_DECLARE_KERNEL(void widen_range(const double* x, std::int64_t n, double* low, double* high))
GRAMIAN_DECLARE_KERNEL(void widen_range(const float* x, std::int64_t n, double* low, double* high))

// What is done to every entry, rounded to the entry's type after each step:
// (x - shift) / scale, or x * scale + shift.
enum class Affine { standardise, restore };

// One row, with a shift and a scale for each entry; or one column, with the same for all entries.
GRAMIAN_DECLARE_KERNEL(void map_row(const double* x, std::int64_t n, const double* shift,
                                    const double* scale, Affine what, double* out))
GRAMIAN_DECLARE_KERNEL(void map_row(const float* x, std::int64_t n, const double* shift,
                                    const double* scale, Affine what, float* out))
GRAMIAN_DECLARE_KERNEL(void map_column(const double* x, std::int64_t n, double shift, double scale,
                                       Affine what, double* out))
GRAMIAN_DECLARE_KERNEL(void map_column(const float* x, std::int64_t n, double shift, double scale,
                                       Affine what, float* out))

}  // namespace gramian
