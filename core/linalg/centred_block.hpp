// Blocks of rows of a dense matrix, for passes that read it once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/views.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

// Solvers make one pass after the other: a worker woken up for the first is awake for the rest, so
// that threads pay as soon as so many passes together would.
inline constexpr double kPassesInSeries = 4.0;

// The rows of a pass whose sums have a number or some for each column. With 1,024 rows small tables
// have tiles for several threads, and a tile's sum costs little beside its rows.
inline Tiles row_tiles(std::int64_t n) { return Tiles::of_rows(n, 1024); }

// How the rows of a pass without sums are cut into tasks.
inline Chunks row_chunks(std::int64_t n) {
  constexpr std::int64_t kMinRows = 1024;
  constexpr std::int64_t kMaxChunks = 64;
  return Chunks::of_rows(n, std::max(kMinRows, (n + kMaxChunks - 1) / kMaxChunks));
}

inline std::int64_t padded(std::int64_t n_cols) { return n_panels(n_cols) * kLanes; }

// Column t of a p x t matrix, contiguous and filled up with zeros to whole panels.
inline Buffer<double> padded_columns(MatrixView<const double> M) {
  auto out = Buffer<double>::zeros(padded(M.n_rows) * M.n_cols);
  for (std::int64_t c = 0; c < M.n_cols; ++c)
    for (std::int64_t j = 0; j < M.n_rows; ++j) out[c * padded(M.n_rows) + j] = M(j, c);
  return out;
}

// A block of rows less the column shift, ready to be multiplied from either side; packed only if
// its rows are not contiguous in memory. Both ways give the same bits.
template <class T>
class CentredBlock {
 public:
  CentredBlock(std::int64_t n_cols, const double* padded_shift, bool is_packed)
      : n_cols_(n_cols),
        shift_(padded_shift),
        panels_(is_packed ? n_panels(n_cols) * kPanelStride : 0) {}

  void read(MatrixView<const T> X, std::int64_t begin, std::int64_t end) {
    rows_ = {X.data + begin * X.row_stride, X.row_stride, end - begin, n_cols_, shift_};
    if (panels_.size() == 0) return;
    const PackSource<T> source{rows_.data,   X.row_stride, X.col_stride,
                               rows_.n_rows, rows_.n_cols, shift_};
    GRAMIAN_DISPATCH(pack_panels, source, panels_.data());
  }

  void times(const double* coef, double* out) const {
    if (panels_.size() == 0)
      GRAMIAN_DISPATCH(rows_times_vector, rows_, coef, out);
    else
      GRAMIAN_DISPATCH(panels_times_vector, panels_.data(), n_panels(n_cols_), rows_.n_rows, coef,
                       out);
  }

  void add_transposed_times(const double* r, double* acc) const {
    if (panels_.size() == 0)
      GRAMIAN_DISPATCH(add_rows_transposed_times_vector, rows_, r, acc);
    else
      GRAMIAN_DISPATCH(add_transposed_times_vector, panels_.data(), n_panels(n_cols_), rows_.n_rows,
                       r, acc);
  }

 private:
  std::int64_t n_cols_;
  const double* shift_;
  Buffer<double> panels_;
  RowBlock<T> rows_{};
};

// Rows of a block: packed ones fill the panels, others stay in the L1 cache between their two uses.
template <class T>
std::int64_t block_rows_of(MatrixView<const T> X) {
  constexpr std::int64_t kBytes = 24 * 1024;
  if (X.col_stride != 1) return kBlockRows;
  const std::int64_t fitting = kBytes / (static_cast<std::int64_t>(sizeof(T)) * X.n_cols);
  return std::clamp<std::int64_t>(fitting / 4 * 4, 4, kBlockRows);
}

}  // namespace gramian::linalg
