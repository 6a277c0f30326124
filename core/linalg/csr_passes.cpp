// Sparse rows: moments in O(sum of squared row lengths), passes in O(stored entries). The matrix is
// never made dense; centring happens afterwards, on the moments, or through one number per row.
#include <algorithm>

#include "base/instantiate.hpp"
#include "linalg/moments.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kMinChunkRows = 1024;
constexpr std::int64_t kMaxChunks = 64;
constexpr std::int64_t kScratchDoubles = std::int64_t{1} << 22;  // 32 MiB of partial sums
constexpr double kEntryNs = 1.0;

Chunks row_chunks(std::int64_t n, std::int64_t doubles_per_chunk) {
  const std::int64_t affordable = std::clamp<std::int64_t>(
      kScratchDoubles / std::max<std::int64_t>(doubles_per_chunk, 1), 1, kMaxChunks);
  return Chunks::of_rows(n, std::max(kMinChunkRows, (n + affordable - 1) / affordable));
}

double weight_of(std::span<const double> weight, std::int64_t i) {
  return weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
}

template <class T, class Index>
double dot(const CsrRow<T, Index>& row, MatrixView<const double> coef, std::int64_t target) {
  double sum = 0.0;
  for (std::size_t k = 0; k < row.cols.size(); ++k)
    sum += static_cast<double>(row.values[k]) * coef(row.cols[k], target);
  return sum;
}

struct SparseSums {
  Buffer<double> gram;   // p x p, the entries whose column is stored no later than the row's
  Buffer<double> cross;  // p x (t + 1): targets, then ones
};

}  // namespace

template <class T, class Index>
Moments CsrDesign<T, Index>::moments(std::span<const double>, std::span<const double> shift_y,
                                     const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  Moments out(p, t);
  const auto of_chunk = [&](std::int64_t begin, std::int64_t end) {
    SparseSums sums{Buffer<double>::zeros(p * p), Buffer<double>::zeros(p * (t + 1))};
    for (std::int64_t i = begin; i < end; ++i) {
      ctx.check();
      const auto row = X_.row(i);
      const double w = weight_of(weight_, i);
      for (std::size_t a = 0; a < row.cols.size(); ++a) {
        const double wx = w * static_cast<double>(row.values[a]);
        double* gram_row = sums.gram.data() + row.cols[a] * p;
        for (std::size_t b = 0; b <= a; ++b)
          gram_row[row.cols[b]] += wx * static_cast<double>(row.values[b]);
        double* cross_row = sums.cross.data() + row.cols[a] * (t + 1);
        for (std::int64_t c = 0; c < t; ++c)
          cross_row[c] += wx * (Y_(i, c) - shift_y[static_cast<std::size_t>(c)]);
        cross_row[t] += wx;
      }
    }
    return sums;
  };
  const auto combine = [](SparseSums& total, const SparseSums& next) {
    for (std::int64_t k = 0; k < next.gram.size(); ++k) total.gram[k] += next.gram[k];
    for (std::int64_t k = 0; k < next.cross.size(); ++k) total.cross[k] += next.cross[k];
  };
  const double mean_length =
      static_cast<double>(X_.n_stored()) / static_cast<double>(std::max<std::int64_t>(n_rows(), 1));
  const double cost = kEntryNs * static_cast<double>(X_.n_stored()) * (mean_length / 2.0 + 2.0);
  const SparseSums total =
      parallel_reduce(ctx, row_chunks(n_rows(), p * p), cost, of_chunk, combine);

  // Rows of the input need not be sorted: a pair of columns may have been added on either side.
  for (std::int64_t i = 0; i < p; ++i) {
    out.gram[i * p + i] = total.gram[i * p + i];
    for (std::int64_t j = 0; j < i; ++j)
      out.gram[i * p + j] = out.gram[j * p + i] = total.gram[i * p + j] + total.gram[j * p + i];
    for (std::int64_t c = 0; c < t; ++c) out.cross[i * t + c] = total.cross[i * (t + 1) + c];
    out.sum_x[static_cast<std::size_t>(i)] = total.cross[i * (t + 1) + t];
  }
  add_target_moments(Y_, shift_y, weight_, out);
  return out;
}

template <class T, class Index>
Gradient CsrDesign<T, Index>::gradient(const AffineMap& at, double* residuals,
                                       const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  const MatrixView<const double> coef(at.coef.data(), p, t);
  // (X - 1 a') coef = X coef - a' coef: one number per target.
  std::vector<double> offset(static_cast<std::size_t>(t), 0.0);
  for (std::int64_t c = 0; c < t; ++c)
    for (std::int64_t j = 0; j < p; ++j)
      offset[static_cast<std::size_t>(c)] += at.shift_x[static_cast<std::size_t>(j)] * coef(j, c);

  struct Partial {
    std::vector<double> sum, rss, total;  // X' W R, weighted squares and weighted sums of R
  };
  const auto of_chunk = [&](std::int64_t begin, std::int64_t end) {
    Partial partial{std::vector<double>(static_cast<std::size_t>(p * t)),
                    std::vector<double>(static_cast<std::size_t>(t)),
                    std::vector<double>(static_cast<std::size_t>(t))};
    for (std::int64_t i = begin; i < end; ++i) {
      ctx.check();
      const auto row = X_.row(i);
      const double w = weight_of(weight_, i);
      for (std::int64_t c = 0; c < t; ++c) {
        const auto k = static_cast<std::size_t>(c);
        const double r = (Y_(i, c) - at.shift_y[k]) - (dot(row, coef, c) - offset[k]);
        if (residuals) residuals[i * t + c] = r;
        partial.rss[k] += w * r * r;
        partial.total[k] += w * r;
        for (std::size_t e = 0; e < row.cols.size(); ++e)
          partial.sum[static_cast<std::size_t>(row.cols[e] * t + c)] +=
              w * r * static_cast<double>(row.values[e]);
      }
    }
    return partial;
  };
  const auto combine = [](Partial& sum, const Partial& next) {
    for (std::size_t k = 0; k < next.sum.size(); ++k) sum.sum[k] += next.sum[k];
    for (std::size_t k = 0; k < next.rss.size(); ++k) sum.rss[k] += next.rss[k];
    for (std::size_t k = 0; k < next.total.size(); ++k) sum.total[k] += next.total[k];
  };
  const double cost = 2.0 * kEntryNs * static_cast<double>(X_.n_stored() * t);
  Partial all = parallel_reduce(ctx, row_chunks(n_rows(), p * t), cost, of_chunk, combine);
  for (std::int64_t j = 0; j < p; ++j)
    for (std::int64_t c = 0; c < t; ++c)
      all.sum[static_cast<std::size_t>(j * t + c)] -=
          at.shift_x[static_cast<std::size_t>(j)] * all.total[static_cast<std::size_t>(c)];
  return {std::move(all.sum), std::move(all.rss)};
}

template <class T, class Index>
std::vector<double> CsrDesign<T, Index>::squares_about(std::span<const double> mean,
                                                       const Context& ctx) const {
  std::vector<double> squares(mean.size()), stored(mean.size());
  double total = 0.0;
  for (std::int64_t i = 0; i < n_rows(); ++i) {
    ctx.check();
    const auto row = X_.row(i);
    const double w = weight_of(weight_, i);
    total += w;
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto j = static_cast<std::size_t>(row.cols[e]);
      const double d = static_cast<double>(row.values[e]) - mean[j];
      squares[j] += w * d * d;
      stored[j] += w;
    }
  }
  for (std::size_t j = 0; j < mean.size(); ++j)
    squares[j] += (total - stored[j]) * mean[j] * mean[j];
  return squares;
}

template <class T, class Index>
void CsrDesign<T, Index>::guess_means(std::span<double> mean_x, std::span<double> mean_y) const {
  std::fill(mean_x.begin(), mean_x.end(), 0.0);
  std::fill(mean_y.begin(), mean_y.end(), 0.0);
  double total = 0.0;
  for (std::int64_t i = 0; i < n_rows(); ++i) {
    const double w = weight_of(weight_, i);
    total += w;
    for (std::int64_t c = 0; c < Y_.n_cols; ++c)
      mean_y[static_cast<std::size_t>(c)] += w * Y_(i, c);
  }
  if (total > 0.0)
    for (double& m : mean_y) m /= total;
}

template <class T, class Index>
void affine_predict(CsrView<T, Index> X, MatrixView<const double> coef,
                    std::span<const double> intercept, MatrixView<T> out, const Context& ctx) {
  const Chunks chunks = row_chunks(X.n_rows(), 0);
  const double cost = kEntryNs * static_cast<double>(X.n_stored() * coef.n_cols);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      ctx.check();
      const auto row = X.row(i);
      for (std::int64_t c = 0; c < coef.n_cols; ++c)
        out(i, c) = static_cast<T>(dot(row, coef, c) + intercept[static_cast<std::size_t>(c)]);
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
