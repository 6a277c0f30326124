#include "solve/glm/glm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::solve {
namespace {

constexpr double kFlopsPerNs = 20.0;
// The whole Hessian from the start if it costs no more passes than this.
constexpr double kCheapHessian = 3.0;
constexpr double kAffordableHessian = 30.0;
constexpr std::int64_t kLargestHessian = 2048;
constexpr std::int64_t kSampleShare = 16;
constexpr std::int64_t kRowsPerParam = 20;
constexpr std::int64_t kClassSampleRows = 30;
constexpr std::int64_t kClassSampleShare = 8;
constexpr std::int64_t kPatience = 30;    // steps after which L-BFGS gives way to Newton's method
constexpr std::int64_t kQuickPolish = 6;  // steps below tol after which it does, too
// The excess below which no more digits are sought, as a multiple of tol^2. Steps of Newton's
// method and of L-BFGS with a sample's Hessian gain many; for several classes a pass gains one or
// two.
constexpr double kExcess = 1e-8, kExcessOfClasses = 1.0;

// What a factorised Hessian costs, in nanoseconds.
double hessian_ns(const GlmObjective& objective) {
  const auto n = static_cast<double>(objective.n_params());
  const auto k = static_cast<double>(objective.n_outputs());
  const double pairs = k > 1.0 ? k * (k - 1.0) / 2.0 : 1.0;
  return pairs * objective.rows().moments_ns() + n * n * n / (3.0 * kFlopsPerNs);
}

// Every stride-th row with its target and weight.
struct Sample {
  std::unique_ptr<Rows> rows;
  std::vector<double> y, weight;
  GlmProblem problem;

  Sample(const Rows& all, const GlmProblem& whole, std::int64_t stride)
      : rows(all.sample(stride)), problem(whole) {
    for (std::size_t i = 0; i < whole.y.size(); i += at(stride)) {
      y.push_back(whole.y[i]);
      if (!whole.weight.empty()) weight.push_back(whole.weight[i]);
    }
    problem.y = y;
    problem.weight = weight;
  }
  bool has_weight() const {
    return problem.weight.empty() || std::accumulate(weight.begin(), weight.end(), 0.0) > 0.0;
  }
};

// A stride that leaves about `wanted` rows; odd, so that rows in alternation are all seen.
std::int64_t stride_for(std::int64_t n_rows, std::int64_t wanted) {
  const std::int64_t stride = n_rows / std::max<std::int64_t>(wanted, 1);
  return stride < 3 ? 1 : stride - (stride % 2 == 0 ? 1 : 0);
}

// The optimum of a sample is about this far from that of all rows: more digits would be wasted.
SmoothOptions rough_options(const GlmObjective& part, const SmoothOptions& options) {
  SmoothOptions rough = options;
  rough.excess =
      1e-3 * static_cast<double>(part.n_params()) / static_cast<double>(part.rows().n_rows());
  rough.tol = std::max(options.tol, std::sqrt(rough.excess));
  rough.max_iter = 20;
  return rough;
}

// What L-BFGS starts with, beside a point.
struct Curvature {
  Preconditioner precondition;
  QuasiNewton memory;
};

// The optimum of a sample as the start, and the Hessian there as the preconditioner.
Preconditioner from_sample(GlmObjective& objective, SmoothState& state, std::int64_t stride,
                           const SmoothOptions& options, const Context& ctx) {
  const Sample sample(objective.rows(), objective.problem(), stride);
  if (!sample.has_weight()) return {};
  GlmObjective part(*sample.rows, sample.problem);
  const SmoothOptions rough = rough_options(part, options);
  SmoothState there;
  there.x = state.x;
  start(part, there, rough, ctx);
  newton_cholesky(part, there, rough, ctx);
  if (!std::isfinite(there.value)) return {};
  auto factor = std::make_shared<ScaledFactor>(part.hessian(ctx), part.n_params(), ctx);
  state.x = there.x;
  state.is_singular = there.is_singular;
  return [factor](std::span<double> x) { factor->solve(x); };
}

// The multinomial Hessian with equal probabilities is (I - 11' / k) times one matrix for all
// classes, and gradients add up to zero over the classes: one factor serves them all. A sample of
// the rows gives the factor, and by L-BFGS the start and what it has learnt of the curvature.
Curvature from_class_hessian(GlmObjective& objective, SmoothState& state,
                             const SmoothOptions& options, const Context& ctx) {
  const Rows& rows = objective.rows();
  const std::int64_t s = rows.n_features() + 1;
  const std::int64_t stride =
      stride_for(rows.n_rows(), std::max(kClassSampleRows * s, rows.n_rows() / kClassSampleShare));
  const Sample sample(rows, objective.problem(), stride);
  if (!sample.has_weight()) return {};
  GlmObjective part(*sample.rows, sample.problem);
  auto factor = std::make_shared<ScaledFactor>(part.class_hessian(ctx), s, ctx);
  Curvature out;
  out.precondition = [factor, s](std::span<double> x) {
    for (std::size_t first = 0; first < x.size(); first += at(s))
      factor->solve(x.subspan(first, at(s)));
  };
  if (stride == 1) return out;
  SmoothState there;
  there.x = state.x;
  const SmoothOptions rough = rough_options(part, options);
  start(part, there, rough, ctx, false);
  QuasiNewton memory = lbfgs(part, there, out.precondition, rough, ctx);
  if (!std::isfinite(there.value)) return out;
  state.x = there.x;
  out.memory = std::move(memory);
  return out;
}

Preconditioner from_diagonal(const GlmObjective& objective, const Context& ctx) {
  std::vector<double> diagonal = objective.diagonal(ctx);
  const double largest = *std::max_element(diagonal.begin(), diagonal.end());
  for (double& value : diagonal) value = value > 0.0 ? value : (largest > 0.0 ? largest : 1.0);
  return [diagonal](std::span<double> x) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] /= diagonal[k];
  };
}

void fit_automatically(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
                       const Context& ctx) {
  const Rows& rows = objective.rows();
  const std::int64_t n = objective.n_params();
  const double pass = rows.pass_ns(objective.n_outputs());
  const double hessian = hessian_ns(objective);
  const bool has_hessian = n <= kLargestHessian;
  // A sample's optimum may be another one, or allow means of other rows that are not positive.
  const bool is_direct = hessian <= std::max(kCheapHessian * pass, 2e5) || !objective.is_convex();
  if (has_hessian && is_direct) {
    start(objective, state, options, ctx);
    return newton_cholesky(objective, state, options, ctx);
  }
  const std::int64_t stride =
      stride_for(rows.n_rows(), std::max(rows.n_rows() / kSampleShare, kRowsPerParam * n));
  Curvature curvature;
  if (objective.n_outputs() > 1 && rows.n_features() < kLargestHessian)
    curvature = from_class_hessian(objective, state, options, ctx);
  else if (has_hessian && stride > 1)
    curvature.precondition = from_sample(objective, state, stride, options, ctx);
  const bool can_factor = has_hessian && hessian <= kAffordableHessian * pass;
  start(objective, state, options, ctx, !curvature.precondition);
  if (!curvature.precondition) {
    if (can_factor) return newton_cholesky(objective, state, options, ctx);
    curvature.precondition = from_diagonal(objective, ctx);
  }
  SmoothOptions first = options;
  if (objective.n_outputs() > 1) first.excess = kExcessOfClasses * options.tol * options.tol;
  if (can_factor || objective.n_outputs() > 1)
    first.max_iter = std::min(options.max_iter, kPatience);
  first.max_polish = kQuickPolish;
  lbfgs(objective, state, curvature.precondition, first, ctx, std::move(curvature.memory));
  if (state.n_iter >= options.max_iter || state.excess <= first.excess || ctx.expired()) return;
  start(objective, state, options, ctx);  // for the curvatures
  if (can_factor) return newton_cholesky(objective, state, options, ctx);
  SmoothOptions last = options;
  last.excess = first.excess;
  newton_cg(objective, state, curvature.precondition, last, ctx);
}

// Takes away what all classes have in common, which the multinomial loss does not see.
void centre_classes(std::int64_t n_outputs, std::span<double> params) {
  const std::size_t s = params.size() / at(n_outputs);
  for (std::size_t j = 0; j < s; ++j) {
    double mean = 0.0;
    for (std::size_t k = j; k < params.size(); k += s) mean += params[k];
    mean /= static_cast<double>(n_outputs);
    for (std::size_t k = j; k < params.size(); k += s) params[k] -= mean;
  }
}

}  // namespace

void move_constants(const Rows& rows, double sign, std::int64_t n_outputs,
                    std::span<double> params) {
  const std::int64_t p = rows.n_features();
  for (std::int64_t c = 0; c < n_outputs; ++c) {
    double* of_class = params.data() + c * (p + 1);
    for (std::int64_t j = 0; j < p; ++j) of_class[p] += sign * rows.shift()[at(j)] * of_class[j];
  }
}

GlmResult fit_glm(const Rows& rows, const GlmProblem& problem, const GlmOptions& options,
                  std::span<double> params, const Context& ctx) {
  GlmObjective objective(rows, problem);
  if (!problem.pointwise) centre_classes(problem.n_outputs, params);
  move_constants(rows, 1.0, problem.n_outputs, params);
  SmoothState state;
  state.x.assign(params.begin(), params.end());
  SmoothOptions smooth;
  smooth.tol = options.tol;
  smooth.max_iter = options.max_iter;
  smooth.excess = kExcess * options.tol * options.tol;
  switch (options.method) {
    case GlmMethod::automatic:
      fit_automatically(objective, state, smooth, ctx);
      break;
    case GlmMethod::newton_cholesky:
      start(objective, state, smooth, ctx);
      newton_cholesky(objective, state, smooth, ctx);
      break;
    case GlmMethod::newton_cg:
      start(objective, state, smooth, ctx);
      newton_cg(objective, state, from_diagonal(objective, ctx), smooth, ctx);
      break;
    case GlmMethod::gradient_descent:
      start(objective, state, smooth, ctx);
      gradient_descent(objective, state, smooth, ctx);
      break;
  }
  if (state.converged && objective.is_convex() && problem.fit_intercept &&
      problem.l2_intercept == 0.0) {
    objective.want_scores(true);
    if (!std::ranges::equal(objective.last_point(), state.x))
      objective.evaluate(state.x, state.gradient, false, ctx);
    settle_constants(objective, state.x, ctx);
  }
  std::copy(state.x.begin(), state.x.end(), params.begin());
  move_constants(rows, -1.0, problem.n_outputs, params);
  if (!problem.pointwise) centre_classes(problem.n_outputs, params);  // rounding may have drifted
  return {state.value, state.excess, state.n_iter, state.converged, state.is_singular};
}

}  // namespace gramian::solve
