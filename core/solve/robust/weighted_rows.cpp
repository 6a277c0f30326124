#include "solve/robust/weighted_rows.hpp"

namespace gramian::solve {

WeightedRows::WeightedRows(const AnyMatrix& X, bool fit_intercept)
    : X_(X), shift_(static_cast<std::size_t>(n_cols_of(X)), 0.0) {
  if (!fit_intercept) return;
  const std::vector<double> zero(static_cast<std::size_t>(n_rows()), 0.0);
  std::vector<double> mean_of_zero(1);
  with(zero, {})->guess_means(shift_, mean_of_zero);
}

linalg::Moments WeightedRows::moments(std::span<const double> weight,
                                      std::span<const double> target, const Context& ctx) const {
  const double zero = 0.0;
  return with(target, weight)->moments(shift_, {&zero, 1}, ctx);
}

void WeightedRows::residuals(std::span<const double> y, std::span<const double> coef, double b,
                             std::span<double> out, const Context& ctx) const {
  with(y, {})->gradient({coef, shift_, {&b, 1}}, out.data(), ctx);
}

std::vector<double> WeightedRows::transposed_times(std::span<const double> u,
                                                   const Context& ctx) const {
  const std::vector<double> at_zero(shift_.size(), 0.0);
  const double zero = 0.0;
  return with(u, {})->gradient({at_zero, shift_, {&zero, 1}}, nullptr, ctx).values;
}

std::unique_ptr<linalg::Design> WeightedRows::with(std::span<const double> target,
                                                   std::span<const double> weight) const {
  return linalg::design_of(X_, {target.data(), n_rows(), 1}, weight);
}

}  // namespace gramian::solve
