// Compressed sparse columns. Centring costs one number per column and one per target:
// <x_j, r> = sum_i w_i x_ij r_i - m_j sum_i w_i r_i, and with an intercept the last sum is zero.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "solve/descent/columns.hpp"

namespace gramian::solve {
namespace {

constexpr double kEntryNs = 1.5;
constexpr std::int64_t kMinGramSize = 2048;
constexpr std::int64_t kMaxGramSize = 4096;

constexpr std::int64_t kTileRows = 1 << 16;  // a column needs one sum only

// The sum of term(entry) over the stored entries of a column, whose rows ascend.
template <class Column, class Term>
double sum_entries(const Column& column, const Term& term) {
  const std::size_t size = column.cols.size();
  const auto tile_of = [&](std::size_t e) {
    return static_cast<std::int64_t>(column.cols[e]) / kTileRows;
  };
  const auto sum_from = [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t e = begin; e < end; ++e) sum += term(e);
    return sum;
  };
  if (size == 0 || tile_of(0) == tile_of(size - 1)) return sum_from(0, size);
  TreeSum sum;
  for (std::size_t begin = 0, end = 0; begin < size; begin = end) {
    while (end < size && tile_of(end) == tile_of(begin)) ++end;
    sum.add(tile_of(begin), sum_from(begin, end));
  }
  return sum.total();
}

template <class T, class Index>
class SparseResidualSpace final : public ResidualSpace {
 public:
  // `state` holds the residuals of the targets (t x n), each short of an offset that stands behind
  // them: what the means of subtracted columns add to every row alike.
  SparseResidualSpace(CsrView<T, Index> Xt, const Targets& targets,
                      std::span<const std::int64_t> cols, std::vector<double> state)
      : Xt_(Xt),
        targets_(targets),
        cols_(cols.begin(), cols.end()),
        state_(std::move(state)),
        n_(Xt.n_cols) {}

  double dot(std::int64_t k, std::int64_t target) const override {
    const auto column = Xt_.row(cols_[at(k)]);
    const double* r = state_.data() + target * n_;
    const double offset = state_[at(targets_.Y.n_cols * n_ + target)];
    return sum_entries(column, [&](std::size_t e) {
      return weight(column.cols[e]) * static_cast<double>(column.values[e]) *
             (r[column.cols[e]] + offset);
    });
  }
  void subtract(std::int64_t k, std::int64_t target, double d) override {
    const std::int64_t j = cols_[at(k)];
    const auto column = Xt_.row(j);
    double* r = state_.data() + target * n_;
    for (std::size_t e = 0; e < column.cols.size(); ++e)
      r[column.cols[e]] -= d * static_cast<double>(column.values[e]);
    state_[at(targets_.Y.n_cols * n_ + target)] += d * targets_.mean_x[at(j)];
  }
  double squared_norm() const override {
    double sum = 0.0;
    for (std::int64_t c = 0; c < targets_.Y.n_cols; ++c) {
      const double offset = state_[at(targets_.Y.n_cols * n_ + c)];
      sum += sum_tiles(Tiles::of_rows(n_, kTileRows), [&](std::int64_t begin, std::int64_t end) {
        double part = 0.0;
        for (std::int64_t i = begin; i < end; ++i) {
          const double r = state_[at(c * n_ + i)] + offset;
          part += weight(i) * r * r;
        }
        return part;
      });
    }
    return sum;
  }
  std::span<double> state() override { return state_; }

 private:
  double weight(std::int64_t i) const {
    return targets_.weight.empty() ? 1.0 : targets_.weight[at(i)];
  }

  CsrView<T, Index> Xt_;
  const Targets& targets_;
  std::vector<std::int64_t> cols_;
  std::vector<double> state_;
  std::int64_t n_;
};

template <class T, class Index>
class SparseColumns final : public Columns {
 public:
  SparseColumns(CsrView<T, Index> Xt, const Targets& targets) : Xt_(Xt), targets_(targets) {
    total_ = targets.weight.empty() ? static_cast<double>(Xt.n_cols) : sum_of_rows(targets.weight);
  }

  std::int64_t n_rows() const override { return Xt_.n_cols; }
  std::int64_t n_features() const override { return Xt_.n_rows(); }
  std::int64_t n_targets() const override { return targets_.Y.n_cols; }
  std::int64_t max_gram_size() const override {
    return std::clamp(2 * n_rows(), kMinGramSize, kMaxGramSize);
  }

  bool can_skip() const override { return true; }

  ColumnSums sums(const Context& ctx) const override {
    const std::int64_t p = n_features();
    ColumnSums out{std::vector<double>(at(p)), std::vector<double>(at(p * n_targets()))};
    out.yy = slopes({}, {}, out.cross.data(), ctx);
    for (std::int64_t j = 0; j < p; ++j) {
      const auto column = Xt_.row(j);
      const double mean = targets_.mean_x[at(j)];
      const auto weight_at = [&](std::size_t e) { return weight(column.cols[e]); };
      const double present = sum_entries(column, weight_at);
      double sum = sum_entries(column, [&](std::size_t e) {
        const double d = static_cast<double>(column.values[e]) - mean;
        return weight_at(e) * d * d;
      });
      sum += std::max(total_ - present, 0.0) * mean * mean;  // the zeros
      out.squares[at(j)] = square_or_zero(sum, mean, total_);
    }
    return out;
  }

  double slopes(const ActiveCoef& coef, std::span<const char> skipped, double* slope,
                const Context& ctx) const override {
    const std::int64_t n = n_rows();
    const std::int64_t p = n_features();
    const std::vector<double> r = residuals(coef);
    std::vector<double> wr(r.size());
    std::vector<double> wr_sum(at(n_targets()));
    double rr = 0.0;
    for (std::int64_t c = 0; c < n_targets(); ++c) {
      for (std::int64_t i = 0; i < n; ++i) wr[at(c * n + i)] = weight(i) * r[at(c * n + i)];
      wr_sum[at(c)] = sum_of_rows(std::span(wr).subspan(at(c * n), at(n)));
      rr += sum_tiles(Tiles::of_rows(n, kTileRows), [&](std::int64_t begin, std::int64_t end) {
        return std::inner_product(wr.begin() + c * n + begin, wr.begin() + c * n + end,
                                  r.begin() + c * n + begin, 0.0);
      });
    }
    const auto chunks = Chunks::of_rows(p, 1024);
    const double cost = kEntryNs * static_cast<double>((Xt_.n_stored() + p) * n_targets());
    parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
      for (std::int64_t j = chunks.begin(chunk); j < chunks.end(chunk); ++j) {
        if (!skipped.empty() && skipped[at(j)]) continue;
        const auto column = Xt_.row(j);
        for (std::int64_t c = 0; c < n_targets(); ++c) {
          const double* values = wr.data() + c * n;
          const double sum = sum_entries(column, [&](std::size_t e) {
            return static_cast<double>(column.values[e]) * values[column.cols[e]];
          });
          slope[c * p + j] = sum - targets_.mean_x[at(j)] * wr_sum[at(c)];
        }
      }
    });
    return rr;
  }

  void extend_gram(std::span<const std::int64_t> cols, std::int64_t first, double* gram,
                   std::int64_t ld, const Context& ctx) const override {
    const auto size = static_cast<std::int64_t>(cols.size());
    const auto chunks = Chunks::of_rows(size - first, 16);
    const double length = static_cast<double>(Xt_.n_stored()) /
                          static_cast<double>(std::max<std::int64_t>(n_features(), 1));
    const double cost = kEntryNs * static_cast<double>(size * (size - first)) * (length + 1.0);
    parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
      std::vector<double> scattered(at(n_rows()), 0.0);
      for (std::int64_t l = first + chunks.begin(chunk); l < first + chunks.end(chunk); ++l) {
        ctx.check();
        const auto column = Xt_.row(cols[at(l)]);
        for (std::size_t e = 0; e < column.cols.size(); ++e)
          scattered[at(column.cols[e])] +=
              weight(column.cols[e]) * static_cast<double>(column.values[e]);
        const double mean = total_ * targets_.mean_x[at(cols[at(l)])];
        for (std::int64_t k = 0; k <= l; ++k) {
          const auto other = Xt_.row(cols[at(k)]);
          const double sum = sum_entries(other, [&](std::size_t e) {
            return static_cast<double>(other.values[e]) * scattered[at(other.cols[e])];
          });
          gram[k * ld + l] = gram[l * ld + k] = sum - mean * targets_.mean_x[at(cols[at(k)])];
        }
        for (const Index i : column.cols) scattered[at(i)] = 0.0;
      }
    });
  }

  std::unique_ptr<ResidualSpace> residual_space(std::span<const std::int64_t> cols,
                                                const ActiveCoef& coef,
                                                const Context&) const override {
    std::vector<double> state = residuals(coef);
    state.resize(state.size() + at(n_targets()), 0.0);
    return std::make_unique<SparseResidualSpace<T, Index>>(Xt_, targets_, cols, std::move(state));
  }

 private:
  double weight(std::int64_t i) const {
    return targets_.weight.empty() ? 1.0 : targets_.weight[at(i)];
  }

  std::vector<double> residuals(const ActiveCoef& coef) const {
    const std::int64_t n = n_rows();
    std::vector<double> r(at(n * n_targets()));
    for (std::int64_t c = 0; c < n_targets(); ++c) {
      double offset = -targets_.mean_y[at(c)];
      double* out = r.data() + c * n;
      for (std::int64_t k = 0; k < coef.size(); ++k)
        offset += coef.values[at(c * coef.size() + k)] * targets_.mean_x[at(coef.cols[at(k)])];
      for (std::int64_t i = 0; i < n; ++i) out[i] = targets_.Y(i, c) + offset;
      for (std::int64_t k = 0; k < coef.size(); ++k) {
        const auto column = Xt_.row(coef.cols[at(k)]);
        const double v = coef.values[at(c * coef.size() + k)];
        for (std::size_t e = 0; e < column.cols.size(); ++e)
          out[column.cols[e]] -= v * static_cast<double>(column.values[e]);
      }
    }
    return r;
  }

  CsrView<T, Index> Xt_;
  Targets targets_;
  double total_ = 0.0;  // of the weights
};

}  // namespace

template <class T, class Index>
std::unique_ptr<Columns> sparse_columns(CsrView<T, Index> Xt, const Targets& targets) {
  return std::make_unique<SparseColumns<T, Index>>(Xt, targets);
}

#define GRAMIAN_INSTANTIATE(T, Index) \
  template std::unique_ptr<Columns> sparse_columns(CsrView<T, Index>, const Targets&);
GRAMIAN_FOR_EACH_SPARSE(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

std::unique_ptr<Columns> columns_of(const AnyMatrix& X, const Targets& targets) {
  return std::visit(
      [&]<class View>(const View& columns) {
        if constexpr (kIsSparse<View>)
          return sparse_columns(columns, targets);
        else
          return dense_columns(columns, targets);
      },
      X);
}

}  // namespace gramian::solve
