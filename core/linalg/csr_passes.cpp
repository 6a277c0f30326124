// Sparse rows: moments in O(sum of squared row lengths), passes in O(stored entries). The matrix is
// never made dense; centring happens afterwards, on the moments, or through one number per row.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/moments.hpp"
#include "linalg/sparse_kernel.hpp"
#include "linalg/sparse_pass.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr double kEntryNs = 1.0;
constexpr std::int64_t kTermsBetweenChecks = 1 << 14;

double weight_of(std::span<const double> weight, std::int64_t i) {
  return weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
}

template <class T, class Index>
double dot(const CsrRow<T, Index>& row, MatrixView<const double> coef, std::int64_t target) {
  const double* column = coef.data + target * coef.col_stride;
  double sum = 0.0;
  for (std::size_t k = 0; k < row.cols.size(); ++k)
    sum += static_cast<double>(row.values[k]) * column[row.cols[k] * coef.row_stride];
  return sum;
}

std::vector<double> contiguous(MatrixView<const double> A) {
  std::vector<double> copy(at(A.n_rows * A.n_cols));
  for (std::int64_t i = 0; i < A.n_rows; ++i)
    for (std::int64_t j = 0; j < A.n_cols; ++j) copy[at(i * A.n_cols + j)] = A(i, j);
  return copy;
}

// The columns in slices with about the same number of pairs, where every column meets those before.
std::vector<std::int64_t> slice_ends(std::int64_t p, std::int64_t count) {
  std::vector<std::int64_t> ends{0};
  for (std::int64_t s = 1; s <= count; ++s) {
    const double share = std::sqrt(static_cast<double>(s) / static_cast<double>(count));
    ends.push_back(s == count ? p : static_cast<std::int64_t>(share * static_cast<double>(p)));
  }
  return ends;
}

// Into the Gram matrix as it was summed, one half or the other for each pair.
void write_rows(const GramRows& sums, std::int64_t first, std::int64_t last, Moments& out) {
  const std::int64_t t = out.t;
  std::copy_n(sums.gram.data(), sums.gram.size(), out.gram.data() + first * out.p);
  for (std::int64_t j = first; j < last; ++j) {
    const double* cross = sums.cross.data() + (j - first) * (t + 1);
    std::copy_n(cross, t, out.cross.data() + j * t);
    out.sum_x[at(j)] = cross[t];
  }
}

// Weighted squared residuals of each target.
struct SquaredResiduals {
  std::vector<double> sum;
  void add(const SquaredResiduals& next) { add_each(sum, next.sum); }
};

}  // namespace

template <class T, class Index>
GramRows CsrDesign<T, Index>::gram_rows(std::int64_t begin, std::int64_t end, std::int64_t first,
                                        std::int64_t last, std::span<const double> shift_y,
                                        const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  GramRows sums{Buffer<double>::zeros((last - first) * p),
                Buffer<double>::zeros((last - first) * (t + 1))};
  for (std::int64_t i = begin; i < end; ++i) {
    ctx.check();
    const auto row = X_.row(i);
    const double w = weight_of(weight_, i);
    for (std::size_t a = 0; a < row.cols.size(); ++a) {
      const auto j = static_cast<std::int64_t>(row.cols[a]) - first;
      if (j < 0 || j >= last - first) continue;
      const double wx = w * static_cast<double>(row.values[a]);
      double* gram_row = sums.gram.data() + j * p;
      for (std::size_t b = 0; b <= a; ++b)
        gram_row[row.cols[b]] += wx * static_cast<double>(row.values[b]);
      double* cross_row = sums.cross.data() + j * (t + 1);
      for (std::int64_t c = 0; c < t; ++c)
        cross_row[c] += wx * (Y_(i, c) - shift_y[static_cast<std::size_t>(c)]);
      cross_row[t] += wx;
    }
  }
  return sums;
}

template <class T, class Index>
Moments CsrDesign<T, Index>::moments(std::span<const double>, std::span<const double> shift_y,
                                     const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  const auto combine = [](GramRows& total, const GramRows& next) {
    add_each(total.gram, next.gram);
    add_each(total.cross, next.cross);
  };
  const double mean_length =
      static_cast<double>(X_.n_stored()) / static_cast<double>(std::max<std::int64_t>(n_rows(), 1));
  const double cost = kEntryNs * static_cast<double>(X_.n_stored()) * (mean_length / 2.0 + 2.0);
  const Tiles tiles = sparse_tiles(n_rows(), p * (p + t + 1));
  const auto ends = slice_ends(p, n_slices(tiles, cost, ctx));
  const auto count = static_cast<std::int64_t>(ends.size()) - 1;
  std::vector<GramRows> total(at(count));
  parallel_for(ctx, count, count > 1 ? cost : 0.0, [&](std::int64_t slice) {
    const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
      return gram_rows(begin, end, ends[at(slice)], ends[at(slice + 1)], shift_y, ctx);
    };
    total[at(slice)] = parallel_reduce(ctx, tiles, cost, of_tile, combine);
  });

  Moments out(p, t);
  for (std::int64_t slice = 0; slice < count; ++slice)
    write_rows(total[at(slice)], ends[at(slice)], ends[at(slice + 1)], out);
  // Rows of the input need not be sorted: a pair of columns may have been added on either side.
  for (std::int64_t i = 0; i < p; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      out.gram[i * p + j] = out.gram[j * p + i] = out.gram[i * p + j] + out.gram[j * p + i];
  out.set_targets(target_moments(Y_, shift_y, weight_, ctx));
  return out;
}

template <class T, class Index>
Gradient CsrDesign<T, Index>::gradient(const AffineMap& at, double* residuals,
                                       const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  // (X - 1 a') coef = X coef - a' coef: one number per target.
  std::vector<double> coef(at.coef.begin(), at.coef.end());
  coef.resize(static_cast<std::size_t>((p + 1) * t), 0.0);
  for (std::int64_t c = 0; c < t; ++c)
    for (std::int64_t j = 0; j < p; ++j)
      coef[static_cast<std::size_t>(p * t + c)] -=
          at.shift_x[static_cast<std::size_t>(j)] * coef[static_cast<std::size_t>(j * t + c)];
  const auto on_block = [&](std::int64_t begin, std::int64_t end, double* z,
                            SquaredResiduals& squares) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double w = weight_of(weight_, i);
      for (std::int64_t c = 0; c < t; ++c, ++z) {
        const auto k = static_cast<std::size_t>(c);
        const double r = (Y_(i, c) - at.shift_y[k]) - *z;
        if (residuals) residuals[i * t + c] = r;
        squares.sum[k] += w * r * r;
        *z = w * r;
      }
    }
  };
  const SquaredResiduals zero{std::vector<double>(static_cast<std::size_t>(t))};
  const double cost = 2.0 * kEntryNs * static_cast<double>(X_.n_stored() * t);
  const auto all = SparsePass(X_, coef.data(), t).sums(zero, cost, on_block, ctx);
  Gradient out{{all.products.data(), all.products.data() + p * t}, all.own.sum};
  const double* total = all.products.data() + p * t;
  for (std::int64_t j = 0; j < p; ++j)
    for (std::int64_t c = 0; c < t; ++c)
      out.values[static_cast<std::size_t>(j * t + c)] -=
          at.shift_x[static_cast<std::size_t>(j)] * total[c];
  return out;
}

template <class T, class Index>
std::vector<double> CsrDesign<T, Index>::squares_about(std::span<const double> mean,
                                                       const Context& ctx) const {
  struct Squares {
    std::vector<double> squares, stored;
    double weight = 0.0;
  };
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    Squares sums{std::vector<double>(mean.size()), std::vector<double>(mean.size())};
    for (std::int64_t i = begin; i < end; ++i) {
      ctx.check();
      const auto row = X_.row(i);
      const double w = weight_of(weight_, i);
      sums.weight += w;
      for (std::size_t e = 0; e < row.cols.size(); ++e) {
        const auto j = static_cast<std::size_t>(row.cols[e]);
        const double d = static_cast<double>(row.values[e]) - mean[j];
        sums.squares[j] += w * d * d;
        sums.stored[j] += w;
      }
    }
    return sums;
  };
  const auto combine = [](Squares& total, const Squares& next) {
    add_each(total.squares, next.squares);
    add_each(total.stored, next.stored);
    total.weight += next.weight;
  };
  const double cost = kEntryNs * static_cast<double>(X_.n_stored());
  Squares all = parallel_reduce(ctx, sparse_tiles(n_rows(), 2 * X_.n_cols), cost, of_tile, combine);
  for (std::size_t j = 0; j < mean.size(); ++j)
    all.squares[j] += (all.weight - all.stored[j]) * mean[j] * mean[j];
  return std::move(all.squares);
}

template <class T, class Index>
void CsrDesign<T, Index>::guess_means(std::span<double> mean_x, std::span<double> mean_y) const {
  std::fill(mean_x.begin(), mean_x.end(), 0.0);
  const TargetMoments y =
      target_moments(Y_, std::vector<double>(mean_y.size()), weight_, Context{});
  for (std::size_t c = 0; c < mean_y.size(); ++c)
    mean_y[c] = y.weight > 0.0 ? y.sum[c] / y.weight : 0.0;
}

namespace {

// Several outputs of one row; `sums` is scratch memory.
template <class T, class Index>
void predict_row(const CsrRow<T, Index>& row, MatrixView<const double> coef,
                 std::span<const double> intercept, std::span<double> sums, T* out,
                 std::int64_t stride) {
  const std::int64_t t = coef.n_cols;
  if (coef.has_contiguous_rows())
    GRAMIAN_DISPATCH(sum_rows, row.values.data(), row.cols.data(), std::ssize(row.cols), coef.data,
                     coef.row_stride, t, sums.data());
  else
    for (std::int64_t c = 0; c < t; ++c) sums[at(c)] = dot(row, coef, c);
  for (std::int64_t c = 0; c < t; ++c)
    out[c * stride] = static_cast<T>(sums[at(c)] + intercept[at(c)]);
}

}  // namespace

template <class T, class Index>
void affine_predict(CsrView<T, Index> X, MatrixView<const double> coef,
                    std::span<const double> intercept, MatrixView<T> out, const Context& ctx) {
  const std::int64_t t = coef.n_cols;
  // Rows of coefficients are copied next to each other where that is little work beside the
  // product.
  std::vector<double> copied;
  if (!coef.has_contiguous_rows() && X.n_stored() >= coef.n_rows) {
    copied = contiguous(coef);
    coef = {copied.data(), coef.n_rows, t};
  }
  const Chunks chunks = row_chunks(X.n_rows());
  const double cost = kEntryNs * static_cast<double>(X.n_stored() * t);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t task) {
    std::vector<double> sums(at(t));
    std::int64_t n_terms = 0;
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      const auto row = X.row(i);
      const std::int64_t n = std::ssize(row.cols);
      if (t == 1)
        out(i, 0) = static_cast<T>(dot(row, coef, 0) + intercept[0]);
      else
        predict_row(row, coef, intercept, sums, &out(i, 0), out.col_stride);
      n_terms += (n + 1) * t;
      if (n_terms < kTermsBetweenChecks) continue;
      ctx.check();
      n_terms = 0;
    }
  });
}

#define GRAMIAN_INSTANTIATE(T, Index)                                       \
  template class CsrDesign<T, Index>;                                       \
  template void affine_predict(CsrView<T, Index>, MatrixView<const double>, \
                               std::span<const double>, MatrixView<T>, const Context&);
GRAMIAN_FOR_EACH_SPARSE(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
