// Rows x_i - a of a table, reweighted from step to step: what the robust solvers ask of the data.
// The shift a is near the means of the columns, so that a constant column beside them does no harm;
// it is zero without an intercept, and for sparse rows, whose zeros stay zeros.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "linalg/moments.hpp"

namespace gramian::solve {

class WeightedRows {
 public:
  virtual ~WeightedRows() = default;
  virtual std::int64_t n_rows() const = 0;
  virtual std::int64_t n_features() const = 0;

  // Moments about (a, 0) of the rows and one target, with these weights >= 0.
  virtual linalg::Moments moments(std::span<const double> weight, std::span<const double> target,
                                  const Context& ctx) const = 0;

  // out_i = y_i - b - (x_i - a)' coef.
  virtual void residuals(std::span<const double> y, std::span<const double> coef, double b,
                         std::span<double> out, const Context& ctx) const = 0;

  // sum_i u_i (x_i - a).
  virtual std::vector<double> transposed_times(std::span<const double> u,
                                               const Context& ctx) const = 0;

  std::span<const double> shift() const { return shift_; }

 protected:
  std::vector<double> shift_;
};

// Rows: MatrixView<const T> or CsrView<T, Index>, whose rows name no column twice.
template <class Rows>
class RowsOf final : public WeightedRows {
 public:
  RowsOf(const Rows& X, bool fit_intercept) : X_(X) {
    const std::vector<double> zero(static_cast<std::size_t>(n_rows()), 0.0);
    const auto design = of(zero, {});
    shift_.assign(static_cast<std::size_t>(n_features()), 0.0);
    std::vector<double> mean_of_zero(1);
    if (fit_intercept) design.guess_means(shift_, mean_of_zero);
  }

  std::int64_t n_rows() const override {
    if constexpr (kIsDense)
      return X_.n_rows;
    else
      return X_.n_rows();
  }
  std::int64_t n_features() const override { return X_.n_cols; }

  linalg::Moments moments(std::span<const double> weight, std::span<const double> target,
                          const Context& ctx) const override {
    const double zero = 0.0;
    return of(target, weight).moments(shift_, {&zero, 1}, ctx);
  }

  void residuals(std::span<const double> y, std::span<const double> coef, double b,
                 std::span<double> out, const Context& ctx) const override {
    of(y, {}).gradient({coef, shift_, {&b, 1}}, out.data(), ctx);
  }

  std::vector<double> transposed_times(std::span<const double> u,
                                       const Context& ctx) const override {
    const std::vector<double> at_zero(shift_.size(), 0.0);
    const double zero = 0.0;
    return of(u, {}).gradient({at_zero, shift_, {&zero, 1}}, nullptr, ctx).values;
  }

 private:
  template <class>
  struct Storage;
  template <class T>
  struct Storage<MatrixView<const T>> {
    using Design = linalg::DenseDesign<T>;
    static constexpr bool is_dense = true;
  };
  template <class T, class Index>
  struct Storage<CsrView<T, Index>> {
    using Design = linalg::CsrDesign<T, Index>;
    static constexpr bool is_dense = false;
  };
  static constexpr bool kIsDense = Storage<Rows>::is_dense;

  typename Storage<Rows>::Design of(std::span<const double> target,
                                    std::span<const double> weight) const {
    return {X_, MatrixView<const double>(target.data(), n_rows(), 1), weight};
  }

  Rows X_;
};

}  // namespace gramian::solve
