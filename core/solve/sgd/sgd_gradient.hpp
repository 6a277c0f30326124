// The rows of one target, and the gradient of the loss over all of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "loss/hinge.hpp"
#include "loss/logistic.hpp"
#include "loss/robust.hpp"
#include "loss/squared.hpp"
#include "parallel/tiles.hpp"
#include "solve/sgd/sgd.hpp"
#include "solve/sgd/sgd_weights.hpp"

namespace gramian::solve {

// Targets and weights as the loss takes them: classes are 1 and -1, or 1 and 0 for the log loss.
class SgdSamples {
 public:
  SgdSamples(const SgdProblem& problem, const SgdOptions& options, std::int64_t target)
      : y_(problem.y), weight_(problem.weight), is_validation_(problem.is_validation) {
    if (problem.is_classification) encode(problem, options, target);
    n_train_ = static_cast<std::int64_t>(y_.size()) -
               std::count_if(is_validation_.begin(), is_validation_.end(),
                             [](std::uint8_t is_out) { return is_out != 0; });
  }
  SgdSamples(const SgdSamples&) = delete;
  SgdSamples& operator=(const SgdSamples&) = delete;

  double y(std::int64_t i) const { return y_[at(i)]; }
  double weight(std::int64_t i) const { return weight_.empty() ? 1.0 : weight_[at(i)]; }
  bool is_validation(std::int64_t i) const {
    return !is_validation_.empty() && is_validation_[at(i)] != 0;
  }
  bool has_validation() const { return !is_validation_.empty(); }
  std::int64_t n_train() const { return n_train_; }

  GRAMIAN_PREFETCHES void prefetch(std::int64_t i) const {
    __builtin_prefetch(y_.data() + i);
    if (!weight_.empty()) __builtin_prefetch(weight_.data() + i);
  }

 private:
  void encode(const SgdProblem& problem, const SgdOptions& options, std::int64_t target) {
    const std::int64_t n_targets = problem.class_weight.n_rows;
    const auto positive = static_cast<double>(n_targets == 1 ? 1 : target);
    const double negative = options.loss == SgdLoss::log_loss ? 0.0 : -1.0;
    const double of_positive = problem.class_weight(target, 1);
    const double of_negative = problem.class_weight(target, 0);
    const std::size_t n = y_.size();
    own_y_.resize(n);
    for (std::size_t i = 0; i < n; ++i) own_y_[i] = y_[i] == positive ? 1.0 : negative;
    if (of_positive != 1.0 || of_negative != 1.0) {
      own_weight_.resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double w = y_[i] == positive ? of_positive : of_negative;
        own_weight_[i] = weight_.empty() ? w : w * weight_[i];
      }
      weight_ = own_weight_;
    }
    y_ = own_y_;
  }

  std::span<const double> y_, weight_;
  std::span<const std::uint8_t> is_validation_;
  std::vector<double> own_y_, own_weight_;
  std::int64_t n_train_ = 0;
};

// A derivative, limited so that one outlier cannot overflow the weights.
inline double limited(double derivative) {
  constexpr double kMax = 1e12;
  return std::clamp(derivative, -kMax, kMax);
}

// Sums over rows: of the loss, weighted or not, of the weighted gradient, and if asked for of the
// norms of the rows' weighted gradients (coefficients and intercept).
struct GradientSums {
  double loss = 0.0;
  double weighted_loss = 0.0;
  double norms = 0.0;
  double intercept = 0.0;
  Buffer<double> coef;  // padded

  void add(const GradientSums& other) {
    loss += other.loss;
    weighted_loss += other.weighted_loss;
    norms += other.norms;
    intercept += other.intercept;
    add_each(coef, other.coef);
  }
};

// Calls function(loss) with the loss that the options name.
template <class Function>
auto with_loss(const SgdOptions& options, Function&& function) {
  const double parameter = options.loss_parameter;
  switch (options.loss) {
    case SgdLoss::hinge:
      return function(loss::Hinge{parameter});
    case SgdLoss::squared_hinge:
      return function(loss::SquaredHinge{});
    case SgdLoss::modified_huber:
      return function(loss::ModifiedHuber{});
    case SgdLoss::log_loss:
      return function(loss::Logistic{});
    case SgdLoss::huber:
      return function(loss::Huber{parameter});
    case SgdLoss::epsilon_insensitive:
      return function(loss::EpsilonInsensitive{parameter});
    case SgdLoss::squared_epsilon_insensitive:
      return function(loss::SquaredEpsilonInsensitive{parameter});
    case SgdLoss::squared_error:
      break;
  }
  return function(loss::Squared{});
}

// The loss of a row and its derivative, as a function that is chosen at run time: what is not hot
// is then compiled once for all losses.
struct LossAt {
  double value;
  double derivative;
};
using RowLoss = std::function<LossAt(double p, double y)>;

inline RowLoss row_loss(const SgdOptions& options) {
  return with_loss(options, [](const auto& loss) -> RowLoss {
    return [loss](double p, double y) { return LossAt{loss.value(p, y), loss.derivative(p, y)}; };
  });
}

// So many rows that a tile's sums, a number for each column, cost little beside them.
inline Tiles gradient_tiles(std::int64_t n_rows, std::int64_t n_cols) {
  constexpr std::int64_t kLeastRows = 4096, kColumnsPerRow = 16;
  const auto rows = static_cast<std::uint64_t>(std::max(kLeastRows, n_cols / kColumnsPerRow));
  return Tiles::of_rows(n_rows, static_cast<std::int64_t>(std::bit_ceil(rows)));
}

template <class Rows>
GradientSums whole_gradient(const Rows& rows, const RowLoss& loss, const SgdSamples& samples,
                            const SgdWeights& weights, double intercept, bool with_norms,
                            const Context& ctx) {
  constexpr double kEntryNs = 0.5;
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    GradientSums sums;
    sums.coef = Buffer<double>::zeros(padded_size(rows.n_cols()));
    for (std::int64_t i = begin; i < end; ++i) {
      if (i % 256 == 0) ctx.check();
      if (samples.is_validation(i)) continue;
      const auto row = rows.row(i);
      const double p = weights.dot(row) + intercept;
      const auto [value, derivative] = loss(p, samples.y(i));
      const double slope = samples.weight(i) * limited(derivative);
      sums.loss += value;
      sums.weighted_loss += samples.weight(i) * value;
      sums.intercept += slope;
      if (slope == 0.0) continue;
      row.add(slope, sums.coef.data(), false);
      if (with_norms) sums.norms += std::abs(slope) * std::sqrt(row.squared_norm() + 1.0);
    }
    return sums;
  };
  const std::int64_t n = rows.n_rows();
  const double cost_ns = kEntryNs * static_cast<double>(n * rows.entries_per_row());
  return parallel_reduce(ctx, gradient_tiles(n, rows.n_cols()), cost_ns, of_tile,
                         [](GradientSums& total, const GradientSums& next) { total.add(next); });
}

}  // namespace gramian::solve
