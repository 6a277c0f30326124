#include "kernel/source.hpp"

#include <algorithm>

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

template class Source<float>;
template class Source<double>;

}  // namespace gramian::kernel
