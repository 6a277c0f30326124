// Passes over the rows of a dense matrix: gradient of least squares, prediction, column means,
// finiteness. Memory-bound: one read of X each.
#include <algorithm>
#include <type_traits>

#include "base/instantiate.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/dense_block_kernel.hpp"
#include "linalg/moments.hpp"
#include "linalg/panels_kernel.hpp"
#include "linalg/product_kernel.hpp"
#include "linalg/row_guess.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr double kEntryNs = 0.25;  // one entry read from memory and used twice
constexpr std::int64_t kFiniteRun = std::int64_t{1} << 16;  // entries, half a megabyte

template <class T>
double pass_cost_ns(MatrixView<const T> X, std::int64_t n_targets) {
  return kEntryNs * static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols) *
         static_cast<double>(n_targets);
}

template <class T>
DenseBlock<T> block_of(MatrixView<const T> X, std::int64_t begin, std::int64_t end) {
  return {X.data + begin * X.row_stride, X.row_stride, X.col_stride, end - begin, X.n_cols};
}

// Rows less a shift, times vectors from either side: straight from rows or columns that are
// contiguous, else from a packed copy. All give the same bits.
template <class T>
class ShiftedRows {
 public:
  ShiftedRows(MatrixView<const T> X, const double* padded_shift)
      : X_(X),
        shift_(padded_shift),
        has_columns_(X.row_stride == 1 && X.col_stride != 1),
        copy_(X.col_stride == 1 || has_columns_ ? 0 : kBlockRows * X.n_cols) {}

  void read(std::int64_t begin, std::int64_t end) {
    block_ = block_of(X_, begin, end);
    if (copy_.size() == 0) return;
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t j = 0; j < X_.n_cols; ++j) copy_[(i - begin) * X_.n_cols + j] = X_(i, j);
    block_ = {copy_.data(), X_.n_cols, 1, end - begin, X_.n_cols};
  }
  void times(const double* coef, double* out) const {
    const RowBlock<T> rows{block_.data, block_.row_stride, block_.n_rows, block_.n_cols, shift_};
    if (has_columns_)
      GRAMIAN_DISPATCH(columns_times_vector, block_, shift_, coef, out);
    else
      GRAMIAN_DISPATCH(rows_times_vector, rows, coef, out);
  }
  void add_transposed_times(const double* r, double* acc) const {
    GRAMIAN_DISPATCH(add_column_sums, block_, shift_, r, acc);
  }

 private:
  MatrixView<const T> X_;
  const double* shift_;
  bool has_columns_;
  Buffer<T> copy_;
  DenseBlock<T> block_{};
};

}  // namespace

template <class T>
Gradient DenseDesign<T>::gradient(const AffineMap& at, double* residuals,
                                  const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  const std::int64_t ld = padded(p);
  const Buffer<double> coef = padded_columns({at.coef.data(), p, t});
  const Buffer<double> shift = padded_columns({at.shift_x.data(), p, 1, 1, p});
  constexpr std::int64_t block_rows = kBlockRows;  // for both layouts: sums depend on it

  struct Partial {
    Buffer<double> sum;  // t x ld
    std::vector<double> rss;
  };
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Partial partial{Buffer<double>::zeros(t * ld),
                    std::vector<double>(static_cast<std::size_t>(t))};
    ShiftedRows<T> block(X_, shift.data());
    std::vector<double> r(static_cast<std::size_t>(block_rows));
    for (std::int64_t begin = first; begin < last; begin += block_rows) {
      ctx.check();
      const std::int64_t end = std::min(begin + block_rows, last);
      block.read(begin, end);
      for (std::int64_t c = 0; c < t; ++c) {
        const auto target = static_cast<std::size_t>(c);
        block.times(coef.data() + c * ld, r.data());
        for (std::int64_t i = begin; i < end; ++i) {
          double& entry = r[static_cast<std::size_t>(i - begin)];
          const double w = weight_.empty() ? 1.0 : weight_[static_cast<std::size_t>(i)];
          const double residual = (Y_(i, c) - at.shift_y[target]) - entry;
          if (residuals) residuals[i * t + c] = residual;
          partial.rss[target] += w * residual * residual;
          entry = w * residual;
        }
        block.add_transposed_times(r.data(), partial.sum.data() + c * ld);
      }
    }
    return partial;
  };
  const auto combine = [](Partial& total, const Partial& next) {
    add_each(total.sum, next.sum);
    add_each(total.rss, next.rss);
  };
  const double cost_ns = kPassesInSeries * pass_cost_ns(X_, t);
  const Partial total = parallel_reduce(ctx, row_tiles(X_.n_rows), cost_ns, of_tile, combine);

  Gradient out{std::vector<double>(static_cast<std::size_t>(p * t)), total.rss};
  for (std::int64_t c = 0; c < t; ++c)
    for (std::int64_t j = 0; j < p; ++j)
      out.values[static_cast<std::size_t>(j * t + c)] = total.sum[c * ld + j];
  return out;
}

template <class T>
void DenseDesign<T>::guess_means(std::span<double> mean_x, std::span<double> mean_y) const {
  MeanGuess guess(mean_x, mean_y);
  guess.add(X_, Y_, weight_);
  guess.finish();
}

namespace {

constexpr std::int64_t kProductRows = 64;  // of a tile: a multiple of what the kernel takes at once
constexpr std::int64_t kProductDepth = 128;  // of the columns' panel, which stays in the L1 cache
constexpr double kProductNs = 0.05;          // one entry times one of the padded columns

std::int64_t padded_width(std::int64_t n_cols) { return (n_cols + 7) / 8 * 8; }

// Columns side by side take a product for each entry of X and each eight of them; one by one they
// take an eighth of it each, and a sum across the lanes. By shape alone: a row has the same bits
// in any company.
bool is_wide(std::int64_t p, std::int64_t n_cols) {
  return n_cols > 1 && n_cols * (p + 96) > 5 * p * (padded_width(n_cols) / 8);
}

// The columns of coef side by side, against tiles of rows of double precision.
template <class T>
void predict_side_by_side(MatrixView<const T> X, MatrixView<const double> coef,
                          std::span<const double> intercept, MatrixView<T> out,
                          const Context& ctx) {
  const std::int64_t p = X.n_cols, width = padded_width(coef.n_cols);
  auto columns = Buffer<double>::zeros(p * width);
  for (std::int64_t k = 0; k < p; ++k)
    for (std::int64_t c = 0; c < coef.n_cols; ++c) columns[k * width + c] = coef(k, c);
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  const bool is_packed = !kIsDouble || X.col_stride != 1;
  const double cost = kProductNs * static_cast<double>(X.n_rows) * static_cast<double>(p * width);
  const Chunks chunks = row_chunks(X.n_rows);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t task) {
    Buffer<double> packed(is_packed ? p * kProductRows : 0), sums(kProductRows * width);
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += kProductRows) {
      ctx.check();
      const std::int64_t n = std::min(kProductRows, chunks.end(task) - begin);
      std::fill(sums.begin(), sums.end(), 0.0);
      StridedProduct<double> product{packed.data(),  1,           kProductRows, n, p,
                                     columns.data(), sums.data(), width};
      if (is_packed) {
        for (std::int64_t k = 0; k < p; ++k)
          for (std::int64_t i = 0; i < n; ++i)
            packed[k * kProductRows + i] = static_cast<double>(X(begin + i, k));
      } else if constexpr (kIsDouble) {
        product.a = X.data + begin * X.row_stride;
        product.a_row = X.row_stride;
        product.a_col = 1;
      }
      for (std::int64_t k = 0; k < p; k += kProductDepth) {
        product.depth = std::min(kProductDepth, p - k);
        GRAMIAN_DISPATCH(add_strided_product, product);
        product.a += product.depth * product.a_col;
        product.b += product.depth * width;
      }
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t c = 0; c < coef.n_cols; ++c)
          out(begin + i, c) =
              static_cast<T>(sums[i * width + c] + intercept[static_cast<std::size_t>(c)]);
    }
  });
}

}  // namespace

template <class T>
void affine_predict(MatrixView<const T> X, MatrixView<const double> coef,
                    std::span<const double> intercept, MatrixView<T> out, const Context& ctx) {
  if (is_wide(X.n_cols, coef.n_cols)) return predict_side_by_side(X, coef, intercept, out, ctx);
  const std::int64_t ld = padded(X.n_cols);
  const Buffer<double> columns = padded_columns(coef);
  const auto zero = Buffer<double>::zeros(ld);
  const std::int64_t block_rows = block_rows_of(X);
  const Chunks chunks = row_chunks(X.n_rows);
  parallel_for(ctx, chunks.count(), pass_cost_ns(X, coef.n_cols), [&](std::int64_t task) {
    ShiftedRows<T> block(X, zero.data());
    std::vector<double> sums(static_cast<std::size_t>(block_rows));
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += block_rows) {
      ctx.check();
      const std::int64_t end = std::min(begin + block_rows, chunks.end(task));
      block.read(begin, end);
      for (std::int64_t c = 0; c < coef.n_cols; ++c) {
        block.times(columns.data() + c * ld, sums.data());
        for (std::int64_t i = begin; i < end; ++i)
          out(i, c) = static_cast<T>(sums[static_cast<std::size_t>(i - begin)] +
                                     intercept[static_cast<std::size_t>(c)]);
      }
    }
  });
}

template <class T>
ColumnSums column_sums(MatrixView<const T> X, std::span<const double> weight,
                       std::span<const double> origin, const Context& ctx) {
  const std::int64_t p = X.n_cols;
  const Buffer<double> shift = padded_columns({origin.data(), p, 1, 1, p});
  const bool is_plain = X.col_stride == 1 || X.row_stride == 1;
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    ctx.check();
    ColumnSums partial{0.0, std::vector<double>(static_cast<std::size_t>(padded(p)), 0.0)};
    for (std::int64_t i = first; i < last; ++i)
      partial.weight += weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
    const double* w = weight.empty() ? nullptr : weight.data() + first;
    if (is_plain) {
      GRAMIAN_DISPATCH(add_column_sums, block_of(X, first, last), shift.data(), w,
                       partial.sum.data());
      return partial;
    }
    std::vector<T> column(static_cast<std::size_t>(last - first));
    for (std::int64_t j = 0; j < p; ++j) {
      for (std::int64_t i = first; i < last; ++i)
        column[static_cast<std::size_t>(i - first)] = X(i, j);
      const DenseBlock<T> only{column.data(), 1, last - first, last - first, 1};
      GRAMIAN_DISPATCH(add_column_sums, only, shift.data() + j, w, partial.sum.data() + j);
    }
    return partial;
  };
  return parallel_reduce(ctx, row_tiles(X.n_rows), pass_cost_ns(X, 1), of_tile,
                         [](ColumnSums& total, const ColumnSums& next) { total += next; });
}

template <class T>
void column_means(MatrixView<const T> X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx) {
  std::vector<double> origin(out.size(), 0.0);  // the first row that counts: differences stay small
  const auto first = std::ranges::find_if(weight, [](double w) { return w > 0.0; });
  const std::int64_t origin_row = weight.empty() ? 0 : first - weight.begin();
  if (origin_row < X.n_rows) origin = row_of(X, origin_row);
  column_sums(X, weight, origin, ctx).means(origin, out);
}

template <class T>
bool all_finite(MatrixView<const T> X, const Context& ctx) {
  if (X.col_stride != 1 && X.row_stride == 1) X = X.transposed();
  // Contiguous memory is one long row; its length, not the columns', sets the pieces.
  if (X.is_c_contiguous() && X.n_rows * X.n_cols > 0) X = {X.data, 1, X.n_rows * X.n_cols};
  const bool is_one_row = X.n_rows == 1;
  const Chunks chunks = is_one_row ? Chunks::of_rows(X.n_cols, kFiniteRun) : row_chunks(X.n_rows);
  const auto of_chunk = [&](std::int64_t begin, std::int64_t end) {
    if (is_one_row && X.col_stride == 1)
      return GRAMIAN_DISPATCH(all_finite, X.data + begin, end - begin);
    bool is_finite = true;
    for (std::int64_t i = begin; i < end && is_finite; ++i) {
      ctx.check();
      if (is_one_row) {
        is_finite = X(0, i) * T{0} == T{0};
      } else if (X.col_stride == 1) {
        is_finite = GRAMIAN_DISPATCH(all_finite, X.data + i * X.row_stride, X.n_cols);
      } else {
        for (std::int64_t j = 0; j < X.n_cols && is_finite; ++j) is_finite = X(i, j) * T{0} == T{0};
      }
    }
    return is_finite;
  };
  return parallel_reduce_exact(ctx, chunks, pass_cost_ns(X, 1), of_chunk,
                               [](bool& total, bool next) { total = total && next; });
}

#define GRAMIAN_INSTANTIATE(T)                                                                 \
  template Gradient DenseDesign<T>::gradient(const AffineMap&, double*, const Context&) const; \
  template void DenseDesign<T>::guess_means(std::span<double>, std::span<double>) const;       \
  template void affine_predict(MatrixView<const T>, MatrixView<const double>,                  \
                               std::span<const double>, MatrixView<T>, const Context&);        \
  template void column_means(MatrixView<const T>, std::span<const double>, std::span<double>,  \
                             const Context&);                                                  \
  template ColumnSums column_sums(MatrixView<const T>, std::span<const double>,                \
                                  std::span<const double>, const Context&);                    \
  template bool all_finite(MatrixView<const T>, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
