// Dense rows for passes, and the sums of a pass before the shift comes in: those of blocks of rows
// add up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

// Rows read once from memory; several outputs are a matter of arithmetic.
inline double dense_pass_ns(std::int64_t n, std::int64_t p, std::int64_t n_outputs) {
  const double losses = static_cast<double>(n * n_outputs);
  return static_cast<double>(n * p) * std::max(0.3, 0.1 * static_cast<double>(n_outputs)) + losses;
}
inline double dense_moments_ns(std::int64_t n, std::int64_t p) {
  return static_cast<double>(n * p) * (static_cast<double>(p) / 45.0 + 0.5);
}

struct RawSums {
  double value = 0.0;
  Buffer<double> products;
  std::vector<double> sums;    // of r, for each output
  std::vector<double> values;  // of OnBlock, for each output

  static RawSums zeros(std::int64_t n_features, std::int64_t n_outputs);
  RawSums& operator+=(const RawSums& next) {
    value += next.value;
    add_each(products, next.products);
    add_each(sums, next.sums);
    add_each(values, next.values);
    return *this;
  }

  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(&value, 1));
    use(std::span(products.data(), static_cast<std::size_t>(products.size())));
    use(std::span(sums));
    use(std::span(values));
  }

  // The products about the shift.
  PassSums about(std::span<const double> shift, std::int64_t n_outputs) &&;
};

template <class T>
class DenseRows final : public Rows {
 public:
  DenseRows(MatrixView<const T> X, std::vector<double> shift, Buffer<T> owned = {})
      : X_(X), shift_(std::move(shift)), owned_(std::move(owned)) {}

  std::int64_t n_rows() const override { return X_.n_rows; }
  std::int64_t n_features() const override { return X_.n_cols; }
  std::span<const double> shift() const override { return shift_; }

  PassSums pass(std::span<const double> params, std::int64_t n_outputs, const OnBlock& on_block,
                const Context& ctx) const override {
    return raw_pass(params, n_outputs, on_block, ctx).about(shift_, n_outputs);
  }
  RawSums raw_pass(std::span<const double> params, std::int64_t n_outputs, const OnBlock& on_block,
                   const Context& ctx) const {
    return n_outputs == 1 ? single_pass(params, on_block, ctx)
                          : multi_pass(params, n_outputs, on_block, ctx);
  }
  linalg::Moments moments(std::span<const double> d, const Context& ctx) const override {
    return linalg::DenseDesign<T>(X_, MatrixView<const double>(nullptr, X_.n_rows, 0), d)
        .moments(shift_, {}, ctx);
  }
  std::vector<double> squares(std::span<const double> d, const Context& ctx) const override;
  std::unique_ptr<Rows> sample(std::int64_t stride) const override {
    const std::int64_t count = (X_.n_rows + stride - 1) / stride;
    return std::make_unique<DenseRows>(
        MatrixView<const T>(X_.data, count, X_.n_cols, X_.row_stride * stride, X_.col_stride),
        shift_);
  }
  std::unique_ptr<Rows> columns(std::span<const std::int64_t> kept,
                                const Context& ctx) const override;
  double pass_ns(std::int64_t n_outputs) const override {
    return dense_pass_ns(X_.n_rows, X_.n_cols, n_outputs);
  }
  double moments_ns() const override { return dense_moments_ns(X_.n_rows, X_.n_cols); }

 private:
  RawSums single_pass(std::span<const double> params, const OnBlock& on_block,
                      const Context& ctx) const;
  RawSums multi_pass(std::span<const double> params, std::int64_t n_outputs,
                     const OnBlock& on_block, const Context& ctx) const;

  MatrixView<const T> X_;
  std::vector<double> shift_;
  Buffer<T> owned_;  // what X_ refers to, if nobody else holds it
};

}  // namespace gramian::solve
