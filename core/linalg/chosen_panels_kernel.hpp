// Chosen rows of a matrix, each less the mean of its class, in packed panels (panels_kernel.hpp).
#pragma once

#include <cstdint>

#include "linalg/panels_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

// With r = rows[k] (null: k) and c = codes[r] (null: 0):
// packed(k, j) = row_scale[r] * (data(r, j) - shift(c, j)); no row_scale means one for each.
template <class T>
struct ChosenSource {
  const T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t n_cols;
  const std::int32_t* rows;
  std::int64_t n_rows;  // at most kBlockRows
  const double* shift;  // rows of `shift_stride`, filled up to whole panels
  std::int64_t shift_stride;
  const std::int64_t* codes;
  const double* row_scale;
};

GRAMIAN_DECLARE_KERNEL(void pack_chosen(const ChosenSource<double>& source, double* panels))
GRAMIAN_DECLARE_KERNEL(void pack_chosen(const ChosenSource<float>& source, double* panels))

}  // namespace gramian
