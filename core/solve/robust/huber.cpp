#include "solve/robust/huber.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "solve/glm/newton_system.hpp"
#include "solve/glm/row_sums.hpp"

namespace gramian::solve {
namespace {

constexpr double kShrink = 0.1;           // the scale falls by no more than this in one step
constexpr double kLeastScale = 1e-14;     // relative to the spread of y: residuals round there
constexpr double kGoodLength = 0.5;       // of a step, relative to Newton's
constexpr double kSolved = 1e-13;         // decrement, relative to the objective
constexpr int kPolish = 2;                // steps beyond the tolerance: quadratic convergence
constexpr double kLineTolerance = 0.1;    // of the slope
constexpr double kScaleTolerance = 1e-3;  // the joint step does better than a finer search

class Solver {
 public:
  Solver(const WeightedRows& X, std::span<const double> y, std::span<const double> weight,
         const HuberOptions& options, const Context& ctx)
      : X_(X),
        y_(y),
        options_(options),
        ctx_(ctx),
        n_(X.n_rows()),
        p_(X.n_features()),
        weight_(weight.begin(), weight.end()) {
    if (weight.empty()) weight_.assign(at(n_), 1.0);
    for (auto* rows : {&residual_, &change_, &pull_, &inlier_, &nothing_})
      rows->assign(at(n_), 0.0);
    const auto sums = sum_rows<2>(
        n_,
        [&](std::size_t i, auto& s) {
          s[0] += weight_[i];
          s[1] += weight_[i] * y_[i];
        },
        ctx_);
    total_ = sums[0];
    const double mean = total_ > 0.0 ? sums[1] / total_ : 0.0;
    const auto squares = sum_rows<1>(
        n_, [&](std::size_t i, auto& s) { s[0] += weight_[i] * (y_[i] - mean) * (y_[i] - mean); },
        ctx_);
    spread_ = total_ > 0.0 ? std::sqrt(squares[0] / total_) : 0.0;
    floor_ = std::max(10.0 * std::numeric_limits<double>::epsilon(), kLeastScale * spread_);
  }

  HuberResult run(HuberPoint& point) {
    start(point);
    HuberResult result;
    int polish = -1;  // steps left once the tolerance is met
    while (true) {
      Slope slope = gradient();
      const linalg::Moments inliers = X_.moments(inlier_, change_, ctx_);
      const auto step = newton_step(inliers, slope);
      result.decrement = (decrement(slope, step) + slope.scale_gain) / slope.objective;
      const bool is_solved = slope.largest <= options_.tol || result.decrement <= kSolved;
      result.converged = result.converged || is_solved;
      if (is_solved && options_.warm_start && result.n_iter == 0) break;
      if (is_solved && polish < 0) polish = kPolish;
      if (polish == 0 || result.n_iter >= options_.max_iter || ctx_.expired()) break;
      const bool follows = polish < 0 && follow_path(inliers, slope);
      if (!follows && !advance(step, slope, polish < 0)) break;
      ++result.n_iter;
      if (polish > 0) --polish;
    }
    finish(point);
    return result;
  }

 private:
  struct Slope {
    std::vector<double> values;  // in v, b and the scale
    double largest;
    double objective;
    bool holds_scale;   // the step does not move the scale, which would come near zero
    double scale_gain;  // then, a bound on what a smaller scale gains
  };

  double intercept_slot() const { return options_.fit_intercept ? 1.0 : 0.0; }
  std::int64_t size() const { return p_ + 2; }

  void start(const HuberPoint& point) {
    coef_.assign(at(p_), 0.0);
    if (options_.warm_start) {
      coef_ = point.coef;
      intercept_ = point.intercept;
      for (std::int64_t j = 0; j < p_; ++j) intercept_ += X_.shift()[at(j)] * coef_[at(j)];
      if (!options_.fit_intercept) intercept_ = 0.0;
      scale_ = std::max(point.scale, floor_);
      X_.residuals(y_, coef_, intercept_, residual_, ctx_);
      return;
    }
    // Least squares, that is every row an inlier.
    const linalg::Moments m = X_.moments(weight_, y_, ctx_);
    std::vector<double> solution(at(size()), 0.0);
    for (std::int64_t j = 0; j < p_; ++j) solution[at(j)] = m.cross[j];
    solution[at(p_)] = intercept_slot() * m.sum_y[0];
    if (!solve(m, 1.0, true, solution)) std::fill(solution.begin(), solution.end(), 0.0);
    std::copy_n(solution.begin(), p_, coef_.begin());
    intercept_ = solution[at(p_)];
    X_.residuals(y_, coef_, intercept_, residual_, ctx_);
    const auto rss = sum_rows<1>(
        n_, [&](std::size_t i, auto& s) { s[0] += weight_[i] * residual_[i] * residual_[i]; },
        ctx_);
    scale_ = std::max(total_ > 0.0 ? std::sqrt(rss[0] / total_) : 1.0, floor_);
    improve_scale(scale_);
  }

  // Solves with the Hessian, of which m are the moments of the inliers about z = r / scale:
  //   (2 / s) sum w (x, 1, z)(x, 1, z)' + 2 alpha I  for v, b and s; x <- H^-1 x s / 2.
  // False if it cannot be solved, because the data or their squares are not finite.
  bool solve(const linalg::Moments& m, double scale, bool holds_scale,
             std::vector<double>& x) const {
    const std::int64_t k = size();
    Buffer<double> H = Buffer<double>::zeros(k * k);
    const auto set = [&](std::int64_t i, std::int64_t j, double value) {
      H[i * k + j] = H[j * k + i] = value;
    };
    for (std::int64_t i = 0; i < p_; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) set(i, j, m.gram[i * p_ + j]);
      set(i, i, m.gram[i * p_ + i] + options_.alpha * scale);
      if (options_.fit_intercept) set(p_, i, m.sum_x[at(i)]);
      if (!holds_scale) set(p_ + 1, i, m.cross[i]);
    }
    if (options_.fit_intercept) set(p_, p_, m.weight);
    if (!holds_scale) {
      set(p_ + 1, p_ + 1, m.yy[0]);
      if (options_.fit_intercept) set(p_ + 1, p_, m.sum_y[0]);
    }
    const NewtonSystem system(H, k, ctx_);
    if (!system.is_solvable()) return false;
    system.solve(x);
    return true;
  }

  // The gradient, and for every row its pull w z (clipped), its weight among the inliers, and
  // r / scale in change_.
  Slope gradient() {
    const double epsilon = options_.epsilon;
    const double limit = epsilon * scale_;
    const auto sums = sum_rows<3>(
        n_,
        [&](std::size_t i, auto& s) {
          const double r = residual_[i];
          const double w = weight_[i];
          const bool is_inlier = std::abs(r) <= limit;
          change_[i] = r / scale_;
          const double z = is_inlier ? change_[i] : std::copysign(epsilon, r);
          pull_[i] = w * z;
          inlier_[i] = is_inlier ? w : 0.0;
          s[0] += w * z;
          s[1] += w * z * z;
          s[2] += w * (is_inlier ? r * z : 2.0 * epsilon * std::abs(r) - epsilon * limit);
        },
        ctx_);
    Slope slope{X_.transposed_times(pull_, ctx_), 0.0, total_ * scale_ + sums[2], false, 0.0};
    for (std::int64_t j = 0; j < p_; ++j) {
      slope.values[at(j)] = 2.0 * (options_.alpha * coef_[at(j)] - slope.values[at(j)]);
      slope.objective += options_.alpha * coef_[at(j)] * coef_[at(j)];
    }
    slope.values.push_back(-2.0 * intercept_slot() * sums[0]);
    slope.holds_scale = scale_ <= floor_ && total_ >= sums[1];
    slope.values.push_back(slope.holds_scale ? 0.0 : total_ - sums[1]);
    for (const double g : slope.values) slope.largest = std::max(slope.largest, std::abs(g));
    return slope;
  }

  // Newton's step; one that would bring the scale near zero holds it instead.
  std::vector<double> newton_step(const linalg::Moments& m, Slope& slope) const {
    std::vector<double> step;
    while (true) {
      step = slope.values;
      for (double& d : step) d *= -0.5 * scale_;
      if (!solve(m, scale_, slope.holds_scale, step)) std::fill(step.begin(), step.end(), 0.0);
      if (slope.holds_scale || scale_ + step.back() >= kShrink * scale_) return step;
      slope.holds_scale = true;
      slope.scale_gain = slope.values.back() * (scale_ - floor_);
      slope.values.back() = 0.0;
    }
  }

  // As the scale falls towards zero with the same inliers, the solution is linear in it: goes along
  // that line to a smaller scale. False, and nothing changed, if that gains less than half of what
  // it should.
  bool follow_path(const linalg::Moments& m, const Slope& slope) {
    if (slope.scale_gain <= 0.0) return false;
    const double scale = std::max(floor_, kShrink * scale_);
    std::vector<double> step(at(size()), 0.0);
    // Half the gradient at the smaller scale: the residuals of the inliers, not their z, are given.
    for (std::int64_t j = 0; j < p_; ++j)
      step[at(j)] = scale_ * m.cross[j] - scale * (0.5 * slope.values[at(j)] + m.cross[j]);
    if (options_.fit_intercept)
      step[at(p_)] = scale_ * m.sum_y[0] - scale * (0.5 * slope.values[at(p_)] + m.sum_y[0]);
    if (!solve(m, scale, true, step)) return false;
    X_.residuals(nothing_, {step.data(), at(p_)}, step[at(p_)], change_, ctx_);
    const double limit = options_.epsilon * scale;
    const auto loss = sum_rows<1>(
        n_,
        [&](std::size_t i, auto& s) {
          const double r = std::abs(residual_[i] + change_[i]);
          s[0] += weight_[i] * (r <= limit ? r * r / scale : options_.epsilon * (2.0 * r - limit));
        },
        ctx_);
    double objective = total_ * scale + loss[0];
    for (std::int64_t j = 0; j < p_; ++j) {
      const double v = coef_[at(j)] + step[at(j)];
      objective += options_.alpha * v * v;
    }
    if (!(objective <= slope.objective - 0.5 * (1.0 - kShrink) * slope.scale_gain)) return false;
    move(step, 1.0, scale);
    improve_scale(scale);
    return true;
  }

  static double decrement(const Slope& slope, const std::vector<double>& step) {
    double sum = 0.0;
    for (std::size_t k = 0; k < step.size(); ++k) sum -= slope.values[k] * step[k];
    return 0.5 * sum;
  }

  // Slope and curvature of the objective at t along the step; change_ holds its effect on r.
  std::array<double, 2> along(double t, double scale_step, const std::array<double, 2>& penalty) {
    const double scale = scale_ + t * scale_step;
    const double epsilon = options_.epsilon;
    const double limit = epsilon * scale;
    const auto sums = sum_rows<3>(
        n_,
        [&](std::size_t i, auto& s) {
          const double w = weight_[i];
          const double q = change_[i];
          const double r = residual_[i] + t * q;
          const bool is_inlier = std::abs(r) <= limit;
          const double z = is_inlier ? r / scale : std::copysign(epsilon, r);
          const double dz = is_inlier ? q - z * scale_step : 0.0;
          s[0] += w * z * q;
          s[1] += w * z * z;
          s[2] += w * dz * dz;
        },
        ctx_);
    return {2.0 * sums[0] + scale_step * (total_ - sums[1]) + penalty[0] + 2.0 * t * penalty[1],
            2.0 * sums[2] / scale + 2.0 * penalty[1]};
  }

  // The length at which the objective is least along the step, to a share of its first slope.
  double line_search(double scale_step, const std::array<double, 2>& penalty) {
    const double end = scale_step < 0.0 ? (kShrink - 1.0) * scale_ / scale_step
                                        : std::numeric_limits<double>::infinity();
    const double goal = kLineTolerance * std::abs(along(0.0, scale_step, penalty)[0]);
    double low = 0.0;
    double high = std::numeric_limits<double>::infinity();
    double t = std::min(1.0, end);
    for (int k = 0; k < 60; ++k) {
      const auto [slope, curvature] = along(t, scale_step, penalty);
      if (std::abs(slope) <= goal || (slope < 0.0 && t == end)) break;
      (slope < 0.0 ? low : high) = t;
      double next = curvature > 0.0 ? t - slope / curvature : high;
      if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * t;
      t = std::min(next, end);
    }
    return t;
  }

  // Whether the point moved.
  bool advance(const std::vector<double>& step, const Slope& slope, bool may_shrink) {
    if (decrement(slope, step) <= 0.0) return false;
    const std::span<const double> coef_step(step.data(), at(p_));
    X_.residuals(nothing_, coef_step, step[at(p_)], change_, ctx_);
    std::array<double, 2> penalty{};
    for (std::int64_t j = 0; j < p_; ++j) {
      penalty[0] += 2.0 * options_.alpha * coef_[at(j)] * step[at(j)];
      penalty[1] += options_.alpha * step[at(j)] * step[at(j)];
    }
    const double t = line_search(step.back(), penalty);
    move(step, t, std::max(scale_ + t * step.back(), floor_));
    // The path towards a scale of zero waits for steps that go nearly all the way.
    improve_scale(may_shrink && t >= kGoodLength ? kShrink * scale_ : scale_);
    return std::isfinite(t);
  }

  void move(const std::vector<double>& step, double t, double scale) {
    for (std::int64_t j = 0; j < p_; ++j) coef_[at(j)] += t * step[at(j)];
    intercept_ += t * step[at(p_)];
    scale_ = scale;
    X_.residuals(y_, coef_, intercept_, residual_, ctx_);
  }

  // Moves the scale to where the objective is least for the residuals, but not below `least`.
  void improve_scale(double least) {
    const double epsilon = options_.epsilon;
    double low = std::max(floor_, least);
    double high = std::numeric_limits<double>::infinity();
    double scale = scale_;
    for (int k = 0; k < 60; ++k) {
      const double limit = epsilon * scale;
      const auto sums = sum_rows<2>(
          n_,
          [&](std::size_t i, auto& s) {
            const double r = residual_[i];
            const bool is_inlier = std::abs(r) <= limit;
            s[0] += is_inlier ? 0.0 : weight_[i];
            s[1] += is_inlier ? weight_[i] * r * r : 0.0;
          },
          ctx_);
      // The derivative is  room - sum / scale^2.
      const double room = total_ - epsilon * epsilon * sums[0];
      if (room * scale * scale < sums[1])
        low = std::max(low, scale);
      else
        high = scale;
      double next = room > 0.0 ? std::sqrt(sums[1] / room) : 2.0 * scale;
      if (room <= 0.0 && std::isfinite(high)) next = 0.5 * (low + high);
      next = std::clamp(next, low, std::max(low, high));
      const bool is_close = std::abs(next - scale) <= kScaleTolerance * scale;
      if (is_close) break;
      scale = next;
    }
    scale_ = scale;
  }

  void finish(HuberPoint& point) const {
    point.coef = coef_;
    point.intercept = intercept_;
    for (std::int64_t j = 0; j < p_; ++j) point.intercept -= X_.shift()[at(j)] * coef_[at(j)];
    if (!options_.fit_intercept) point.intercept = 0.0;
    point.scale = scale_;
  }

  const WeightedRows& X_;
  std::span<const double> y_;
  const HuberOptions& options_;
  const Context& ctx_;
  std::int64_t n_;
  std::int64_t p_;
  std::vector<double> weight_;
  std::vector<double> residual_, change_, pull_, inlier_;
  std::vector<double> nothing_;  // zero for every row
  double total_ = 0.0;
  double spread_ = 0.0;
  double floor_ = 0.0;
  std::vector<double> coef_;
  double intercept_ = 0.0;
  double scale_ = 1.0;
};

}  // namespace

HuberResult fit_huber(const WeightedRows& X, std::span<const double> y,
                      std::span<const double> weight, const HuberOptions& options,
                      HuberPoint& point, const Context& ctx) {
  return Solver(X, y, weight, options, ctx).run(point);
}

}  // namespace gramian::solve
