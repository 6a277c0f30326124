// Rows whose entries are adjacent, turned so that those of a column are. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bayes/posterior_kernel.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

// out[j * kMostRows + i] = x(i, j) - shift_j (null: 0) of at most kMostRows rows, of which the next
// ones are asked for on the way.
template <class T>
void transpose_rows(const T* data, std::int64_t row_stride, std::int64_t n_rows,
                    std::int64_t n_cols, const double* shift, double* out) {
  constexpr std::int64_t kLine = 64 / sizeof(T), kWidth = VecD::kLanes;
  constexpr std::int64_t kStride = JointBlock::kMostRows;
  std::int64_t i = 0;
  for (; i + kWidth <= n_rows; i += kWidth)
    for (std::int64_t j = 0; j < n_cols; j += kWidth) {
      const std::int64_t n = std::min(n_cols - j, kWidth);
      VecD origin = VecD::zero();
      if (shift) origin = n == kWidth ? VecD::load(shift + j) : load_partial<VecD>(shift + j, n);
      VecD x[kWidth];
      for (std::int64_t r = 0; r < kWidth; ++r) {
        const T* row = data + (i + r) * row_stride + j;
        if (j % kLine == 0) __builtin_prefetch(row + kStride * row_stride);
        x[r] = (n == kWidth ? VecD::load(row) : load_partial<VecD>(row, n)) - origin;
      }
      transpose(x);
      for (std::int64_t c = 0; c < n; ++c) x[c].store(out + (j + c) * kStride + i);
    }
  for (; i < n_rows; ++i)
    for (std::int64_t j = 0; j < n_cols; ++j)
      out[j * kStride + i] =
          static_cast<double>(data[i * row_stride + j]) - (shift ? shift[j] : 0.0);
}

}  // namespace gramian::GRAMIAN_ISA
