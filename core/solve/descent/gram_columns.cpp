// Columns known by their moments alone: nothing here depends on the number of rows.
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "parallel/parallel_for.hpp"
#include "solve/descent/columns.hpp"
#include "solve/descent/coordinate_descent_kernel.hpp"

namespace gramian::solve {
namespace {

constexpr double kEntryNs = 0.3;

class GramColumns final : public Columns {
 public:
  GramColumns(MatrixView<const double> gram, MatrixView<const double> cross, double yy,
              std::int64_t n_rows)
      : gram_(gram), cross_(cross), yy_(yy), n_rows_(n_rows) {}

  std::int64_t n_rows() const override { return n_rows_; }
  std::int64_t n_features() const override { return gram_.n_cols; }
  std::int64_t n_targets() const override { return cross_.n_cols; }
  std::int64_t max_gram_size() const override { return gram_.n_cols; }

  bool can_skip() const override { return false; }

  ColumnSums sums(const Context&) const override {
    const std::int64_t p = n_features();
    ColumnSums out;
    out.yy = yy_;
    for (std::int64_t j = 0; j < p; ++j) out.squares.push_back(std::max(gram_(j, j), 0.0));
    for (std::int64_t c = 0; c < n_targets(); ++c)
      for (std::int64_t j = 0; j < p; ++j) out.cross.push_back(cross_(j, c));
    return out;
  }

  double slopes(const ActiveCoef& coef, std::span<const char>, double* slope,
                const Context& ctx) const override {
    const std::int64_t p = n_features();
    const std::int64_t s = coef.size();
    const auto chunks = Chunks::of_rows(p, 512);
    const double cost = kEntryNs * static_cast<double>(p * (s + 1) * n_targets());
    parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
      const std::int64_t begin = chunks.begin(chunk);
      const std::int64_t length = chunks.end(chunk) - begin;
      for (std::int64_t c = 0; c < n_targets(); ++c) {
        double* out = slope + c * p + begin;
        for (std::int64_t j = 0; j < length; ++j) out[j] = cross_(begin + j, c);
        for (std::int64_t k = 0; k < s; ++k)
          GRAMIAN_DISPATCH(subtract_column, &gram_(coef.cols[static_cast<std::size_t>(k)], begin),
                           0.0, coef.values[static_cast<std::size_t>(c * s + k)], length, out);
      }
    });
    double rr = yy_;
    for (std::int64_t c = 0; c < n_targets(); ++c)
      for (std::int64_t k = 0; k < s; ++k) {
        const std::int64_t j = coef.cols[static_cast<std::size_t>(k)];
        rr -= coef.values[static_cast<std::size_t>(c * s + k)] * (cross_(j, c) + slope[c * p + j]);
      }
    return std::max(rr, 0.0);
  }

  void extend_gram(std::span<const std::int64_t> cols, std::int64_t first, double* gram,
                   std::int64_t ld, const Context&) const override {
    const auto size = static_cast<std::int64_t>(cols.size());
    for (std::int64_t k = 0; k < size; ++k) {
      const double* row = &gram_(cols[static_cast<std::size_t>(k)], 0);
      for (std::int64_t l = k < first ? first : 0; l < size; ++l)
        gram[k * ld + l] = row[cols[static_cast<std::size_t>(l)]];
    }
  }

  std::unique_ptr<ResidualSpace> residual_space(std::span<const std::int64_t>, const ActiveCoef&,
                                                const Context&) const override {
    throw std::logic_error("a Gram matrix has no residuals");
  }

 private:
  MatrixView<const double> gram_;
  MatrixView<const double> cross_;
  double yy_;
  std::int64_t n_rows_;
};

}  // namespace

std::unique_ptr<Columns> gram_columns(MatrixView<const double> gram, MatrixView<const double> cross,
                                      double yy, std::int64_t n_rows) {
  return std::make_unique<GramColumns>(gram, cross, yy, n_rows);
}

double square_or_zero(double square, double mean, double weight) {
  constexpr double kRounding = 1e-15;
  const double floor = kRounding * mean;
  return square > floor * floor * weight ? square : 0.0;
}

}  // namespace gramian::solve
