#include "solve/glm/dense_rows.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/product_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::solve {
namespace {

using linalg::block_rows_of;
using linalg::CentredBlock;
using linalg::padded;

void combine(RawSums& total, const RawSums& next) { total += next; }

}  // namespace

RawSums RawSums::zeros(std::int64_t n_features, std::int64_t n_outputs) {
  if (n_outputs == 1) return {0.0, Buffer<double>::zeros(padded(n_features)), {0.0}, {0.0}};
  const std::int64_t ld = padded(n_outputs);
  return {0.0, Buffer<double>::zeros(n_features * ld), std::vector<double>(at(ld)),
          std::vector<double>(at(ld))};
}

PassSums RawSums::about(std::span<const double> shift, std::int64_t n_outputs) && {
  const auto p = std::ssize(shift);
  PassSums out{value, std::vector<double>(at(n_outputs * (p + 1))), std::move(values)};
  if (n_outputs == 1) {  // they are about it already
    std::copy_n(products.data(), p, out.products.data());
    out.products[at(p)] = sums[0];
    return out;
  }
  const std::int64_t ld = padded(n_outputs);
  for (std::int64_t c = 0; c < n_outputs; ++c) {
    double* of_class = out.products.data() + c * (p + 1);
    of_class[p] = sums[at(c)];
    for (std::int64_t j = 0; j < p; ++j)
      of_class[j] = products[j * ld + c] - shift[at(j)] * of_class[p];
  }
  return out;
}

template <class T>
RawSums DenseRows<T>::single_pass(std::span<const double> params, const OnBlock& on_block,
                                  const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const double constant = params[at(p)];
  const Buffer<double> coef = linalg::padded_columns({params.data(), p, 1});
  const Buffer<double> shift = linalg::padded_columns({shift_.data(), p, 1});
  const std::int64_t block_rows = block_rows_of(X_);

  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    RawSums partial = RawSums::zeros(p, 1);
    CentredBlock<T> block(p, shift.data(), X_.col_stride != 1);
    std::vector<double> z(at(block_rows));
    for (std::int64_t begin = first; begin < last; begin += block_rows) {
      ctx.check();
      const std::int64_t end = std::min(begin + block_rows, last);
      block.read(X_, begin, end);
      block.times(coef.data(), z.data());
      for (std::int64_t i = 0; i < end - begin; ++i) z[at(i)] += constant;
      partial.value += on_block({begin, end, z.data(), 1, partial.values.data()});
      block.add_transposed_times(z.data(), partial.products.data());
      for (std::int64_t i = 0; i < end - begin; ++i) partial.sums[0] += z[at(i)];
    }
    return partial;
  };
  return parallel_reduce(ctx, linalg::row_tiles(X_.n_rows), linalg::kPassesInSeries * pass_ns(1),
                         of_tile, combine);
}

// The shift comes in afterwards:  z = X V + (b - a' V),  (X - 1 a')' R = X' R - a (1' R).
template <class T>
RawSums DenseRows<T>::multi_pass(std::span<const double> params, std::int64_t n_outputs,
                                 const OnBlock& on_block, const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t ld = padded(n_outputs);
  auto coef = Buffer<double>::zeros(p * ld);
  auto constant = Buffer<double>::zeros(ld);
  for (std::int64_t c = 0; c < n_outputs; ++c) {
    const double* of_class = params.data() + c * (p + 1);
    double offset = of_class[p];
    for (std::int64_t j = 0; j < p; ++j) {
      coef[j * ld + c] = of_class[j];
      offset -= shift_[at(j)] * of_class[j];
    }
    constant[c] = offset;
  }
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    RawSums partial = RawSums::zeros(p, n_outputs);
    Buffer<double> z(kBlockRows * ld);
    for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
      ctx.check();
      const std::int64_t end = std::min(begin + kBlockRows, last);
      const std::int64_t n = end - begin;
      const T* data = X_.data + begin * X_.row_stride;
      const StridedProduct<T> scores{
          data, X_.row_stride, X_.col_stride, n, p, coef.data(), z.data(), ld, constant.data()};
      GRAMIAN_DISPATCH(add_strided_product, scores);
      partial.value += on_block({begin, end, z.data(), ld, partial.values.data()});
      const StridedProduct<T> back{data, X_.col_stride, X_.row_stride,           p,
                                   n,    z.data(),      partial.products.data(), ld};
      GRAMIAN_DISPATCH(add_strided_product, back);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t c = 0; c < n_outputs; ++c) partial.sums[at(c)] += z[i * ld + c];
    }
    return partial;
  };
  return parallel_reduce(ctx, linalg::row_tiles(X_.n_rows),
                         linalg::kPassesInSeries * pass_ns(n_outputs), of_tile, combine);
}

template <class T>
std::vector<double> DenseRows<T>::squares(std::span<const double> d, const Context& ctx) const {
  using Sums = std::vector<double>;
  const std::int64_t p = X_.n_cols;
  return parallel_reduce(
      ctx, linalg::row_tiles(X_.n_rows), pass_ns(1),
      [&](std::int64_t begin, std::int64_t end) {
        Sums sums(at(p));
        for (std::int64_t i = begin; i < end; ++i) {
          ctx.check();
          for (std::int64_t j = 0; j < p; ++j) {
            const double x = static_cast<double>(X_(i, j)) - shift_[at(j)];
            sums[at(j)] += d[at(i)] * x * x;
          }
        }
        return sums;
      },
      [](Sums& total, const Sums& next) { add_each(total, next); });
}

template <class T>
std::unique_ptr<Rows> DenseRows<T>::columns(std::span<const std::int64_t> kept,
                                            const Context& ctx) const {
  const auto p = static_cast<std::int64_t>(kept.size());
  Buffer<T> values(X_.n_rows * p);
  const Chunks chunks = linalg::row_chunks(X_.n_rows);
  parallel_for(ctx, chunks.count(), static_cast<double>(X_.n_rows * p), [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i)
      for (std::int64_t j = 0; j < p; ++j) values[i * p + j] = X_(i, kept[at(j)]);
  });
  std::vector<double> shift;
  for (const std::int64_t j : kept) shift.push_back(shift_[at(j)]);
  const MatrixView<const T> view(values.data(), X_.n_rows, p);
  return std::make_unique<DenseRows>(view, std::move(shift), std::move(values));
}

template <class T>
std::unique_ptr<Rows> dense_rows(MatrixView<const T> X, std::span<const double> weight,
                                 bool centred) {
  std::vector<double> shift(at(X.n_cols), 0.0);
  if (centred)
    linalg::DenseDesign<T>(X, MatrixView<const double>(nullptr, X.n_rows, 0), weight)
        .guess_means(shift, {});
  return std::make_unique<DenseRows<T>>(X, std::move(shift));
}

#define GRAMIAN_INSTANTIATE(T) \
  template class DenseRows<T>; \
  template std::unique_ptr<Rows> dense_rows(MatrixView<const T>, std::span<const double>, bool);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::solve
