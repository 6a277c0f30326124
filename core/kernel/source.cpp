#include "kernel/source.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "parallel/parallel_for.hpp"

namespace gramian::kernel {
namespace {

// Rows whose kernels with one chunk of columns are held at a time: both stay in the L2 cache.
constexpr std::int64_t kBatchRows = 64;

struct ColumnChunks {
  std::int64_t n_cols;

  std::int64_t count() const { return (n_cols + kChunkCols - 1) / kChunkCols; }
  std::int64_t begin(std::int64_t i) const { return i * kChunkCols; }
  std::int64_t end(std::int64_t i) const { return std::min(n_cols, (i + 1) * kChunkCols); }
};

// Whether `which` is 0, 1, ..., n - 1.
bool are_all(std::span<const std::int64_t> which, std::int64_t n) {
  if (std::ssize(which) != n) return false;
  for (std::int64_t i = 0; i < n; ++i)
    if (which[static_cast<std::size_t>(i)] != i) return false;
  return true;
}

// out(c, r) = tile(r, c), in pieces of both that stay in the L1 cache.
template <class T>
void copy_transposed(const T* tile, std::int64_t n_rows, std::int64_t n_cols, T* out,
                     std::int64_t stride) {
  constexpr std::int64_t kPiece = 16;
  for (std::int64_t c0 = 0; c0 < n_cols; c0 += kPiece)
    for (std::int64_t c = c0; c < std::min(c0 + kPiece, n_cols); ++c)
      for (std::int64_t r = 0; r < n_rows; ++r) out[c * stride + r] = tile[r * kChunkCols + c];
}

}  // namespace

template <class T>
void Source<T>::rows(std::span<const std::int64_t> which, std::span<T* const> out,
                     const Context& ctx) const {
  const ColumnChunks chunks{n_rows()};
  const auto count = static_cast<std::int64_t>(which.size());
  const double cost = entry_ns() * static_cast<double>(count) * static_cast<double>(n_rows());
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task), end = chunks.end(task);
    Buffer<T> tile(kBatchRows * kChunkCols);
    for (std::int64_t first = 0; first < count; first += kBatchRows) {
      ctx.check();
      const std::int64_t n = std::min(kBatchRows, count - first);
      const auto batch =
          which.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
      block(*this, batch, begin, end, tile.data(), kChunkCols);
      for (std::int64_t r = 0; r < n; ++r)
        std::copy_n(tile.data() + r * kChunkCols, padded(end - begin),
                    out[static_cast<std::size_t>(first + r)] + begin);
    }
  });
}

template <class T>
void Source<T>::add_sums(const Source& of, std::span<const std::int64_t> which,
                         MatrixView<const double> coef, std::span<double> sums,
                         const Context& ctx) const {
  if (n_rows() <= kTileRows && are_all(which, of.n_rows())) return add_few(of, coef, sums, ctx);
  const ColumnChunks chunks{n_rows()};
  const auto count = static_cast<std::int64_t>(which.size());
  const double per_entry = entry_ns() + 0.2 * static_cast<double>(coef.n_rows);
  const double cost = per_entry * static_cast<double>(count) * static_cast<double>(n_rows());
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task), end = chunks.end(task);
    Buffer<T> tile(kBatchRows * kChunkCols);
    const T* pointers[kBatchRows];
    for (std::int64_t r = 0; r < kBatchRows; ++r) pointers[r] = tile.data() + r * kChunkCols;
    for (std::int64_t first = 0; first < count; first += kBatchRows) {
      ctx.check();
      const std::int64_t n = std::min(kBatchRows, count - first);
      const auto batch =
          which.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
      block(of, batch, begin, end, tile.data(), kChunkCols);
      for (std::int64_t o = 0; o < coef.n_rows; ++o) {
        double* out = sums.data() + o * n_rows() + begin;
        const RowSum<T> sum{pointers, &coef(o, first), n, end - begin, out};
        GRAMIAN_DISPATCH(add_rows, sum);
      }
    }
  });
}

template <class T>
void Source<T>::add_few(const Source& of, MatrixView<const double> coef, std::span<double> sums,
                        const Context& ctx) const {
  std::int64_t own[kTileRows];
  std::iota(std::begin(own), std::end(own), std::int64_t{0});
  const auto all = std::span<const std::int64_t>(own).first(static_cast<std::size_t>(n_rows()));
  Buffer<T> tile(kTileRows * kChunkCols), turned(kBatchRows * kTileRows);
  const T* pointers[kBatchRows];
  for (std::int64_t r = 0; r < kBatchRows; ++r) pointers[r] = turned.data() + r * kTileRows;
  const ColumnChunks chunks{of.n_rows()};
  for (std::int64_t i = 0; i < chunks.count(); ++i) {
    ctx.check();
    const std::int64_t begin = chunks.begin(i), end = chunks.end(i);
    of.block(*this, all, begin, end, tile.data(), kChunkCols);
    for (std::int64_t first = begin; first < end; first += kBatchRows) {
      const std::int64_t n = std::min(kBatchRows, end - first);
      for (std::int64_t q = 0; q < n_rows(); ++q)
        for (std::int64_t r = 0; r < n; ++r)
          turned[r * kTileRows + q] = tile[q * kChunkCols + first - begin + r];
      for (std::int64_t o = 0; o < coef.n_rows; ++o) {
        const RowSum<T> sum{pointers, &coef(o, first), n, n_rows(), sums.data() + o * n_rows()};
        GRAMIAN_DISPATCH(add_rows, sum);
      }
    }
  }
}

template <class T>
void Source<T>::values(const Source& of, MatrixView<T> out, const Context& ctx) const {
  const bool is_symmetric = &of == this;
  const ColumnChunks chunks{n_rows()};
  std::vector<std::int64_t> which(static_cast<std::size_t>(of.n_rows()));
  std::iota(which.begin(), which.end(), std::int64_t{0});
  const std::int64_t n_batches = (of.n_rows() + kBatchRows - 1) / kBatchRows;
  const double entries = static_cast<double>(of.n_rows()) * static_cast<double>(n_rows());
  const double cost = (is_symmetric ? 0.5 : 1.0) * (entry_ns() + 0.5) * entries;
  parallel_for(ctx, n_batches * chunks.count(), cost, [&](std::int64_t task) {
    const std::int64_t first = task / chunks.count() * kBatchRows;
    const std::int64_t n = std::min(kBatchRows, of.n_rows() - first);
    const std::int64_t begin = chunks.begin(task % chunks.count());
    const std::int64_t end = chunks.end(task % chunks.count());
    // Chunks begin at whole batches: rows up to the chunk's end have it on or beyond the diagonal.
    if (is_symmetric && first >= end) return;
    Buffer<T> tile(kBatchRows * kChunkCols);
    const auto batch = std::span<const std::int64_t>(which).subspan(static_cast<std::size_t>(first),
                                                                    static_cast<std::size_t>(n));
    block(of, batch, begin, end, tile.data(), kChunkCols);
    for (std::int64_t r = 0; r < n; ++r)
      std::copy_n(tile.data() + r * kChunkCols, end - begin, &out(first + r, begin));
    if (is_symmetric && begin > first)
      copy_transposed(tile.data(), n, end - begin, &out(begin, first), out.row_stride);
  });
}

template class Source<float>;
template class Source<double>;

}  // namespace gramian::kernel
