#include "solve/ica/fast_ica.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "linalg/product_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kWidth = 8;       // whole vectors of components
constexpr std::int64_t kBlockRows = 64;  // whose components stay in the L1 cache
constexpr std::int64_t kTileRows = 2048;

struct Sums {
  Buffer<double> products;  // k x width: transposed
  Buffer<double> slopes;
};

}  // namespace

void contrast_sums(MatrixView<const double> Z, MatrixView<const double> W, Contrast contrast,
                   double alpha, MatrixView<double> products, std::span<double> slopes,
                   const Context& ctx) {
  const std::int64_t k = Z.n_cols, m = W.n_rows;
  const std::int64_t width = (m + kWidth - 1) / kWidth * kWidth;
  auto right = Buffer<double>::zeros(k * width);
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t c = 0; c < m; ++c) right[j * width + c] = W(c, j);

  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Sums sums{Buffer<double>::zeros(k * width), Buffer<double>::zeros(width)};
    Buffer<double> y(kBlockRows * width);
    for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
      ctx.check();
      const std::int64_t n = std::min(kBlockRows, last - begin);
      std::fill_n(y.data(), n * width, 0.0);
      const double* z = &Z(begin, 0);
      const StridedProduct<double> along{z, Z.row_stride, Z.col_stride, n,
                                         k, right.data(), y.data(),     width};
      GRAMIAN_DISPATCH(add_strided_product, along);
      const ContrastTile tile{contrast, alpha, y.data(), n, width, sums.slopes.data()};
      GRAMIAN_DISPATCH(apply_contrast, tile);
      const StridedProduct<double> across{z, Z.col_stride, Z.row_stride,         k,
                                          n, y.data(),     sums.products.data(), width};
      GRAMIAN_DISPATCH(add_strided_product, across);
    }
    return sums;
  };
  const auto combine = [](Sums& total, const Sums& next) {
    add_each(total.products, next.products);
    add_each(total.slopes, next.slopes);
  };
  const double cost_ns = static_cast<double>(Z.n_rows) * static_cast<double>(width) *
                         (2.0 + 0.1 * static_cast<double>(k));
  const Sums total =
      parallel_reduce(ctx, Tiles::of_rows(Z.n_rows, kTileRows), cost_ns, of_tile, combine);
  for (std::int64_t c = 0; c < m; ++c) {
    for (std::int64_t j = 0; j < k; ++j) products(c, j) = total.products[j * width + c];
    slopes[static_cast<std::size_t>(c)] = total.slopes[c];
  }
}

}  // namespace gramian::solve
