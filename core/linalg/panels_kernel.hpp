// Kernels on packed blocks of rows. A block of at most kBlockRows rows and any number of columns is
// packed into panels of kLanes columns: entry (k, 8 v + l) of the block stands at
// panels[v * kPanelStride + k * kLanes + l]. Columns beyond the last are zero.
//
// All kernels add products in the order of the rows (Gram, gradient) or of the panels (product),
// one fused multiply-add each, so that the bits depend neither on the instruction set nor on the
// memory layout the block was packed from.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

inline constexpr int kLanes = 8;
inline constexpr int kBlockRows = 256;
// One cache line more than the panel needs, so that equal rows of neighbouring panels do not fall
// into the same cache set.
inline constexpr std::int64_t kPanelStride = kBlockRows * kLanes + kLanes;

inline std::int64_t n_panels(std::int64_t n_cols) { return (n_cols + kLanes - 1) / kLanes; }

// Where a block comes from, and what is done to it on the way:
// packed(k, j) = row_scale[k] * (data(k, j) - col_shift[j] - row_shift[k]). Null means none.
template <class T>
struct PackSource {
  const T* data;
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t n_rows;
  std::int64_t n_cols;
  const double* col_shift = nullptr;
  const double* row_shift = nullptr;
  const double* row_scale = nullptr;
};

// A block of rows whose entries are adjacent in memory, for the kernels that need no packing.
template <class T>
struct RowBlock {
  const T* data;
  std::int64_t row_stride;
  std::int64_t n_rows;
  std::int64_t n_cols;
  const double* col_shift;  // never null
};

GRAMIAN_DECLARE_KERNEL(void pack_panels(const PackSource<double>& source, double* panels))
GRAMIAN_DECLARE_KERNEL(void pack_panels(const PackSource<float>& source, double* panels))

// acc(i, j) += sum_k panels(k, i) panels(k, j) for i >= j (by panels); acc is column-major in (i,
// j).
GRAMIAN_DECLARE_KERNEL(void add_gram(const double* panels, std::int64_t n_panels,
                                     std::int64_t n_rows, double* acc, std::int64_t ld))

// acc(i, j) += sum_k a(k, i) b(k, j), all i and j.
GRAMIAN_DECLARE_KERNEL(void add_product(const double* a, std::int64_t n_panels_a, const double* b,
                                        std::int64_t n_panels_b, std::int64_t n_rows, double* acc,
                                        std::int64_t ld))

// The same for a narrow b of n_cols_b columns (an even number).
GRAMIAN_DECLARE_KERNEL(void add_narrow_product(const double* a, std::int64_t n_panels_a,
                                               const double* b, std::int64_t n_cols_b,
                                               std::int64_t n_rows, double* acc, std::int64_t ld))

// out[k] = sum_j block(k, j) coef[j]; coef is padded with zeros to whole panels.
GRAMIAN_DECLARE_KERNEL(void panels_times_vector(const double* panels, std::int64_t n_panels,
                                                std::int64_t n_rows, const double* coef,
                                                double* out))
GRAMIAN_DECLARE_KERNEL(void rows_times_vector(const RowBlock<double>& rows, const double* coef,
                                              double* out))
GRAMIAN_DECLARE_KERNEL(void rows_times_vector(const RowBlock<float>& rows, const double* coef,
                                              double* out))

// acc[j] += sum_k block(k, j) r[k]; acc is padded to whole panels.
GRAMIAN_DECLARE_KERNEL(void add_transposed_times_vector(const double* panels, std::int64_t n_panels,
                                                        std::int64_t n_rows, const double* r,
                                                        double* acc))
GRAMIAN_DECLARE_KERNEL(void add_rows_transposed_times_vector(const RowBlock<double>& rows,
                                                             const double* r, double* acc))
GRAMIAN_DECLARE_KERNEL(void add_rows_transposed_times_vector(const RowBlock<float>& rows,
                                                             const double* r, double* acc))

// Replaces every column z of the block by the solution x of L x = z; L is n_rows x n_rows, lower
// triangular, column-major with leading dimension ld. The row order of the block is that of x.
GRAMIAN_DECLARE_KERNEL(void solve_lower(const double* L, std::int64_t ld, std::int64_t n_rows,
                                        double* panels, std::int64_t n_panels))

GRAMIAN_DECLARE_KERNEL(bool all_finite(const double* values, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(bool all_finite(const float* values, std::int64_t n))

}  // namespace gramian
