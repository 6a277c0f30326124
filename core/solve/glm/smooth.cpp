#include "solve/glm/smooth.hpp"

#include <algorithm>
#include <cmath>

#include "solve/glm/offset_rows.hpp"
#include "solve/glm/quasi_newton.hpp"

namespace gramian::solve {
namespace {

constexpr double kArmijo = 1e-4;
constexpr int kMaxHalvings = 40;
// Differences of the objective below this share of it are rounding.
constexpr double kValueNoise = 1e-13;
constexpr double kLeastCondition = 1e-14;  // of a scaled Hessian that is not singular
constexpr double kBalanced = 1e-12;  // mean of derivatives that cancel, as a share of their terms
constexpr double kSettled = 0.1;     // of that, where constants are optimal
constexpr std::int64_t kMaxSettling = 50;
constexpr double kNearlyDone = 3.0;  // times tol: from here on the next point may be the last

// Moves along `direction`, trying `length` first and halving it until there is progress.
bool line_search(GlmObjective& objective, SmoothState& state, const Vector& direction,
                 double length, bool keep, const Context& ctx) {
  const double slope = dot(state.gradient, direction);
  if (!(slope < 0.0)) return false;
  SmoothState next;
  next.gradient.resize(state.x.size());
  for (int trial = 0; trial < kMaxHalvings; ++trial, length *= 0.5) {
    next.x = state.x;
    for (std::size_t k = 0; k < next.x.size(); ++k) next.x[k] += length * direction[k];
    next.value = objective.evaluate(next.x, next.gradient, keep, ctx);
    if (is_progress(state.value, next.value, slope, dot(next.gradient, direction), length)) {
      state.x = std::move(next.x);
      state.gradient = std::move(next.gradient);
      state.value = next.value;
      return true;
    }
    if (ctx.expired()) return false;
  }
  return false;
}

// Conjugate gradients for H d = -g until the residual is `share` of g.
Vector newton_direction(const GlmObjective& objective, const Vector& gradient,
                        const Preconditioner& precondition, double share, const Context& ctx) {
  constexpr int kMostSteps = 200;
  Vector d(gradient.size(), 0.0), residual = gradient, image(gradient.size());
  negate(residual);
  const auto scaled = [&](const Vector& r) {
    Vector z = r;
    precondition(z);
    return z;
  };
  Vector z = scaled(residual), direction = z;
  double rz = dot(residual, z);
  const double goal = share * share * rz;
  for (int step = 0; step < kMostSteps && rz > goal; ++step) {
    objective.hessian_times(direction, image, ctx);
    const double curvature = dot(direction, image);
    if (!(curvature > 0.0)) {
      if (step == 0) d = direction;  // downhill, if not to a minimum
      break;
    }
    const double length = rz / curvature;
    for (std::size_t k = 0; k < d.size(); ++k) {
      d[k] += length * direction[k];
      residual[k] -= length * image[k];
    }
    z = scaled(residual);
    const double previous = rz;
    rz = dot(residual, z);
    for (std::size_t k = 0; k < d.size(); ++k) direction[k] = z[k] + (rz / previous) * direction[k];
    if (ctx.expired()) break;
  }
  return d;
}

// The factorised Hessian, or where it is indefinite that of the expected curvatures (Fisher's
// scoring): its steps descend.
ScaledFactor factor_at(GlmObjective& objective, const Vector& x, const Context& ctx) {
  ScaledFactor factor(objective.hessian(ctx), objective.n_params(), ctx);
  if (objective.is_convex() || !factor.is_indefinite()) return factor;
  objective.keep_expected(x, ctx);
  return ScaledFactor(objective.hessian(ctx), objective.n_params(), ctx);
}

}  // namespace

bool is_progress(double value, double next_value, double slope, double next_slope, double length) {
  const double change = next_value - value;
  const double noise = kValueNoise * std::max(std::abs(value), 1e-300);
  const bool has_fallen = change <= kArmijo * length * slope;
  const bool is_flat = change <= noise && std::abs(next_slope) <= 0.9 * std::abs(slope);
  return has_fallen || is_flat;
}

bool goes_on(SmoothState& state, double reached, const SmoothOptions& options, const Context& ctx) {
  state.excess = reached;
  state.converged = state.gradient_size() <= options.tol;
  if (state.converged && (reached <= options.excess || state.n_polish >= options.max_polish))
    return false;
  if (state.converged) ++state.n_polish;
  return state.n_iter < options.max_iter && !ctx.expired() && std::isfinite(state.value);
}

double SmoothState::gradient_size() const {
  double size = 0.0;
  for (const double g : gradient) size = std::max(size, std::abs(g));
  return size;
}

ScaledFactor::ScaledFactor(Buffer<double> matrix, std::int64_t n, const Context& ctx)
    : scale_(static_cast<std::size_t>(n)) {
  for (std::int64_t k = 0; k < n; ++k) {
    const double d = matrix[k * n + k];
    if (d < 0.0) raised_ = 1.0;
    scale_[static_cast<std::size_t>(k)] = d > 0.0 ? 1.0 / std::sqrt(d) : 1.0;
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      matrix[i * n + j] *=
          scale_[static_cast<std::size_t>(i)] * scale_[static_cast<std::size_t>(j)];
  double diagonal = 1.0;
  for (double ridge = 1e-13; ridge < 1e3; ridge *= 100.0) {
    for (std::int64_t k = 0; k < n; ++k) matrix[k * n + k] = diagonal;
    factor_ = linalg::Cholesky::factor(matrix.data(), n, ctx);
    if (factor_) return;
    raised_ = ridge;
    diagonal = 1.0 + ridge;
  }
}

bool ScaledFactor::is_singular() const {
  return raised_ > 0.0 || !factor_ || factor_->rcond() < kLeastCondition;
}

void ScaledFactor::solve(std::span<double> x) const {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] *= scale_[k];
  if (factor_) factor_->solve(x);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] *= scale_[k];
}

void start(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
           const Context& ctx, bool keep) {
  state.gradient.resize(state.x.size());
  state.value = objective.evaluate(state.x, state.gradient, keep, ctx);
  state.converged = state.gradient_size() <= options.tol;
}

void newton_cholesky(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
                     const Context& ctx) {
  double reached = std::abs(state.value);
  while (goes_on(state, reached, options, ctx)) {
    const ScaledFactor factor = factor_at(objective, state.x, ctx);
    state.is_singular = objective.problem().l2 == 0.0 && factor.is_singular();
    Vector direction = state.gradient;
    factor.solve(direction);
    negate(direction);
    const double excess = -0.5 * dot(direction, state.gradient);
    state.excess = excess;
    if (state.converged && excess <= options.excess) return;
    if (!line_search(objective, state, direction, 1.0, true, ctx)) return;
    ++state.n_iter;
    // Convergence is quadratic: what remains is about the square of what there was.
    reached = std::min(excess, excess * excess / std::max(std::abs(state.value), 1e-300));
  }
}

void newton_cg(GlmObjective& objective, SmoothState& state, const Preconditioner& precondition,
               const SmoothOptions& options, const Context& ctx) {
  double reached = std::abs(state.value);
  while (goes_on(state, reached, options, ctx)) {
    // No more digits than the next step can use, or than are asked for.
    const double wanted = 0.3 * std::sqrt(options.excess / std::max(state.excess, 1e-300));
    const double share = std::min(0.1, std::max(std::sqrt(state.gradient_size()), wanted));
    const Vector direction = newton_direction(objective, state.gradient, precondition, share, ctx);
    const double excess = -0.5 * dot(direction, state.gradient);
    state.excess = excess;
    if (state.converged && excess <= options.excess) return;
    if (!line_search(objective, state, direction, 1.0, true, ctx)) return;
    ++state.n_iter;
    reached = excess * share * share;
  }
}

QuasiNewton lbfgs(GlmObjective& objective, SmoothState& state, const Preconditioner& precondition,
                  const SmoothOptions& options, const Context& ctx, QuasiNewton memory) {
  double reached = std::abs(state.value);
  while (goes_on(state, reached, options, ctx)) {
    const Vector direction = memory.direction(state.gradient, precondition);
    const double excess = -0.5 * dot(direction, state.gradient);
    state.excess = excess;
    if (state.converged && excess <= options.excess) break;
    Vector x = state.x, gradient = state.gradient;
    objective.want_scores(state.gradient_size() <= kNearlyDone * options.tol);
    if (!line_search(objective, state, direction, 1.0, false, ctx)) {
      if (memory.empty()) break;
      memory.clear();  // start again with the preconditioner alone
      reached = excess;
      continue;
    }
    ++state.n_iter;
    memory.add(std::move(x), std::move(gradient), state.x, state.gradient);
    reached = excess;
  }
  objective.want_scores(false);
  return memory;
}

void gradient_descent(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
                      const Context& ctx) {
  double length = 1.0;
  double reached = std::abs(state.value);
  SmoothOptions plain = options;
  plain.max_polish = 0;
  while (goes_on(state, reached, plain, ctx)) {
    Vector direction = state.gradient;
    negate(direction);
    const Vector before = state.x;
    if (!line_search(objective, state, direction, 2.0 * length, false, ctx)) return;
    ++state.n_iter;
    // The step that was taken is where the next search begins.
    double moved = 0.0;
    for (std::size_t k = 0; k < before.size(); ++k)
      moved += (state.x[k] - before[k]) * direction[k];
    const double squared = dot(direction, direction);
    length = squared > 0.0 ? moved / squared : length;
    reached = 0.5 * length * squared;
  }
}

double balance_tolerance(const GlmObjective& objective, const Context& ctx) {
  return kBalanced * objective.derivative_scale(ctx);
}

bool settle_constants(const GlmObjective& objective, std::span<double> x, const Context& ctx) {
  const OffsetRows rows(objective.scores(ctx), objective.n_outputs());
  GlmObjective constants(rows, objective.problem());
  SmoothState state;
  state.x.assign(static_cast<std::size_t>(objective.n_outputs()), 0.0);
  start(constants, state, {}, ctx);
  double tolerance = balance_tolerance(constants, ctx);
  for (bool is_coarse = true; is_coarse;) {
    newton_cholesky(constants, state, {kSettled * tolerance, kMaxSettling, 0.0, 0}, ctx);
    const double next = balance_tolerance(constants, ctx);
    is_coarse = next < 0.1 * tolerance;  // where scores fell far, so did the terms
    tolerance = next;
  }
  if (!(state.gradient_size() <= tolerance)) return false;
  const std::size_t stride = x.size() / state.x.size();
  for (std::size_t c = 0; c < state.x.size(); ++c) x[(c + 1) * stride - 1] += state.x[c];
  return true;
}

}  // namespace gramian::solve
