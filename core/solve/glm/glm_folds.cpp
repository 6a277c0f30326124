#include "solve/glm/glm_folds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/quasi_newton.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kFewSteps = 3;   // so few tell that the preconditioner is still good
constexpr std::int64_t kManySteps = 8;  // within one penalty, after which it is renewed
constexpr std::int64_t kPatience = 24;  // after so many, each fold goes on alone
constexpr double kExcess = 1e-6;        // of the objective over its minimum, times tol^2
constexpr std::int64_t kMaxPolish = 6;
constexpr int kMaxHalvings = 40;

struct Fold {
  std::span<const double> weight;
  double total = 0.0;
  double l2 = 0.0;
  SmoothState state;
  double reached = 0.0;
  QuasiNewton memory;
  Vector direction;
  bool is_stuck = false;  // no step makes progress
};

// A point to be tried by one fold.
struct Trial {
  Fold* fold;
  double length = 1.0;
  Vector x, gradient;
  double value = 0.0;
};

class FoldSolver {
 public:
  FoldSolver(const Rows& rows, const FoldsProblem& problem, const GlmOptions& options,
             const Context& ctx)
      : rows_(rows), problem_(problem), ctx_(ctx) {
    options_.tol = options.tol;
    options_.max_iter = options.max_iter;
    options_.excess = kExcess * options.tol * options.tol;
    options_.max_polish = kMaxPolish;
    const std::size_t n = at(rows.n_rows());
    for (std::int64_t f = 0; f < problem.weight.n_rows; ++f) {
      Fold fold;
      fold.weight = {problem.weight.data + f * problem.weight.row_stride, n};
      fold.total = sum_of_rows(fold.weight);
      fold.state.x.assign(at(rows.n_features() + 1), 0.0);
      folds_.push_back(std::move(fold));
    }
  }

  std::vector<Fold>& folds() { return folds_; }

  // Fits all folds with one penalty, from where they are.
  void fit(double strength) {
    std::vector<Fold*> active;
    double total = 0.0;
    const bool renew = last_steps_ > kFewSteps || !moments_;
    for (Fold& fold : folds_) {
      change_penalty(fold, strength / fold.total);
      fold.state.n_iter = fold.state.n_polish = 0;
      fold.is_stuck = false;
      total += fold.total;
      active.push_back(&fold);
    }
    mean_l2_ = strength * static_cast<double>(folds_.size()) / total;
    if (renew) renew_moments(active);
    factorise();
    std::int64_t n_steps = 0;
    for (; !(active = going_on(active)).empty(); ++n_steps) {
      if (n_steps == kPatience) {
        finish_alone(active);
        break;
      }
      if (n_steps % kManySteps == kManySteps - 1) {
        renew_moments(active);
        factorise();
        set_directions(active);
      }
      search(active);
    }
    last_steps_ = n_steps;
  }

 private:
  // Objective and gradient where the fold is follow from those of the penalty before.
  static void change_penalty(Fold& fold, double l2) {
    SmoothState& state = fold.state;
    for (std::size_t j = 0; j + 1 < state.x.size() && !state.gradient.empty(); ++j) {
      state.gradient[j] += (l2 - fold.l2) * state.x[j];
      state.value += 0.5 * (l2 - fold.l2) * state.x[j] * state.x[j];
    }
    fold.l2 = l2;
    fold.memory.clear();
    fold.reached = std::abs(state.value);
  }

  // Objective, gradient and the sum of the Hessians where folds are.
  void renew_moments(std::span<Fold* const> active) {
    std::vector<Trial> trials;
    for (Fold* fold : active) trials.push_back({fold, 0.0, fold->state.x, {}, 0.0});
    evaluate(trials, true);
    sum_weight_.assign(at(rows_.n_rows()), 0.0);
    for (Trial& trial : trials) {
      Fold& fold = *trial.fold;
      fold.state.gradient = std::move(trial.gradient);
      fold.state.value = trial.value;
      fold.reached = std::abs(trial.value);
      fold.memory.clear();
      for (std::size_t i = 0; i < sum_weight_.size(); ++i) sum_weight_[i] += fold.weight[i];
    }
    moments_.emplace(rows_.moments(curvature_, ctx_));
  }

  // The preconditioner: the mean Hessian of those folds, with the penalty of now.
  void factorise() {
    GlmProblem mean;
    mean.pointwise = problem_.loss;
    mean.weight = sum_weight_;
    mean.l2 = mean_l2_;
    mean.fit_intercept = problem_.fit_intercept;
    const GlmObjective objective(rows_, mean);
    factor_.emplace(objective.hessian_from(*moments_), rows_.n_features() + 1, ctx_);
  }

  // Newton's method with the fold's own Hessian: where classes are all but separate, curvatures of
  // folds are unlike each other and their mean is of little use.
  void finish_alone(std::span<Fold* const> active) {
    for (Fold* fold : active) {
      GlmProblem own;
      own.pointwise = problem_.loss;
      own.y = problem_.y;
      own.weight = fold->weight;
      own.l2 = fold->l2;
      own.fit_intercept = problem_.fit_intercept;
      GlmObjective objective(rows_, own);
      start(objective, fold->state, options_, ctx_);
      newton_cholesky(objective, fold->state, options_, ctx_);
    }
  }

  std::vector<Fold*> going_on(std::span<Fold* const> active) {
    std::vector<Fold*> out;
    for (Fold* fold : active)
      if (goes_on(fold->state, fold->reached, options_, ctx_) && !fold->is_stuck)
        out.push_back(fold);
    set_directions(out);
    std::erase_if(out, [&](const Fold* fold) {
      return fold->state.converged && fold->state.excess <= options_.excess;
    });
    return out;
  }

  void set_directions(std::span<Fold* const> active) {
    const Preconditioner precondition = [this](std::span<double> x) { factor_->solve(x); };
    for (Fold* fold : active) {
      fold->direction = fold->memory.direction(fold->state.gradient, precondition);
      fold->state.excess = -0.5 * dot(fold->direction, fold->state.gradient);
    }
  }

  // Moves each fold along its direction; all wait for the one that halves its step most often.
  void search(std::span<Fold* const> active) {
    std::vector<Trial> trials;
    for (Fold* fold : active) trials.push_back({fold, 1.0, {}, {}, 0.0});
    for (int k = 0; k < kMaxHalvings && !trials.empty(); ++k) {
      for (Trial& trial : trials) {
        trial.x = trial.fold->state.x;
        for (std::size_t j = 0; j < trial.x.size(); ++j)
          trial.x[j] += trial.length * trial.fold->direction[j];
      }
      evaluate(trials, false);
      std::vector<Trial> again;
      for (Trial& trial : trials)
        if (!take(trial)) again.push_back({trial.fold, 0.5 * trial.length, {}, {}, 0.0});
      trials = std::move(again);
      if (ctx_.expired()) break;
    }
    // Without progress: once more with the preconditioner alone, or that is all.
    for (const Trial& trial : trials) {
      trial.fold->is_stuck = trial.fold->memory.empty();
      trial.fold->reached = trial.fold->state.excess;
      trial.fold->memory.clear();
    }
  }

  // Takes the step if there is progress.
  static bool take(Trial& trial) {
    Fold& fold = *trial.fold;
    SmoothState& state = fold.state;
    const double slope = dot(state.gradient, fold.direction);
    const double next_slope = dot(trial.gradient, fold.direction);
    if (!is_progress(state.value, trial.value, slope, next_slope, trial.length)) return false;
    fold.memory.add(std::move(state.x), std::move(state.gradient), trial.x, trial.gradient);
    state.x = std::move(trial.x);
    state.gradient = std::move(trial.gradient);
    state.value = trial.value;
    ++state.n_iter;
    fold.reached = state.excess;
    return true;
  }

  // Objective and gradient of every trial in one pass; with `keep` the curvatures of all folds.
  void evaluate(std::vector<Trial>& trials, bool keep) {
    const std::int64_t s = rows_.n_features() + 1;
    Vector params;
    for (const Trial& trial : trials) params.insert(params.end(), trial.x.begin(), trial.x.end());
    if (keep) curvature_.assign(at(rows_.n_rows()), 0.0);
    const auto on_block = [&](const ScoreBlock& block) { return losses(trials, block, keep); };
    const PassSums sums = rows_.pass(params, std::ssize(trials), on_block, ctx_);
    for (std::size_t k = 0; k < trials.size(); ++k) {
      Trial& trial = trials[k];
      const double* products = sums.products.data() + static_cast<std::int64_t>(k) * s;
      trial.gradient.assign(products, products + s);
      trial.value = sums.values[k] / trial.fold->total;
      for (std::size_t j = 0; j < at(s); ++j) {
        trial.gradient[j] /= trial.fold->total;
        if (j == at(s) - 1) continue;
        trial.gradient[j] += trial.fold->l2 * trial.x[j];
        trial.value += 0.5 * trial.fold->l2 * trial.x[j] * trial.x[j];
      }
      if (!problem_.fit_intercept) trial.gradient[at(s) - 1] = 0.0;
    }
  }

  double losses(std::span<const Trial> trials, const ScoreBlock& block, bool keep) {
    double z[kBlockRows + kLanes], curvature[kBlockRows + kLanes];
    const std::int64_t n = block.end - block.begin;
    for (std::size_t k = 0; k < trials.size(); ++k) {
      double* column = block.z + k;
      for (std::int64_t i = 0; i < n; ++i) z[i] = column[i * block.ld];
      const double* w = trials[k].fold->weight.data() + block.begin;
      const LossBlock losses{z, problem_.y.data() + block.begin, w, n,
                             z, keep ? curvature : nullptr};
      block.values[k] += GRAMIAN_DISPATCH(evaluate_losses, problem_.loss, 0.0, losses);
      for (std::int64_t i = 0; i < n; ++i) column[i * block.ld] = z[i];
      for (std::int64_t i = 0; keep && i < n; ++i) curvature_[at(block.begin + i)] += curvature[i];
    }
    return 0.0;
  }

  const Rows& rows_;
  const FoldsProblem& problem_;
  const Context& ctx_;
  SmoothOptions options_;
  std::vector<Fold> folds_;
  std::vector<double> curvature_;  // weights times curvatures, summed over folds
  std::optional<linalg::Moments> moments_;
  std::vector<double> sum_weight_;  // of the folds that the moments are of
  std::optional<ScaledFactor> factor_;
  double mean_l2_ = 0.0;
  std::int64_t last_steps_ = 0;
};

}  // namespace

void fit_glm_folds(const Rows& rows, const FoldsProblem& problem, const GlmOptions& options,
                   std::span<double> params, std::span<FoldFit> fits, const Context& ctx) {
  FoldSolver solver(rows, problem, options, ctx);
  const std::size_t s = at(rows.n_features() + 1);
  std::size_t k = 0;
  for (const double strength : problem.strength) {
    solver.fit(strength);
    for (const Fold& fold : solver.folds()) {
      const SmoothState& state = fold.state;
      const std::span<double> out = params.subspan(k * s, s);
      std::copy(state.x.begin(), state.x.end(), out.begin());
      move_constants(rows, -1.0, 1, out);
      const double size = state.gradient_size();
      fits[k] = {size, state.n_iter, state.converged, std::isfinite(state.value + size)};
      ++k;
    }
  }
}

}  // namespace gramian::solve
