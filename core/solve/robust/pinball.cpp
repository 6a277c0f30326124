#include "solve/robust/pinball.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/newton_system.hpp"
#include "solve/glm/row_sums.hpp"

namespace gramian::solve {
namespace {

constexpr double kNearBoundary = 0.99995;  // of the way to it
constexpr double kFirstSlack = 0.5;        // of the mean absolute residual
constexpr int kPatience = 8;               // steps that do not narrow the gap before giving up

class Solver {
 public:
  Solver(const WeightedRows& X, const PinballProblem& problem, const PinballOptions& options,
         const Context& ctx)
      : X_(X),
        problem_(problem),
        options_(options),
        ctx_(ctx),
        n_(X.n_rows()),
        p_(X.n_features()),
        n_data_(problem.dead_zone > 0.0 ? 2 * n_ : n_),
        n_all_(n_data_ + (problem.l1 > 0.0 ? p_ : 0)) {
    for (auto* rows :
         {&lower_, &upper_, &above_, &below_, &residual_, &scaling_, &image_, &work_, &dx_})
      rows->assign(at(n_all_), 0.0);
    for (std::int64_t i = 0; i < n_; ++i) {
      upper_[at(i)] = problem.above[at(i)];
      lower_[at(n_data_ - n_ + i)] = problem.below[at(i)];
    }
    for (std::int64_t i = n_data_; i < n_all_; ++i) upper_[at(i)] = lower_[at(i)] = problem.l1;
    x_ = lower_;
    s_ = upper_;
    for (std::size_t i = 0; i < x_.size(); ++i)  // u = 0 where that is not a bound
      if (!(x_[i] > 0.0 && s_[i] > 0.0)) x_[i] = s_[i] = 0.5 * (x_[i] + s_[i]);
    goals_.assign(2 * x_.size(), 0.0);
    theta_.assign(at(p_ + 1), 0.0);
    lag_.assign(at(p_ + 1), 0.0);
  }

  PinballResult run() {
    PinballResult result;
    start();
    while (true) {
      find_lag();
      keep_best(relative_gap());
      result.converged = best_.gap <= options_.tol;
      if (result.converged || result.n_iter >= options_.max_iter || ctx_.expired()) break;
      if (best_.age > kPatience || !step()) break;
      ++result.n_iter;
    }
    result.gap = best_.gap;
    finish(result);
    return result;
  }

 private:
  // The point with the least gap so far: where rounding rules, steps may lose it again.
  struct Best {
    double gap = std::numeric_limits<double>::infinity();
    int age = 0;  // steps since
    std::vector<double> theta, x;
  };
  void keep_best(double gap) {
    ++best_.age;
    if (gap < best_.gap || best_.x.empty()) best_ = {gap, 0, theta_, x_};
  }

  bool has_dead_zone() const { return n_data_ > n_; }
  bool is_quadratic() const { return problem_.l2 > 0.0; }
  double quadratic(std::size_t j) const {
    if (at(p_) != j) return problem_.l2;
    return problem_.fit_intercept ? problem_.l2_intercept : 0.0;
  }
  // The penalised coefficients have one row each, after those of the data.
  std::int64_t n_penalised() const { return n_all_ - n_data_; }

  // Sums over the two rows that a dead zone makes of one.
  std::span<const double> data_rows(const std::vector<double>& rows) {
    if (!has_dead_zone()) return {rows.data(), at(n_)};
    folded_.resize(at(n_));
    for (std::size_t i = 0; i < at(n_); ++i) folded_[i] = rows[i] + rows[at(n_) + i];
    return folded_;
  }

  // Least squares, and room for both parts of every residual.
  void start() {
    refresh_residuals();
    for (std::int64_t i = 0; i < n_data_; ++i) scaling_[at(i)] = x_[at(i)] + s_[at(i)];
    const double total = sum_of_rows(scaling_);
    // A little of the penalty, so that the start exists for dependent columns too.
    for (std::int64_t i = n_data_; i < n_all_; ++i) scaling_[at(i)] = 1e-6 * total;
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
    X_.residuals(problem_.y, coef_of(theta_), theta_.back(), {residual_.data(), at(n_)}, ctx_);
    for (std::int64_t i = n_; i < n_data_; ++i) {
      residual_[at(i)] = residual_[at(i - n_)] + problem_.dead_zone;
      residual_[at(i - n_)] -= problem_.dead_zone;
    }
    for (std::int64_t j = 0; j < n_penalised(); ++j) residual_[at(n_data_ + j)] = -theta_[at(j)];
  }

  // lag = A' u - L theta, which a quadratic penalty makes zero at the optimum. Without one it is
  // zero all the time.
  void find_lag() {
    if (!is_quadratic()) return;
    for (std::size_t i = 0; i < x_.size(); ++i) work_[i] = x_[i] - lower_[i];
    lag_ = transposed_map();
    subtract_penalty(lag_);
  }

  // direction -= L theta.
  void subtract_penalty(std::vector<double>& direction) const {
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] -= quadratic(j) * theta_[j];
  }

  std::span<const double> coef_of(const std::vector<double>& theta) const {
    return {theta.data(), at(p_)};
  }

  // Complementarity, and what the lag adds to it: the duality gap.
  double gap() const {
    double gap = sum_rows<1>(
        n_all_, [&](std::size_t i, auto& sum) { sum[0] += x_[i] * below_[i] + s_[i] * above_[i]; },
        ctx_)[0];
    for (std::size_t j = 0; j < lag_.size(); ++j)
      if (quadratic(j) > 0.0) gap += 0.5 * lag_[j] * lag_[j] / quadratic(j);
    return gap;
  }

  double relative_gap() const {
    double objective = sum_rows<1>(
        n_all_,
        [&](std::size_t i, auto& sum) {
          const double r = residual_[i];
          sum[0] += r > 0.0 ? upper_[i] * r : -lower_[i] * r;
        },
        ctx_)[0];
    for (std::size_t j = 0; j < theta_.size(); ++j)
      objective += 0.5 * quadratic(j) * theta_[j] * theta_[j];
    const double left = gap();
    return left / std::max(objective, 1e-300);
  }

  // Moments of the rows and the residuals with the weights D.
  linalg::Moments data_moments() {
    if (!has_dead_zone())
      return X_.moments({scaling_.data(), at(n_)}, {residual_.data(), at(n_)}, ctx_);
    std::vector<double> target(at(n_));
    for (std::size_t i = 0, j = at(n_); i < at(n_); ++i, ++j)
      target[i] =
          (scaling_[i] * residual_[i] + scaling_[j] * residual_[j]) / (scaling_[i] + scaling_[j]);
    return X_.moments(data_rows(scaling_), target, ctx_);
  }

  // Factorises A' D A + L, and solves with A' D r + lag for the predictor; false if it cannot.
  bool predict(std::vector<double>& direction) {
    const linalg::Moments m = data_moments();
    const std::int64_t k = p_ + 1;
    Buffer<double> H = Buffer<double>::zeros(k * k);
    for (std::int64_t i = 0; i < p_; ++i) {
      std::copy_n(m.gram.data() + i * p_, p_, H.data() + i * k);
      direction[at(i)] = m.cross[i];
      if (problem_.fit_intercept) H[i * k + p_] = H[p_ * k + i] = m.sum_x[at(i)];
    }
    for (std::int64_t j = 0; j < n_penalised(); ++j) {
      H[j * k + j] += scaling_[at(n_data_ + j)];
      direction[at(j)] += scaling_[at(n_data_ + j)] * residual_[at(n_data_ + j)];
    }
    if (problem_.fit_intercept) {
      H[p_ * k + p_] = m.weight;
      direction[at(p_)] = m.sum_y[0];
    }
    for (std::int64_t j = 0; j < k; ++j) {
      H[j * k + j] += quadratic(at(j));
      direction[at(j)] += lag_[at(j)];
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
    X_.residuals({work_.data(), at(n_)}, coef_of(direction), direction.back(),
                 {image_.data(), at(n_)}, ctx_);
    for (std::int64_t i = 0; i < n_; ++i) image_[at(i)] = -image_[at(i)];
    for (std::int64_t i = n_; i < n_data_; ++i) image_[at(i)] = image_[at(i - n_)];
    for (std::int64_t j = 0; j < n_penalised(); ++j) image_[at(n_data_ + j)] = direction[at(j)];
  }

  // A' work.
  std::vector<double> transposed_map() {
    const std::span<const double> rows = data_rows(work_);
    std::vector<double> out = X_.transposed_times(rows, ctx_);
    for (std::int64_t j = 0; j < n_penalised(); ++j) out[at(j)] += work_[at(n_data_ + j)];
    const double sum =
        sum_rows<1>(n_, [&](std::size_t i, auto& total) { total[0] += rows[i]; }, ctx_)[0];
    out.push_back(problem_.fit_intercept ? sum : 0.0);
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
    subtract_penalty(direction);
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
    auto [primal, dual] = reach(parts);
    if (is_quadratic()) primal = dual = std::min(primal, dual);  // the lag ties them
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

  void finish(PinballResult& result) const {
    result.coef.assign(best_.theta.begin(), best_.theta.end() - 1);
    result.intercept = best_.theta.back();
    for (std::int64_t j = 0; j < p_; ++j)
      result.intercept -= X_.shift()[at(j)] * result.coef[at(j)];
    if (!problem_.fit_intercept) result.intercept = 0.0;
    for (std::int64_t i = 0; i < n_all_; ++i) {
      const double u = best_.x[at(i)] - lower_[at(i)];
      if (i < n_ || i >= n_data_)
        result.dual.push_back(u);
      else
        result.dual[at(i - n_)] += u;
    }
  }

  const WeightedRows& X_;
  const PinballProblem& problem_;
  const PinballOptions& options_;
  const Context& ctx_;
  std::int64_t n_;
  std::int64_t p_;
  std::int64_t n_data_;                // n, or 2 n with a dead zone
  std::int64_t n_all_;                 // rows of the data, then one for every penalised coefficient
  std::vector<double> lower_, upper_;  // slopes: -lower <= u <= upper
  std::vector<double> x_, s_;          // u + lower and upper - u
  std::vector<double> above_, below_;  // residual = above - below
  std::vector<double> residual_, scaling_, image_, work_, dx_;
  std::vector<double> goals_;  // of x below and of s above, in turn
  std::vector<double> theta_;  // coefficients, then the intercept about the shift
  std::vector<double> lag_;
  std::vector<double> folded_;
  Best best_;
  std::optional<NewtonSystem> system_;
};

}  // namespace

PinballResult fit_pinball(const WeightedRows& X, const PinballProblem& problem,
                          const PinballOptions& options, const Context& ctx) {
  return Solver(X, problem, options, ctx).run();
}

}  // namespace gramian::solve
