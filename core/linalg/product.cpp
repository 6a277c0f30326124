#include "linalg/product.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kWidth = 8;    // whole vectors of columns
constexpr std::int64_t kDepth = 128;  // of B's panel, which stays in the L1 cache
constexpr std::int64_t kRows = 64;    // of a packed block, which stays in the L2 cache
constexpr std::int64_t kTileRows = 2048;

std::int64_t padded_width(std::int64_t n) { return (n + kWidth - 1) / kWidth * kWidth; }

double cost_ns(std::int64_t n, std::int64_t p, std::int64_t width) {
  return static_cast<double>(n) * static_cast<double>(p) *
         (0.15 + 0.05 * static_cast<double>(width));
}

// Row-major, rows filled up with zeros to whole vectors.
Buffer<double> padded_rows(MatrixView<const double> B) {
  const std::int64_t width = padded_width(B.n_cols);
  auto out = Buffer<double>::zeros(B.n_rows * width);
  for (std::int64_t k = 0; k < B.n_rows; ++k)
    for (std::int64_t c = 0; c < B.n_cols; ++c) out[k * width + c] = B(k, c);
  return out;
}

// Blocks of A less the shift: copied only where there is one, or the kernel would stride far.
template <class T>
class Blocks {
 public:
  Blocks(MatrixView<const T> A, std::span<const double> shift)
      : A_(A), shift_(shift), copy_(shift.empty() ? 0 : kRows * kDepth) {}

  // C(i, :) += sum_k A(row + i, col + k) B(k, :), or with A' in A's place.
  void add(std::int64_t row, std::int64_t n_rows, std::int64_t col, std::int64_t n_cols,
           bool is_transposed, const double* b, double* c, std::int64_t width) {
    if (copy_.size() == 0) {
      run<T>(&A_(row, col), A_.row_stride, A_.col_stride, n_rows, n_cols, is_transposed, b, c,
             width);
      return;
    }
    for (std::int64_t i = 0; i < n_rows; ++i)
      for (std::int64_t k = 0; k < n_cols; ++k)
        copy_[i * n_cols + k] =
            static_cast<double>(A_(row + i, col + k)) - shift_[static_cast<std::size_t>(col + k)];
    run<double>(copy_.data(), n_cols, 1, n_rows, n_cols, is_transposed, b, c, width);
  }

 private:
  template <class Number>
  static void run(const Number* a, std::int64_t row_stride, std::int64_t col_stride,
                  std::int64_t n_rows, std::int64_t n_cols, bool is_transposed, const double* b,
                  double* c, std::int64_t width) {
    const StridedProduct<Number> straight{a, row_stride, col_stride, n_rows, n_cols, b, c, width};
    const StridedProduct<Number> across{a, col_stride, row_stride, n_cols, n_rows, b, c, width};
    GRAMIAN_DISPATCH(add_strided_product, is_transposed ? across : straight);
  }

  MatrixView<const T> A_;
  std::span<const double> shift_;
  Buffer<double> copy_;
};

}  // namespace

template <class T>
void product(MatrixView<const T> A, std::span<const double> shift, MatrixView<const double> B,
             MatrixView<double> out, const Context& ctx) {
  const std::int64_t width = padded_width(B.n_cols);
  const Buffer<double> right = padded_rows(B);
  const Chunks chunks = Chunks::of_rows(A.n_rows, kRows);
  parallel_for(ctx, chunks.count(), cost_ns(A.n_rows, A.n_cols, width), [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task), end = chunks.end(task);
    Blocks<T> blocks(A, shift);
    auto sums = Buffer<double>::zeros((end - begin) * width);
    for (std::int64_t k = 0; k < A.n_cols; k += kDepth)
      blocks.add(begin, end - begin, k, std::min(kDepth, A.n_cols - k), false,
                 right.data() + k * width, sums.data(), width);
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t c = 0; c < B.n_cols; ++c) out(i, c) = sums[(i - begin) * width + c];
  });
}

template <class T>
void cross_product(MatrixView<const T> A, std::span<const double> shift, MatrixView<const double> B,
                   MatrixView<double> out, const Context& ctx) {
  const std::int64_t width = padded_width(B.n_cols);
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Blocks<T> blocks(A, shift);
    auto sums = Buffer<double>::zeros(A.n_cols * width);
    for (std::int64_t begin = first; begin < last; begin += kRows) {
      ctx.check();
      const std::int64_t end = std::min(begin + kRows, last);
      const Buffer<double> right = padded_rows(B.rows(begin, end));
      for (std::int64_t j = 0; j < A.n_cols; j += kDepth)
        blocks.add(begin, end - begin, j, std::min(kDepth, A.n_cols - j), true, right.data(),
                   sums.data() + j * width, width);
    }
    return sums;
  };
  const auto combine = [](Buffer<double>& total, const Buffer<double>& next) {
    add_each(total, next);
  };
  const Buffer<double> total =
      parallel_reduce(ctx, Tiles::of_rows(A.n_rows, kTileRows), cost_ns(A.n_rows, A.n_cols, width),
                      of_tile, combine);
  for (std::int64_t j = 0; j < A.n_cols; ++j)
    for (std::int64_t c = 0; c < B.n_cols; ++c) out(j, c) = total[j * width + c];
}

#define GRAMIAN_INSTANTIATE(T)                                                                  \
  template void product(MatrixView<const T>, std::span<const double>, MatrixView<const double>, \
                        MatrixView<double>, const Context&);                                    \
  template void cross_product(MatrixView<const T>, std::span<const double>,                     \
                              MatrixView<const double>, MatrixView<double>, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
