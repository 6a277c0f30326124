#include "ensemble/boosting_loss.hpp"

#include <algorithm>
#include <cmath>

#include "loss/logistic.hpp"
#include "loss/pointwise_kernel.hpp"
#include "loss/robust.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::ensemble {
namespace {

constexpr std::int64_t kChunk = 1 << 12;

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

double weighted_quantile(std::vector<WeightedValue>& values, double share) {
  std::sort(values.begin(), values.end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  double total = 0.0;
  for (const WeightedValue& each : values) total += each.weight;
  const double wanted = share * total;
  double sum = 0.0;
  for (const WeightedValue& each : values) {
    sum += each.weight;
    if (sum >= wanted && sum > 0.0) return each.value;
  }
  return values.back().value;
}

void BoostingLoss::set_delta(std::span<const double> y, std::span<const double> z,
                             std::span<const double> weight) {
  if (kind_ != LossKind::huber) return;
  std::vector<WeightedValue> sizes(y.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    sizes[i] = {std::abs(y[i] - z[i]), weight_at(weight, i)};
  delta_ = weighted_quantile(sizes, alpha_);
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
  std::vector<WeightedValue> errors;
  errors.reserve(rows.size());
  for (const std::uint32_t row : rows) errors.push_back({y[row] - z[row], weight_at(weight, row)});
  if (kind_ == LossKind::quantile) return weighted_quantile(errors, alpha_);
  const double median = weighted_quantile(errors, 0.5);
  if (kind_ != LossKind::huber) return median;
  double sum = 0.0, total = 0.0;
  for (const WeightedValue& error : errors) {
    sum += error.weight * std::clamp(error.value - median, -delta_, delta_);
    total += error.weight;
  }
  return median + sum / total;
}

}  // namespace gramian::ensemble
