// Tiles of a kernel matrix, and sums of its rows.
//
// Every sum runs over the features in their order, inner products by one fused multiply-add each,
// so that an entry depends on its two rows alone: not on the instruction set, the tile or the
// neighbours, and K(x, y) has the bits of K(y, x).
//
// The norms of rows are their squared lengths; of sparse rows and the kernels of |x - y|_1 and
// chi^2 the sums of their absolute values. Rows for the cosine kernel have length 1.
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"
#include "simd/level.hpp"

namespace gramian::kernel {

// Columns of a panel: as many as a vector has lanes.
template <class T>
inline constexpr int kPanelCols = sizeof(T) == sizeof(float) ? 16 : 8;
inline constexpr int kTileRows = 8;

// kTileRows rows against panels of columns: entry k of column l of a panel stands at
// [k * kPanelCols + l].
template <class T>
struct DenseTile {
  Function function;
  const T* rows;  // kTileRows adjacent rows
  const T* row_norms;
  const T* panels;
  const T* col_norms;
  std::int64_t n_features;
  std::int64_t n_panels;
  std::int64_t n_rows;  // of out, at most kTileRows
  T* out;               // n_rows x (n_panels * kPanelCols)
  std::int64_t stride;
};

// kPanelCols rows, scattered to scattered[feature * kPanelCols + row], against sparse columns.
template <class T>
struct SparseTile {
  Function function;
  const T* scattered;
  const T* row_norms;  // kPanelCols of them
  const T* values;
  const std::int32_t* indices;
  const std::int64_t* indptr;  // n_cols + 1 entries
  const T* col_norms;
  std::int64_t n_cols;
  T* out;  // n_cols x kPanelCols: transposed
};

// sums[j] += sum_r coef[r] rows[r][j]
template <class T>
struct RowSum {
  const T* const* rows;
  const double* coef;
  std::int64_t n_rows;
  std::int64_t n_cols;
  double* sums;
};

}  // namespace gramian::kernel

namespace gramian {

GRAMIAN_DECLARE_KERNEL(void kernel_tile(const kernel::DenseTile<float>& tile))
GRAMIAN_DECLARE_KERNEL(void kernel_tile(const kernel::DenseTile<double>& tile))
GRAMIAN_DECLARE_KERNEL(void kernel_tile(const kernel::SparseTile<float>& tile))
GRAMIAN_DECLARE_KERNEL(void kernel_tile(const kernel::SparseTile<double>& tile))
// The squared lengths of the columns of one panel, with the bits of their products in a tile.
GRAMIAN_DECLARE_KERNEL(void kernel_norms(const float* panel, std::int64_t n_features, float* norms))
GRAMIAN_DECLARE_KERNEL(void kernel_norms(const double* panel, std::int64_t n_features,
                                         double* norms))
GRAMIAN_DECLARE_KERNEL(void add_rows(const kernel::RowSum<float>& sum))
GRAMIAN_DECLARE_KERNEL(void add_rows(const kernel::RowSum<double>& sum))

}  // namespace gramian
