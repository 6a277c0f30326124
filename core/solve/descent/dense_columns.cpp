// Dense columns. A pass over row-major data reads each row once: its residual from the few active
// columns, then its share of all slopes. Column-major data are read column by column.
//
// Gram blocks are summed over columns gathered into panels.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "solve/descent/columns.hpp"
#include "solve/descent/coordinate_descent_kernel.hpp"
#include "solve/descent/gathered_gram.hpp"

namespace gramian::solve {
namespace {

constexpr double kEntryNs = 0.5;
constexpr std::int64_t kMinGramSize = 2048;
constexpr std::int64_t kMaxGramSize = 8192;
constexpr std::int64_t kBlockDoubles = 1 << 15;  // rows of a pass that stay in cache
constexpr std::int64_t kPassEntries = 1 << 17;   // of a tile of rows in a pass
constexpr std::int64_t kColumnRows = 1 << 16;    // a tile of one column, which needs one sum only

std::int64_t padded(std::int64_t n) { return n_panels(n) * kLanes; }

// sum_i (x_i - shift) r_i and sum_i w_i (x_i - shift)^2 over the n rows of a column.
template <class T>
double tiled_dot(const T* x, double shift, const double* r, std::int64_t n) {
  return sum_tiles(Tiles::of_rows(n, kColumnRows), [=](std::int64_t begin, std::int64_t end) {
    return GRAMIAN_DISPATCH(column_dot, x + begin, shift, r + begin, end - begin);
  });
}
template <class T>
double tiled_square(const T* x, double shift, const double* weight, std::int64_t n) {
  return sum_tiles(Tiles::of_rows(n, kColumnRows), [=](std::int64_t begin, std::int64_t end) {
    const double* w = weight ? weight + begin : nullptr;
    return GRAMIAN_DISPATCH(column_square, x + begin, shift, w, end - begin);
  });
}

// Columns copied side by side, centred and times the square roots of the weights.
class DenseResidualSpace final : public ResidualSpace {
 public:
  DenseResidualSpace(Buffer<double> columns, std::vector<double> residuals, std::int64_t n)
      : columns_(std::move(columns)), residuals_(std::move(residuals)), n_(n) {}

  double dot(std::int64_t k, std::int64_t target) const override {
    return tiled_dot(columns_.data() + k * n_, 0.0, residuals_.data() + target * n_, n_);
  }
  void subtract(std::int64_t k, std::int64_t target, double d) override {
    GRAMIAN_DISPATCH(subtract_column, columns_.data() + k * n_, 0.0, d, n_,
                     residuals_.data() + target * n_);
  }
  double squared_norm() const override {
    double sum = 0.0;
    for (std::size_t first = 0; first < residuals_.size(); first += at(n_))
      sum += tiled_square(residuals_.data() + first, 0.0, nullptr, n_);
    return sum;
  }
  std::span<double> state() override { return residuals_; }

 private:
  Buffer<double> columns_;
  std::vector<double> residuals_;
  std::int64_t n_;
};

template <class T>
class DenseColumns final : public Columns {
 public:
  DenseColumns(MatrixView<const T> X, const Targets& targets)
      : X_(X), targets_(targets), shift_(at(padded(X.n_cols)), 0.0) {
    std::copy(targets.mean_x.begin(), targets.mean_x.end(), shift_.begin());
  }

  std::int64_t n_rows() const override { return X_.n_rows; }
  std::int64_t n_features() const override { return X_.n_cols; }
  std::int64_t n_targets() const override { return targets_.Y.n_cols; }
  std::int64_t max_gram_size() const override {
    return std::clamp(2 * n_rows(), kMinGramSize, kMaxGramSize);
  }

  bool can_skip() const override { return !X_.has_contiguous_rows(); }
  ColumnSums sums(const Context& ctx) const override;
  double slopes(const ActiveCoef& coef, std::span<const char> skipped, double* slope,
                const Context& ctx) const override;
  void extend_gram(std::span<const std::int64_t> cols, std::int64_t first, double* gram,
                   std::int64_t ld, const Context& ctx) const override;
  std::unique_ptr<ResidualSpace> residual_space(std::span<const std::int64_t> cols,
                                                const ActiveCoef& coef,
                                                const Context& ctx) const override;

 private:
  struct Pass {
    std::vector<double> slope;    // t x padded p
    std::vector<double> squares;  // padded p, or empty
    double rr = 0.0;
  };

  double weight(std::int64_t i) const {
    return targets_.weight.empty() ? 1.0 : targets_.weight[at(i)];
  }
  double target(std::int64_t i, std::int64_t c) const {
    return targets_.Y(i, c) - targets_.mean_y[at(c)];
  }
  double pass_cost() const {
    return kEntryNs * static_cast<double>(X_.n_rows * X_.n_cols * n_targets());
  }
  double residual_of_row(std::int64_t i, std::int64_t c, const ActiveCoef& coef) const;
  Pass row_pass(std::int64_t begin, std::int64_t end, const ActiveCoef& coef,
                bool with_squares) const;
  Pass pass_over_rows(const ActiveCoef& coef, bool with_squares, const Context& ctx) const;
  double weighted_residuals(const ActiveCoef& coef, double* out, const Context& ctx) const;
  void gather(std::span<const std::int64_t> cols, std::int64_t begin, std::int64_t end,
              double* panels) const;

  MatrixView<const T> X_;
  Targets targets_;
  std::vector<double> shift_;
};

template <class T>
double DenseColumns<T>::residual_of_row(std::int64_t i, std::int64_t c,
                                        const ActiveCoef& coef) const {
  const T* row = X_.data + i * X_.row_stride;
  const double* values = coef.values.data() + c * coef.size();
  double sum = 0.0;
  for (std::int64_t k = 0; k < coef.size(); ++k) {
    const std::int64_t j = coef.cols[at(k)];
    sum += (static_cast<double>(row[j * X_.col_stride]) - shift_[at(j)]) * values[k];
  }
  return target(i, c) - sum;
}

// Row-major data: residuals and slopes of the rows begin .. end.
template <class T>
auto DenseColumns<T>::row_pass(std::int64_t begin, std::int64_t end, const ActiveCoef& coef,
                               bool with_squares) const -> Pass {
  const std::int64_t p = padded(X_.n_cols);
  const std::int64_t t = n_targets();
  Pass out{std::vector<double>(at(t * p)), std::vector<double>(with_squares ? at(p) : 0)};
  const std::int64_t height =
      std::clamp<std::int64_t>(kBlockDoubles / std::max<std::int64_t>(p, 1), 4, kBlockRows);
  std::vector<double> wr(at(height));
  for (std::int64_t i = begin; i < end; i += height) {
    const std::int64_t n = std::min(height, end - i);
    const RowBlock<T> block{X_.data + i * X_.row_stride, X_.row_stride, n, X_.n_cols,
                            shift_.data()};
    for (std::int64_t c = 0; c < t; ++c) {
      for (std::int64_t k = 0; k < n; ++k) {
        const double r = residual_of_row(i + k, c, coef);
        wr[at(k)] = weight(i + k) * r;
        out.rr += wr[at(k)] * r;
      }
      GRAMIAN_DISPATCH(add_rows_transposed_times_vector, block, wr.data(),
                       out.slope.data() + c * p);
    }
    if (with_squares)
      GRAMIAN_DISPATCH(add_row_squares, block,
                       targets_.weight.empty() ? nullptr : targets_.weight.data() + i,
                       out.squares.data());
  }
  return out;
}

template <class T>
auto DenseColumns<T>::pass_over_rows(const ActiveCoef& coef, bool with_squares,
                                     const Context& ctx) const -> Pass {
  const std::int64_t rows =
      tile_size(kPassEntries / std::max<std::int64_t>(X_.n_cols, 1), 64, 1024);
  return parallel_reduce(
      ctx, Tiles::of_rows(X_.n_rows, rows), pass_cost(),
      [&](std::int64_t begin, std::int64_t end) {
        return row_pass(begin, end, coef, with_squares);
      },
      [](Pass& total, const Pass& next) {
        add_each(total.slope, next.slope);
        add_each(total.squares, next.squares);
        total.rr += next.rr;
      });
}

// w_i r_i of every target (t x n); returns sum w r^2.
template <class T>
double DenseColumns<T>::weighted_residuals(const ActiveCoef& coef, double* out,
                                           const Context& ctx) const {
  const std::int64_t n = X_.n_rows;
  const double cost = kEntryNs * static_cast<double>(n * (coef.size() + 1) * n_targets());
  return parallel_reduce(
      ctx, Tiles::of_rows(n, 2048), cost,
      [&](std::int64_t begin, std::int64_t end) {
        double rr = 0.0;
        for (std::int64_t c = 0; c < n_targets(); ++c) {
          double* r = out + c * n + begin;
          for (std::int64_t i = begin; i < end; ++i) r[i - begin] = target(i, c);
          for (std::int64_t k = 0; k < coef.size(); ++k) {
            const std::int64_t j = coef.cols[at(k)];
            GRAMIAN_DISPATCH(subtract_column, X_.data + j * X_.col_stride + begin, shift_[at(j)],
                             coef.values[at(c * coef.size() + k)], end - begin, r);
          }
          for (std::int64_t i = begin; i < end; ++i) {
            const double wr = weight(i) * r[i - begin];
            rr += wr * r[i - begin];
            r[i - begin] = wr;
          }
        }
        return rr;
      },
      [](double& total, double next) { total += next; });
}

template <class T>
ColumnSums DenseColumns<T>::sums(const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = n_targets();
  ColumnSums out{std::vector<double>(at(p)), std::vector<double>(at(t * p))};
  const double total =
      targets_.weight.empty() ? static_cast<double>(X_.n_rows) : sum_of_rows(targets_.weight);
  if (X_.has_contiguous_rows()) {
    const Pass pass = pass_over_rows({}, true, ctx);
    for (std::int64_t c = 0; c < t; ++c)
      std::copy_n(pass.slope.begin() + c * padded(p), p, out.cross.begin() + c * p);
    std::copy_n(pass.squares.begin(), p, out.squares.begin());
    out.yy = pass.rr;
  } else {
    const double* weights = targets_.weight.empty() ? nullptr : targets_.weight.data();
    out.yy = slopes({}, {}, out.cross.data(), ctx);
    parallel_for(ctx, p, pass_cost(), [&](std::int64_t j) {
      out.squares[at(j)] =
          tiled_square(X_.data + j * X_.col_stride, shift_[at(j)], weights, X_.n_rows);
    });
  }
  for (std::int64_t j = 0; j < p; ++j)
    out.squares[at(j)] = square_or_zero(out.squares[at(j)], shift_[at(j)], total);
  return out;
}

template <class T>
double DenseColumns<T>::slopes(const ActiveCoef& coef, std::span<const char> skipped, double* slope,
                               const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  if (X_.has_contiguous_rows()) {
    const Pass pass = pass_over_rows(coef, false, ctx);
    for (std::int64_t c = 0; c < n_targets(); ++c)
      std::copy_n(pass.slope.begin() + c * padded(p), p, slope + c * p);
    return pass.rr;
  }
  const std::int64_t n = X_.n_rows;
  Buffer<double> wr(n * n_targets());
  const double rr = weighted_residuals(coef, wr.data(), ctx);
  const auto chunks = Chunks::of_rows(p, 16);
  parallel_for(ctx, chunks.count(), pass_cost(), [&](std::int64_t chunk) {
    for (std::int64_t j = chunks.begin(chunk); j < chunks.end(chunk); ++j) {
      if (!skipped.empty() && skipped[at(j)]) continue;
      for (std::int64_t c = 0; c < n_targets(); ++c)
        slope[c * p + j] =
            tiled_dot(X_.data + j * X_.col_stride, shift_[at(j)], wr.data() + c * n, n);
    }
  });
  return rr;
}

// Packs some columns of the rows begin .. end (at most kBlockRows), centred, times sqrt(w).
template <class T>
void DenseColumns<T>::gather(std::span<const std::int64_t> cols, std::int64_t begin,
                             std::int64_t end, double* panels) const {
  const auto size = static_cast<std::int64_t>(cols.size());
  for (std::int64_t k = size; k < padded(size); ++k)
    for (std::int64_t i = 0; i < end - begin; ++i)
      panels[(k / kLanes) * kPanelStride + i * kLanes + k % kLanes] = 0.0;
  for (std::int64_t i = begin; i < end; ++i) {
    const T* row = X_.data + i * X_.row_stride;
    const double scale = targets_.weight.empty() ? 1.0 : std::sqrt(targets_.weight[at(i)]);
    double* out = panels + (i - begin) * kLanes;
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t j = cols[at(k)];
      out[(k / kLanes) * kPanelStride + k % kLanes] =
          scale * (static_cast<double>(row[j * X_.col_stride]) - shift_[at(j)]);
    }
  }
}

template <class T>
void DenseColumns<T>::extend_gram(std::span<const std::int64_t> cols, std::int64_t first,
                                  double* gram, std::int64_t ld, const Context& ctx) const {
  const auto size = static_cast<std::int64_t>(cols.size());
  const std::int64_t n_old = padded(first);
  const auto gather_all = [&](std::int64_t begin, std::int64_t end, double* panels) {
    gather(cols.first(at(first)), begin, end, panels);
    gather(cols.subspan(at(first)), begin, end, panels + n_panels(first) * kPanelStride);
  };
  const Buffer<double> sums = gathered_gram({X_.n_rows, first, size - first, gather_all}, ctx);
  for (std::int64_t l = first; l < size; ++l) {
    const double* column = sums.data() + (l - first) * (n_old + padded(size - first));
    for (std::int64_t k = 0; k < first; ++k) gram[k * ld + l] = gram[l * ld + k] = column[k];
    for (std::int64_t k = l; k < size; ++k)
      gram[k * ld + l] = gram[l * ld + k] = column[n_old + k - first];
  }
}

template <class T>
std::unique_ptr<ResidualSpace> DenseColumns<T>::residual_space(std::span<const std::int64_t> cols,
                                                               const ActiveCoef& coef,
                                                               const Context& ctx) const {
  const std::int64_t n = X_.n_rows;
  const auto size = static_cast<std::int64_t>(cols.size());
  Buffer<double> columns(n * size);
  std::vector<double> residuals(at(n * n_targets()));
  const auto chunks = Chunks::of_rows(n, 256);
  const double cost = 2.0 * static_cast<double>(n * size);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const double root = std::sqrt(weight(i));
      for (std::int64_t k = 0; k < size; ++k) {
        const std::int64_t j = cols[at(k)];
        columns[k * n + i] = root * (static_cast<double>(X_(i, j)) - shift_[at(j)]);
      }
      for (std::int64_t c = 0; c < n_targets(); ++c)
        residuals[at(c * n + i)] = root * residual_of_row(i, c, coef);
    }
  });
  return std::make_unique<DenseResidualSpace>(std::move(columns), std::move(residuals), n);
}

}  // namespace

template <class T>
std::unique_ptr<Columns> dense_columns(MatrixView<const T> X, const Targets& targets) {
  return std::make_unique<DenseColumns<T>>(X, targets);
}

#define GRAMIAN_INSTANTIATE(T) \
  template std::unique_ptr<Columns> dense_columns(MatrixView<const T>, const Targets&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::solve
