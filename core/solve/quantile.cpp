#include "solve/quantile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "solve/newton_system.hpp"
#include "solve/row_sums.hpp"

namespace gramian::solve {
namespace {

constexpr double kNearBoundary = 0.99995;  // of the way to it
constexpr double kFirstSlack = 0.5;        // of the mean absolute residual

class Solver {
 public:
  Solver(const WeightedRows& X, std::span<const double> y, std::span<const double> weight,
         const QuantileOptions& options, const Context& ctx)
      : X_(X),
        options_(options),
        ctx_(ctx),
        n_(X.n_rows()),
        p_(X.n_features()),
        n_all_(n_ + (options.penalty > 0.0 ? p_ : 0)),
        y_(y) {
    for (auto* rows : {&x_, &s_, &above_, &below_, &residual_, &scaling_, &image_, &work_, &dx_})
      rows->assign(at(n_all_), 0.0);
    for (std::int64_t i = 0; i < n_; ++i) {
      const double w = weight.empty() ? 1.0 : weight[at(i)];
      s_[at(i)] = options_.quantile * w;
      x_[at(i)] = (1.0 - options_.quantile) * w;
    }
    for (std::int64_t i = n_; i < n_all_; ++i) s_[at(i)] = x_[at(i)] = options_.penalty;
    goals_.assign(2 * x_.size(), 0.0);
    lower_ = x_;
    upper_ = s_;
    theta_.assign(at(p_ + 1), 0.0);
  }

  QuantileResult run() {
    QuantileResult result;
    start();
    while (true) {
      result.gap = relative_gap();
      result.converged = result.gap <= options_.tol;
      if (result.converged || result.n_iter >= options_.max_iter || ctx_.expired()) break;
      if (!step()) break;
      ++result.n_iter;
    }
    finish(result);
    return result;
  }

 private:
  std::span<const double> data_rows(const std::vector<double>& rows) const {
    return {rows.data(), at(n_)};
  }

  // Least squares, and room for both parts of every residual.
  void start() {
    std::copy(y_.begin(), y_.end(), residual_.begin());
    for (std::int64_t i = 0; i < n_; ++i) scaling_[at(i)] = x_[at(i)] + s_[at(i)];
    const double total = std::accumulate(scaling_.begin(), scaling_.end(), 0.0);
    // A little of the penalty, so that the start exists for dependent columns too.
    for (std::int64_t i = n_; i < n_all_; ++i) scaling_[at(i)] = 1e-6 * total;
    std::vector<double> first(at(p_ + 1), 0.0);
    if (predict(first)) theta_ = first;
    refresh_residuals();
    const auto sums = sum_rows<1>(
        n_all_, [&](std::size_t i, auto& sum) { sum[0] += std::abs(residual_[i]); }, ctx_);
    const double slack = std::max(kFirstSlack * sums[0] / static_cast<double>(n_all_), 1e-300);
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      above_[i] = std::max(residual_[i], 0.0) + slack;
      below_[i] = std::max(-residual_[i], 0.0) + slack;
    }
  }

  void refresh_residuals() {
    X_.residuals(y_, coef_of(theta_), theta_.back(), {residual_.data(), at(n_)}, ctx_);
    for (std::int64_t j = 0; j < n_all_ - n_; ++j) residual_[at(n_ + j)] = -theta_[at(j)];
  }

  std::span<const double> coef_of(const std::vector<double>& theta) const {
    return {theta.data(), at(p_)};
  }

  // Complementarity: the duality gap, for both points are feasible.
  double gap() const {
    return sum_rows<1>(
        n_all_, [&](std::size_t i, auto& sum) { sum[0] += x_[i] * below_[i] + s_[i] * above_[i]; },
        ctx_)[0];
  }

  double relative_gap() const {
    const double objective = sum_rows<1>(
        n_all_,
        [&](std::size_t i, auto& sum) {
          const double r = residual_[i];
          sum[0] += r > 0.0 ? upper_[i] * r : -lower_[i] * r;
        },
        ctx_)[0];
    const double left = gap();
    return left / std::max(objective, 1e-300);
  }

  // Factorises A' D A, and solves with A' D r for the predictor; false if it cannot.
  bool predict(std::vector<double>& direction) {
    const linalg::Moments m = X_.moments(data_rows(scaling_), data_rows(residual_), ctx_);
    const std::int64_t k = p_ + 1;
    Buffer<double> H = Buffer<double>::zeros(k * k);
    for (std::int64_t i = 0; i < p_; ++i) {
      std::copy_n(m.gram.data() + i * p_, p_, H.data() + i * k);
      direction[at(i)] = m.cross[i];
      if (options_.fit_intercept) H[i * k + p_] = H[p_ * k + i] = m.sum_x[at(i)];
    }
    for (std::int64_t j = 0; j < n_all_ - n_; ++j) {
      H[j * k + j] += scaling_[at(n_ + j)];
      direction[at(j)] += scaling_[at(n_ + j)] * residual_[at(n_ + j)];
    }
    if (options_.fit_intercept) {
      H[p_ * k + p_] = m.weight;
      direction[at(p_)] = m.sum_y[0];
    }
    system_.emplace(H, k, ctx_);
    if (!system_->is_solvable()) return false;
    system_->solve(direction);
    return is_finite(direction);
  }

  static bool is_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  }

  // image = A direction.
  void map(const std::vector<double>& direction) {
    std::fill(work_.begin(), work_.end(), 0.0);
    X_.residuals(data_rows(work_), coef_of(direction), direction.back(), {image_.data(), at(n_)},
                 ctx_);
    for (std::int64_t i = 0; i < n_; ++i) image_[at(i)] = -image_[at(i)];
    for (std::int64_t j = 0; j < n_all_ - n_; ++j) image_[at(n_ + j)] = direction[at(j)];
  }

  // A' work.
  std::vector<double> transposed_map() const {
    std::vector<double> out = X_.transposed_times(data_rows(work_), ctx_);
    for (std::int64_t j = 0; j < n_all_ - n_; ++j) out[at(j)] += work_[at(n_ + j)];
    const double sum =
        sum_rows<1>(n_, [&](std::size_t i, auto& total) { total[0] += work_[i]; }, ctx_)[0];
    out.push_back(options_.fit_intercept ? sum : 0.0);
    return out;
  }

  // The changes of the two parts of a residual that belong to the change dx of x.
  struct Parts {
    double above, below;
  };
  Parts affine_parts(std::size_t i) const {
    return {above_[i] * (dx_[i] / s_[i] - 1.0), -below_[i] * (dx_[i] / x_[i] + 1.0)};
  }

  // How far x, s (first) and the parts of the residuals (second) may go; parts_of(i) gives theirs.
  template <class PartsOf>
  std::array<double, 2> reach(const PartsOf& parts_of) const {
    const auto largest = max_rows<2>(
        n_all_,
        [&](std::size_t i, auto& ratio) {
          const Parts d = parts_of(i);
          ratio[0] = std::max({ratio[0], -dx_[i] / x_[i], dx_[i] / s_[i]});
          ratio[1] = std::max({ratio[1], -d.above / above_[i], -d.below / below_[i]});
        },
        ctx_);
    const auto length = [](double ratio) {
      return ratio > kNearBoundary ? kNearBoundary / ratio : 1.0;
    };
    return {length(largest[0]), length(largest[1])};
  }

  // The barrier that the corrector aims at: small if the predictor can go far.
  double centring() const {
    const auto affine = [&](std::size_t i) { return affine_parts(i); };
    const auto [primal, dual] = reach(affine);
    const auto sums = sum_rows<2>(
        n_all_,
        [&, primal = primal, dual = dual](std::size_t i, auto& s) {
          const Parts d = affine_parts(i);
          s[0] += x_[i] * below_[i] + s_[i] * above_[i];
          s[1] += (x_[i] + primal * dx_[i]) * (below_[i] + dual * d.below) +
                  (s_[i] - primal * dx_[i]) * (above_[i] + dual * d.above);
        },
        ctx_);
    const double ratio = std::max(sums[1], 0.0) / sums[0];
    return ratio * ratio * ratio * sums[0] / (2.0 * static_cast<double>(n_all_));
  }

  bool step() {
    for (std::size_t i = 0; i < x_.size(); ++i)
      scaling_[i] = 1.0 / (above_[i] / s_[i] + below_[i] / x_[i]);
    std::vector<double> direction(at(p_ + 1), 0.0);
    if (!predict(direction)) return false;
    map(direction);
    for (std::size_t i = 0; i < x_.size(); ++i) dx_[i] = scaling_[i] * (residual_[i] - image_[i]);
    const double barrier = centring();
    // What the products x below and s above must come to, second-order terms taken off.
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Parts d = affine_parts(i);
      goal_x(i) = barrier - dx_[i] * d.below;
      goal_s(i) = barrier + dx_[i] * d.above;
      work_[i] = scaling_[i] * target(i) + (x_[i] - lower_[i]);
    }
    direction = transposed_map();
    system_->solve(direction);
    if (!is_finite(direction)) return false;
    map(direction);
    for (std::size_t i = 0; i < x_.size(); ++i) dx_[i] = scaling_[i] * (target(i) - image_[i]);
    return move(direction);
  }

  double& goal_x(std::size_t i) { return goals_[2 * i]; }
  double& goal_s(std::size_t i) { return goals_[2 * i + 1]; }
  double goal_x(std::size_t i) const { return goals_[2 * i]; }
  double goal_s(std::size_t i) const { return goals_[2 * i + 1]; }
  double target(std::size_t i) const {
    return residual_[i] + goal_x(i) / x_[i] - goal_s(i) / s_[i];
  }

  bool move(const std::vector<double>& direction) {
    const auto parts = [&](std::size_t i) {
      return Parts{(goal_s(i) + above_[i] * dx_[i]) / s_[i] - above_[i],
                   (goal_x(i) - below_[i] * dx_[i]) / x_[i] - below_[i]};
    };
    const auto [primal, dual] = reach(parts);
    if (!(std::max(primal, dual) > 1e-10)) return false;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Parts d = parts(i);
      x_[i] += primal * dx_[i];
      s_[i] -= primal * dx_[i];
      above_[i] += dual * d.above;
      below_[i] += dual * d.below;
      residual_[i] -= dual * image_[i];
    }
    for (std::size_t j = 0; j < theta_.size(); ++j) theta_[j] += dual * direction[j];
    return true;
  }

  void finish(QuantileResult& result) const {
    result.coef.assign(theta_.begin(), theta_.end() - 1);
    result.intercept = theta_.back();
    for (std::int64_t j = 0; j < p_; ++j)
      result.intercept -= X_.shift()[at(j)] * result.coef[at(j)];
    if (!options_.fit_intercept) result.intercept = 0.0;
    result.dual.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) result.dual[i] = x_[i] - lower_[i];
  }

  const WeightedRows& X_;
  const QuantileOptions& options_;
  const Context& ctx_;
  std::int64_t n_;
  std::int64_t p_;
  std::int64_t n_all_;  // rows, then one for every penalised coefficient
  std::span<const double> y_;
  std::vector<double> lower_, upper_;  // slopes: -lower <= u <= upper
  std::vector<double> x_, s_;          // u + lower and upper - u
  std::vector<double> above_, below_;  // residual = above - below
  std::vector<double> residual_, scaling_, image_, work_, dx_;
  std::vector<double> goals_;  // of x below and of s above, in turn
  std::vector<double> theta_;  // coefficients, then the intercept about the shift
  std::optional<NewtonSystem> system_;
};

}  // namespace

QuantileResult fit_quantile(const WeightedRows& X, std::span<const double> y,
                            std::span<const double> weight, const QuantileOptions& options,
                            const Context& ctx) {
  return Solver(X, y, weight, options, ctx).run();
}

}  // namespace gramian::solve
