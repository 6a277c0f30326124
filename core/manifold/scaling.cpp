#include "manifold/scaling.hpp"

#include <algorithm>
#include <limits>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kDepth = 128;  // of V's panel and of the block of squares: the first cache
constexpr std::int64_t kRows = 24;    // a whole number of the kernel's tiles

double pairs(std::int64_t n, std::int64_t m) {
  return static_cast<double>(n) * static_cast<double>(m);
}

Buffer<double> padded_rows(MatrixView<const double> V, std::int64_t width) {
  auto out = Buffer<double>::zeros(V.n_rows * width);
  for (std::int64_t k = 0; k < V.n_rows; ++k)
    for (std::int64_t c = 0; c < V.n_cols; ++c) out[k * width + c] = V(k, c);
  return out;
}

template <class T>
void square_block(MatrixView<const T> D, double scale, std::int64_t first, std::int64_t size,
                  double* squares) {
  for (std::int64_t i = 0; i < D.n_rows; ++i)
    for (std::int64_t j = 0; j < size; ++j) {
      const double d = scale * static_cast<double>(D(i, first + j));
      squares[i * size + j] = d * d;
    }
}

}  // namespace

template <class T>
void squared_product(MatrixView<const T> D, double scale, MatrixView<const double> V,
                     MatrixView<double> out, const Context& ctx) {
  const std::int64_t width = (V.n_cols + kLanes - 1) / kLanes * kLanes;
  const Buffer<double> right = padded_rows(V, width);
  const Chunks chunks = Chunks::of_rows(D.n_rows, kRows);
  const double cost_ns = pairs(D.n_rows, D.n_cols) * (0.3 + 0.05 * static_cast<double>(width));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task), n_rows = chunks.end(task) - begin;
    Buffer<double> squares(n_rows * kDepth);
    auto sums = Buffer<double>::zeros(n_rows * width);
    for (std::int64_t k = 0; k < D.n_cols; k += kDepth) {
      const std::int64_t depth = std::min(kDepth, D.n_cols - k);
      square_block(D.rows(begin, begin + n_rows), scale, k, depth, squares.data());
      const StridedProduct<double> product{
          squares.data(), depth, 1, n_rows, depth, right.data() + k * width, sums.data(), width};
      GRAMIAN_DISPATCH(add_strided_product, product);
    }
    for (std::int64_t i = 0; i < n_rows; ++i)
      for (std::int64_t c = 0; c < V.n_cols; ++c) out(begin + i, c) = sums[i * width + c];
  });
}

template <class T>
void fourth_powers(MatrixView<const T> D, double scale, std::span<double> out, const Context& ctx) {
  parallel_for(ctx, D.n_rows, 0.5 * pairs(D.n_rows, D.n_cols), [&](std::int64_t i) {
    double sums[kLanes] = {};
    for (std::int64_t j = 0; j < D.n_cols; ++j) {
      const double d = scale * static_cast<double>(D(i, j));
      sums[j % kLanes] += (d * d) * (d * d);
    }
    double total = 0.0;
    for (const double sum : sums) total += sum;
    out[at(i)] = total;
  });
}

template <class T>
void distances_through(MatrixView<const T> D, std::span<const std::int64_t> starts,
                       std::span<const std::int64_t> index, std::span<const double> lengths,
                       MatrixView<double> out, const Context& ctx) {
  const double cost_ns = 0.5 * pairs(static_cast<std::int64_t>(index.size()), D.n_cols);
  parallel_for(ctx, out.n_rows, cost_ns, [&](std::int64_t query) {
    const auto row = out.row(query);
    std::ranges::fill(row, std::numeric_limits<double>::infinity());
    for (auto e = at(starts[at(query)]); e < at(starts[at(query + 1)]); ++e) {
      const auto known = D.row(index[e]);
      for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = std::min(row[j], lengths[e] + static_cast<double>(known[j]));
    }
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                 \
  template void squared_product(MatrixView<const T>, double, MatrixView<const double>,         \
                                MatrixView<double>, const Context&);                           \
  template void fourth_powers(MatrixView<const T>, double, std::span<double>, const Context&); \
  template void distances_through(MatrixView<const T>, std::span<const std::int64_t>,          \
                                  std::span<const std::int64_t>, std::span<const double>,      \
                                  MatrixView<double>, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::manifold
