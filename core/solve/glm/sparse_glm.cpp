#include "solve/glm/sparse_glm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "solve/glm/quadratic_l1.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kFirstColumns = 64;  // in the first working set
constexpr double kInnerShare = 0.02;        // how much of a violation the inner solver leaves
constexpr double kFastGain = 0.15;          // of the violation in one step
constexpr int kMaxHalvings = 30;
// Beyond tol, steps go on until the conditions hold to this share of it: they cost little by then.
constexpr double kPolish = 1e-4;
constexpr std::int64_t kMaxPolish = 10;

class ProximalNewton {
 public:
  ProximalNewton(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
                 std::span<const double> start)
      : rows_(rows),
        objective_(rows, problem),
        stride_(rows.n_features() + 1),
        x_(start.begin(), start.end()),
        gradient_(start.size()) {
    for (std::size_t k = 0; k < x_.size(); ++k)
      l1_.push_back(k % at(stride_) == at(stride_ - 1) ? penalty.intercept : penalty.coef);
  }

  GlmResult run(const GlmOptions& options, const Context& ctx) {
    value_ = evaluate(x_, gradient_, ctx);
    GlmResult result;
    std::int64_t n_polish = 0;
    for (;;) {
      const double worst = worst_violation();
      result.converged = worst <= options.tol;
      const bool is_done = worst <= kPolish * options.tol || n_polish >= kMaxPolish;
      if ((result.converged && is_done) || result.n_iter >= options.max_iter || ctx.expired() ||
          !std::isfinite(value_))
        break;
      n_polish += result.converged ? 1 : 0;
      if (!step(worst, ctx)) break;
      ++result.n_iter;
    }
    result.objective = value_;
    const bool is_last = std::ranges::equal(objective_.last_point(), x_);
    if (result.converged && is_last && l1_.back() == 0.0 && objective_.problem().fit_intercept &&
        objective_.problem().l2_intercept == 0.0)
      settle_constants(objective_, x_, ctx);
    return result;
  }

  std::span<const double> params() const { return x_; }

 private:
  double evaluate(std::span<const double> x, std::span<double> gradient, const Context& ctx) {
    double value = objective_.evaluate(x, gradient, true, ctx);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (l1_[k] > 0.0) value += l1_[k] * std::abs(x[k]);
    return value;
  }

  double violation_at(std::size_t k) const { return violation(x_[k], gradient_[k], l1_[k]); }

  double worst_violation() const {
    double worst = 0.0;
    for (std::size_t k = 0; k < x_.size(); ++k) worst = std::max(worst, violation_at(k));
    return worst;
  }

  // Columns with a coefficient, and the worst of the others that would get one; at most as many
  // again, so that the working set at most doubles.
  std::vector<std::int64_t> working_set() const {
    const std::int64_t p = rows_.n_features();
    std::vector<std::int64_t> kept;
    std::vector<std::pair<double, std::int64_t>> wanted;
    for (std::int64_t j = 0; j < p; ++j) {
      bool is_active = false;
      double size = 0.0;
      for (std::int64_t c = 0; c < objective_.n_outputs(); ++c) {
        is_active |= x_[at(c * stride_ + j)] != 0.0;
        size = std::max(size, violation_at(at(c * stride_ + j)));
      }
      if (is_active)
        kept.push_back(j);
      else if (size > 0.0)
        wanted.emplace_back(-size, j);
    }
    const std::size_t room = std::max(kept.size(), at(kFirstColumns));
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t k = 0; k < std::min(room, wanted.size()); ++k)
      kept.push_back(wanted[k].second);
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  // The places of the working set's parameters among all.
  std::vector<std::size_t> places(std::span<const std::int64_t> columns) const {
    std::vector<std::size_t> out;
    for (std::int64_t c = 0; c < objective_.n_outputs(); ++c) {
      for (const std::int64_t j : columns) out.push_back(at(c * stride_ + j));
      out.push_back(at(c * stride_ + stride_ - 1));
    }
    return out;
  }

  // The Hessian of the last step serves again while steps with it gain digits fast and the working
  // set has no column that it lacks.
  void renew_hessian(double worst, const Context& ctx) {
    std::vector<std::int64_t> columns = working_set();
    const bool is_good = worst <= kFastGain * last_worst_;
    last_worst_ = worst;
    if (is_good && std::includes(columns_.begin(), columns_.end(), columns.begin(), columns.end()))
      return;
    columns_ = std::move(columns);
    const bool is_all = std::ssize(columns_) == rows_.n_features();
    H_ = is_all ? objective_.hessian_of(rows_, false, ctx)
                : objective_.hessian_of(*rows_.columns(columns_, ctx), false, ctx);
  }

  bool step(double worst, const Context& ctx) {
    renew_hessian(worst, ctx);
    const std::vector<std::size_t> where = places(columns_);
    std::vector<double> u, g, l1;
    for (const std::size_t k : where) {
      u.push_back(x_[k]);
      g.push_back(gradient_[k]);
      l1.push_back(l1_[k]);
    }
    // The closer the optimum, the better the model, and the more it pays to solve it precisely.
    minimise_quadratic_l1({H_, g, l1, worst * std::clamp(worst, 1e-4, kInnerShare)}, u, ctx);
    if (line_search(where, u, ctx)) return true;
    last_worst_ = 0.0;  // try once more, with a new Hessian
    return !ctx.expired() && n_retries_++ == 0;
  }

  // From x towards u; the objective must fall by a share of what the model promised.
  bool line_search(std::span<const std::size_t> where, std::span<const double> u,
                   const Context& ctx) {
    double promised = 0.0;
    for (std::size_t k = 0; k < where.size(); ++k) {
      const std::size_t at_all = where[k];
      promised += gradient_[at_all] * (u[k] - x_[at_all]) +
                  l1_[at_all] * (std::abs(u[k]) - std::abs(x_[at_all]));
    }
    if (!(promised < 0.0)) return false;
    std::vector<double> next(x_.size()), gradient(x_.size());
    double length = 1.0;
    for (int trial = 0; trial < kMaxHalvings; ++trial, length *= 0.5) {
      next = x_;
      for (std::size_t k = 0; k < where.size(); ++k)
        next[where[k]] = length == 1.0 ? u[k] : x_[where[k]] + length * (u[k] - x_[where[k]]);
      const double value = evaluate(next, gradient, ctx);
      const double noise = 1e-13 * std::max(std::abs(value_), 1e-300);
      if (value - value_ <= 1e-4 * length * promised || (value - value_ <= noise && trial == 0)) {
        x_.swap(next);
        gradient_.swap(gradient);
        value_ = value;
        return true;
      }
      if (ctx.expired()) return false;
    }
    return false;
  }

  const Rows& rows_;
  GlmObjective objective_;
  std::int64_t stride_;
  std::vector<double> x_, gradient_, l1_;
  double value_ = 0.0;
  std::vector<std::int64_t> columns_;  // the working set of H_
  Buffer<double> H_;
  double last_worst_ = 0.0;
  int n_retries_ = 0;
};

// The multinomial loss does not see a constant that all classes share; none is the choice.
void centre_constants(std::int64_t n_outputs, std::span<double> params) {
  const std::size_t s = params.size() / at(n_outputs);
  double mean = 0.0;
  for (std::size_t k = s - 1; k < params.size(); k += s) mean += params[k];
  mean /= static_cast<double>(n_outputs);
  for (std::size_t k = s - 1; k < params.size(); k += s) params[k] -= mean;
}

}  // namespace

GlmResult fit_sparse_glm(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
                         const GlmOptions& options, std::span<double> params, const Context& ctx) {
  move_constants(rows, 1.0, problem.n_outputs, params);
  ProximalNewton solver(rows, problem, penalty, params);
  const GlmResult result = solver.run(options, ctx);
  std::copy(solver.params().begin(), solver.params().end(), params.begin());
  move_constants(rows, -1.0, problem.n_outputs, params);
  if (!problem.pointwise && problem.fit_intercept) centre_constants(problem.n_outputs, params);
  return result;
}

}  // namespace gramian::solve
