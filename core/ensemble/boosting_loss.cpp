#include "ensemble/boosting_loss.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "loss/logistic.hpp"
#include "loss/pointwise_kernel.hpp"
#include "loss/robust.hpp"
#include "loss/weighted_quantile.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::ensemble {
namespace {

using loss::quantile_of_rows;

constexpr std::int64_t kChunk = 1 << 12;
constexpr auto kMethod = loss::QuantileMethod::inverted_cdf;  // scikit-learn's, weights or none

double weight_at(std::span<const double> weight, std::size_t i) {
  return weight.empty() ? 1.0 : weight[i];
}

// log sum_k exp(z_k) of a row; `stride` numbers lie between two scores of it.
double log_sum_exp(const double* z, std::int64_t k, std::size_t stride) {
  double largest = z[0];
  for (std::int64_t j = 1; j < k; ++j)
    largest = std::max(largest, z[static_cast<std::size_t>(j) * stride]);
  double sum = 0.0;
  for (std::int64_t j = 0; j < k; ++j)
    sum += std::exp(z[static_cast<std::size_t>(j) * stride] - largest);
  return largest + std::log(sum);
}

}  // namespace

void BoostingLoss::set_delta(std::span<const double> y, std::span<const double> z,
                             std::span<const double> weight) {
  if (kind_ != LossKind::huber) return;
  delta_ = quantile_of_rows(std::views::iota(std::size_t{0}, y.size()), weight, alpha_, kMethod,
                            [&](std::size_t i) { return std::abs(y[i] - z[i]); });
}

double BoostingLoss::value(double y, double z) const {
  const double error = y - z;
  switch (kind_) {
    case LossKind::squared_error:
      return 0.5 * error * error;
    case LossKind::absolute_error:
      return std::abs(error);
    case LossKind::huber:
      return loss::Huber{delta_}.value(z, y);
    case LossKind::quantile:
      return error >= 0.0 ? alpha_ * error : (alpha_ - 1.0) * error;
    case LossKind::exponential:
      return y * std::exp(-z) + (1.0 - y) * std::exp(z);
    default:
      return loss::Logistic::value(z, y);
  }
}

double BoostingLoss::residual(double y, double z, std::int64_t k, double others) const {
  switch (kind_) {
    case LossKind::squared_error:
      return y - z;
    case LossKind::absolute_error:
      return y >= z ? 1.0 : -1.0;
    case LossKind::huber:
      return -loss::Huber{delta_}.derivative(z, y);
    case LossKind::quantile:
      return y >= z ? alpha_ : alpha_ - 1.0;
    case LossKind::logistic:
      return -loss::Logistic::derivative(z, y);
    case LossKind::multinomial:
      return -loss::Logistic::derivative(z - others, y == static_cast<double>(k) ? 1.0 : 0.0);
    case LossKind::exponential:
      return y * std::exp(-z) - (1.0 - y) * std::exp(z);
  }
  return 0.0;
}

void BoostingLoss::residuals(std::span<const double> y, std::span<const double> z,
                             std::span<double> out, const Context& ctx) const {
  if (kind_ == LossKind::multinomial) return multinomial_residuals(y, z, out, ctx);
  const auto n = static_cast<std::int64_t>(y.size());
  const Chunks chunks = Chunks::of_rows(n, kChunk);
  parallel_for(ctx, chunks.count(), 4.0 * static_cast<double>(n), [&](std::int64_t c) {
    const auto begin = static_cast<std::size_t>(chunks.begin(c));
    const auto end = static_cast<std::size_t>(chunks.end(c));
    if (kind_ == LossKind::logistic) {
      const LossBlock block{
          z.data() + begin,   y.data() + begin, nullptr, static_cast<std::int64_t>(end - begin),
          out.data() + begin, nullptr};
      GRAMIAN_DISPATCH(evaluate_losses, PointwiseLoss::logistic, 0.0, block);
      for (std::size_t i = begin; i < end; ++i) out[i] = -out[i];
      return;
    }
    for (std::size_t i = begin; i < end; ++i) out[i] = residual(y[i], z[i], 0, 0.0);
  });
}

void BoostingLoss::multinomial_residuals(std::span<const double> y, std::span<const double> z,
                                         std::span<double> out, const Context& ctx) const {
  const std::size_t n = y.size(), n_outputs = static_cast<std::size_t>(n_outputs_);
  const Chunks chunks = Chunks::of_rows(static_cast<std::int64_t>(n), kChunk);
  const double cost_ns = 20.0 * static_cast<double>(z.size());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t c) {
    for (auto i = static_cast<std::size_t>(chunks.begin(c));
         i < static_cast<std::size_t>(chunks.end(c)); ++i) {
      double largest = z[i], sum = 0.0;
      for (std::size_t k = 1; k < n_outputs; ++k) largest = std::max(largest, z[k * n + i]);
      for (std::size_t k = 0; k < n_outputs; ++k)
        sum += out[k * n + i] = std::exp(z[k * n + i] - largest);
      for (std::size_t k = 0; k < n_outputs; ++k)
        out[k * n + i] = (y[i] == static_cast<double>(k) ? 1.0 : 0.0) - out[k * n + i] / sum;
    }
  });
}

double BoostingLoss::mean(std::span<const double> y, std::span<const double> z,
                          std::span<const double> weight, const Context& ctx) const {
  if (kind_ == LossKind::multinomial) return mean_multinomial(y, z, weight);
  struct Sums {
    double loss = 0.0, weight = 0.0;
  };
  const auto n = static_cast<std::int64_t>(y.size());
  const Sums sums = parallel_reduce(
      ctx, Chunks::of_rows(n, kChunk), 4.0 * static_cast<double>(n),
      [&](std::int64_t begin, std::int64_t end) {
        Sums part;
        const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
        for (std::size_t i = from; i < to; ++i) part.weight += weight_at(weight, i);
        if (kind_ == LossKind::logistic) {
          std::vector<double> derivative(to - from);
          const LossBlock block{
              z.data() + from, y.data() + from,   weight.empty() ? nullptr : weight.data() + from,
              end - begin,     derivative.data(), nullptr};
          part.loss = GRAMIAN_DISPATCH(evaluate_losses, PointwiseLoss::logistic, 0.0, block);
        } else {
          for (std::size_t i = from; i < to; ++i)
            part.loss += weight_at(weight, i) * value(y[i], z[i]);
        }
        return part;
      },
      [](Sums& total, const Sums& next) {
        total.loss += next.loss;
        total.weight += next.weight;
      });
  return sums.loss / sums.weight;
}

double BoostingLoss::mean_multinomial(std::span<const double> y, std::span<const double> z,
                                      std::span<const double> weight) const {
  const std::size_t n = y.size();
  double sum = 0.0, total = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weight_at(weight, i);
    const double own = z[static_cast<std::size_t>(y[i]) * n + i];
    sum += w * (log_sum_exp(z.data() + i, n_outputs_, n) - own);
    total += w;
  }
  return sum / total;
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
    if (kind_ == LossKind::exponential) {
      curvature += w * (y[row] == 0.0 ? -r : r);
      continue;
    }
    const bool is_own = kind_ == LossKind::multinomial && y[row] == static_cast<double>(k);
    const double own = kind_ == LossKind::multinomial ? (is_own ? 1.0 : 0.0) : y[row];
    const double p = own - r;
    curvature += w * p * (1.0 - p);
  }
  if (!(std::abs(curvature / total) >= kZero)) return 0.0;
  const double step = slope / curvature;
  // Friedman's factor for K scores of which one is too many.
  const auto n = static_cast<double>(n_outputs_);
  return kind_ == LossKind::multinomial ? step * (n - 1.0) / n : step;
}

double BoostingLoss::best_step(std::span<const double> y, std::span<const double> z,
                               std::span<const double> weight, std::span<const double> residual,
                               std::span<const std::uint32_t> rows, std::int64_t k) const {
  if (kind_ == LossKind::logistic || kind_ == LossKind::multinomial ||
      kind_ == LossKind::exponential)
    return newton_step(y, weight, residual, rows, k);
  const double level = kind_ == LossKind::quantile ? alpha_ : 0.5;
  const double found = quantile_of_rows(rows, weight, level, kMethod,
                                        [&](std::uint32_t row) { return y[row] - z[row]; });
  if (kind_ != LossKind::huber) return found;
  double sum = 0.0, total = 0.0;
  for (const std::uint32_t row : rows) {
    const double w = weight_at(weight, row);
    sum += w * std::clamp(y[row] - z[row] - found, -delta_, delta_);
    total += w;
  }
  return found + sum / total;
}

}  // namespace gramian::ensemble
