// Rows x_i - a of a table, reweighted from step to step: what the robust solvers ask of the data.
// The shift a is near the means of the columns, so that a constant column beside them does no harm;
// it is zero without an intercept, and for sparse rows, whose zeros stay zeros.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "linalg/moments.hpp"

namespace gramian::solve {

class WeightedRows {
 public:
  // The rows of a sparse X name no column twice.
  WeightedRows(const AnyMatrix& X, bool fit_intercept);

  std::int64_t n_rows() const { return n_rows_of(X_); }
  std::int64_t n_features() const { return n_cols_of(X_); }
  std::span<const double> shift() const { return shift_; }

  // Moments about (a, 0) of the rows and one target, with these weights >= 0.
  linalg::Moments moments(std::span<const double> weight, std::span<const double> target,
                          const Context& ctx) const;

  // out_i = y_i - b - (x_i - a)' coef.
  void residuals(std::span<const double> y, std::span<const double> coef, double b,
                 std::span<double> out, const Context& ctx) const;

  // sum_i u_i (x_i - a).
  std::vector<double> transposed_times(std::span<const double> u, const Context& ctx) const;

 private:
  std::unique_ptr<linalg::Design> with(std::span<const double> target,
                                       std::span<const double> weight) const;

  AnyMatrix X_;
  std::vector<double> shift_;
};

}  // namespace gramian::solve
