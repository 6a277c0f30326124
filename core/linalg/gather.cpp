#include "linalg/gather.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kEntriesPerTask = 1 << 15;
constexpr double kEntryNs = 1.0;  // most of it the wait for memory

template <class T>
void gather_chunk(MatrixView<const T> X, std::span<const std::int64_t> rows, MatrixView<T> out) {
  if (X.has_contiguous_rows()) {
    for (std::int64_t i = 0; i < out.n_rows; ++i)
      std::ranges::copy(X.row(rows[static_cast<std::size_t>(i)]), out.row(i).begin());
    return;
  }
  for (std::int64_t j = 0; j < out.n_cols; ++j)
    for (std::int64_t i = 0; i < out.n_rows; ++i)
      out(i, j) = X(rows[static_cast<std::size_t>(i)], j);
}

}  // namespace

template <class T>
void gather_rows(MatrixView<const T> X, std::span<const std::int64_t> rows, MatrixView<T> out,
                 const Context& ctx) {
  const auto chunks =
      Chunks::of_rows(out.n_rows, kEntriesPerTask / std::max(out.n_cols, std::int64_t{1}));
  const double cost_ns =
      kEntryNs * static_cast<double>(out.n_rows) * static_cast<double>(out.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    const auto begin = chunks.begin(chunk), end = chunks.end(chunk);
    gather_chunk(
        X, rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        out.rows(begin, end));
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                 \
  template void gather_rows(MatrixView<const T>, std::span<const std::int64_t>, MatrixView<T>, \
                            const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
