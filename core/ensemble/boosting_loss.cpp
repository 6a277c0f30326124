#include "ensemble/boosting_loss.hpp"

#include <cmath>
#include <ranges>

#include "loss/weighted_quantile.hpp"

namespace gramian::ensemble {
namespace {

using loss::Kind;

constexpr auto kMethod = loss::QuantileMethod::inverted_cdf;  // scikit-learn's, weights or none

double weight_at(std::span<const double> weight, std::size_t i) {
  return weight.empty() ? 1.0 : weight[i];
}

}  // namespace

void BoostingLoss::set_delta(std::span<const double> y, std::span<const double> z,
                             std::span<const double> weight) {
  if (kind() != Kind::huber) return;
  objective_.parameter =
      loss::quantile_of_rows(std::views::iota(std::size_t{0}, y.size()), weight, alpha_, kMethod,
                             [&](std::size_t i) { return std::abs(y[i] - z[i]); });
}

void BoostingLoss::residuals(std::span<const double> y, std::span<const double> z,
                             std::span<double> out, const Context& ctx) const {
  objective_.differentiate(y, z, out, {}, ctx);
  for (double& each : out) each = -each;
}

double BoostingLoss::mean(std::span<const double> y, std::span<const double> z,
                          std::span<const double> weight, const Context& ctx) const {
  const loss::LossSum sum = objective_.sum(y, weight, z, ctx);
  return sum.loss / sum.weight;
}

double BoostingLoss::newton_step(std::span<const double> y, std::span<const double> weight,
                                 std::span<const double> residual,
                                 std::span<const std::uint32_t> rows, std::int64_t k) const {
  constexpr double kZero = 1e-150;
  double slope = 0.0, curvature = 0.0, total = 0.0;
  for (const std::uint32_t row : rows) {
    const double w = weight_at(weight, row), r = residual[row];
    slope += w * r;
    total += w;
    if (kind() == Kind::exponential) {
      curvature += w * (y[row] == 0.0 ? -r : r);
      continue;
    }
    const bool is_own = kind() == Kind::softmax && y[row] == static_cast<double>(k);
    const double own = kind() == Kind::softmax ? (is_own ? 1.0 : 0.0) : y[row];
    const double p = own - r;
    curvature += w * p * (1.0 - p);
  }
  if (!(std::abs(curvature / total) >= kZero)) return 0.0;
  const double step = slope / curvature;
  // Friedman's factor for K scores of which one is too many.
  const auto n = static_cast<double>(n_outputs());
  return kind() == Kind::softmax ? step * (n - 1.0) / n : step;
}

// Friedman's (2001) step from the median towards the minimum.
double BoostingLoss::huber_step(std::span<const double> y, std::span<const double> z,
                                std::span<const double> weight, std::span<const std::uint32_t> rows,
                                double median) const {
  const loss::Huber huber{objective_.parameter};
  double slope = 0.0, total = 0.0;
  for (const std::uint32_t row : rows) {
    const double w = weight_at(weight, row);
    slope += w * huber.derivative(median, y[row] - z[row]);
    total += w;
  }
  return median - slope / total;
}

double BoostingLoss::best_step(std::span<const double> y, std::span<const double> z,
                               std::span<const double> weight, std::span<const double> residual,
                               std::span<const std::uint32_t> rows, std::int64_t k) const {
  if (kind() == Kind::logistic || kind() == Kind::softmax || kind() == Kind::exponential)
    return newton_step(y, weight, residual, rows, k);
  const double level = kind() == Kind::pinball ? alpha_ : 0.5;
  const double found = loss::quantile_of_rows(rows, weight, level, kMethod,
                                              [&](std::uint32_t row) { return y[row] - z[row]; });
  return kind() == Kind::huber ? huber_step(y, z, weight, rows, found) : found;
}

}  // namespace gramian::ensemble
