#include "solve/svm/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "solve/glm/glm.hpp"
#include "solve/glm/glm_proof.hpp"
#include "solve/glm/rows.hpp"
#include "solve/glm/sparse_glm.hpp"
#include "solve/robust/pinball.hpp"
#include "solve/svm/dual_descent.hpp"
#include "solve/svm/linear_svm_target.hpp"

namespace gramian::solve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxRounds = 8;  // of ever smaller tolerances, until the gap is proven
// The first tolerance of dual descent, in units of tol: the gap of squared losses falls like its
// square.
constexpr double kFirstSquared = 10.0;
constexpr double kFirstPlain = 0.3;
constexpr int kNewtonRounds = 3;
constexpr int kDualRounds = 4;  // of goals that leave the gap: the objective is too small for them
constexpr double kSmaller = 0.1;       // the next of them
constexpr double kInteriorTol = 1e-5;  // digits of an interior point are cheap
constexpr double kLeastInteriorTol = 1e-12;
constexpr double kAffordableGram = 40.0;  // passes over the data that a Gram matrix may cost
constexpr std::int64_t kMostColumns = 2048;
constexpr std::int64_t kFewColumns = 256;  // for which Newton's method is fast for any rows
constexpr std::int64_t kManyColumnsPerRow = 2;
constexpr double kCheapGram = 10.0;  // passes over sparse rows that a Gram matrix may cost
constexpr double kCheapNs = 2e5;
constexpr double kCubePerNs = 60.0;  // of the columns, to factorise it
// Dual descent gives way to another method after so many epochs, or as many as that one costs.
constexpr std::int64_t kPatience = 100;
constexpr double kNewtonSteps = 5.0;
constexpr double kInteriorSteps = 25.0;
constexpr double kUsualPasses = 30.0;  // for the choice of the number of threads

class Machine {
 public:
  Machine(const AnyMatrix& X, const Rows& rows, const LinearSvmProblem& problem,
          const LinearSvmOptions& options, std::int64_t k, std::span<double> params,
          const Context& ctx)
      : X_(X),
        rows_(rows),
        problem_(problem),
        options_(options),
        k_(k),
        target_(problem, k),
        params_(params),
        ctx_(ctx),
        patience_(options.max_iter) {
    is_squared_ = problem.loss == SvmLoss::squared_hinge ||
                  problem.loss == SvmLoss::squared_epsilon_insensitive;
    for (const double cost : target_.cost) total_ += cost;
    fit_.solver = first_solver();
    if (options.side == SvmSide::any && direct_solver() != fit_.solver) {
      const double passes = (is_squared_ ? kNewtonSteps : kInteriorSteps) * gram_ns() /
                            std::max(rows.pass_ns(1), 1.0);
      const std::int64_t enough = std::max(kPatience, static_cast<std::int64_t>(passes));
      patience_ = std::min(options.max_iter - options.max_iter / 2, enough);
    }
    std::fill(params_.begin(), params_.end(), 0.0);
    if (fit_.solver == SvmSolver::dual_descent) dual_.assign(target_.y.size(), 0.0);
  }

  std::int64_t patience() const { return patience_; }
  bool is_dual() const { return fit_.solver == SvmSolver::dual_descent; }
  double first_goal() const {
    if (!is_dual()) return options_.tol;
    return (is_squared_ ? kFirstSquared : kFirstPlain) * options_.tol;
  }

  // This machine among others that are solved in lanes, which is to call `take` and then `run`.
  DualLane lane() { return {dual_problem(), dual_, params_}; }
  void take(const DualResult& result) {
    fit_.n_iter = result.n_iter;
    is_solved_ = true;
  }

  // Solves ever more precisely until the gap is proven to be small enough, if need be by another
  // solver than the first.
  LinearSvmFit run() {
    if (is_free_at_zero()) {
      fit_.converged = true;
      return fit_;
    }
    bool can_switch = options_.side == SvmSide::any && !problem_.is_l1;
    double goal = first_goal();
    for (int round = 0; round < kMaxRounds; ++round, goal *= kSmaller) {
      if (round > 0 || !is_solved_) solve(goal);
      prove();
      fit_.converged = gap() <= options_.tol * std::abs(fit_.objective);
      const bool is_exhausted = fit_.n_iter >= options_.max_iter || ctx_.expired();
      if (fit_.converged || is_exhausted || !fit_.is_finite) break;
      if (!is_stuck(round)) continue;
      if (!can_switch) break;
      can_switch = false;
      switch_way();
      goal = first_goal() / kSmaller;
    }
    return best();
  }

 private:
  double gap() const { return fit_.objective - fit_.bound; }

  // Whether no row costs anything without coefficients: all targets are within the tube.
  bool is_free_at_zero() const {
    for (std::size_t i = 0; i < target_.y.size(); ++i)
      if (loss(i, 0.0) > 0.0) return false;
    return true;
  }

  // Whether the present solver will hardly gain more digits.
  bool is_stuck(int round) const {
    if (is_dual()) {
      const bool may_give_way = options_.side == SvmSide::any && patience_ < options_.max_iter;
      return fit_.n_iter >= patience_ || (may_give_way && round >= kDualRounds);
    }
    return fit_.solver == SvmSolver::interior_point || round >= kNewtonRounds;
  }

  void switch_way() {
    other_params_.assign(params_.begin(), params_.end());
    other_ = fit_;
    if (is_dual()) {
      fit_.solver = direct_solver();
      is_hard_ = true;
      dual_.clear();
      return;
    }
    fit_.solver = SvmSolver::dual_descent;
    patience_ = options_.max_iter;
    dual_.resize(target_.y.size(), 0.0);  // that of an interior point is a start
  }

  // The better of what both ways reached.
  LinearSvmFit best() {
    if (other_params_.empty() || (fit_.is_finite && fit_.objective <= other_.objective))
      return fit_;
    std::copy(other_params_.begin(), other_params_.end(), params_.begin());
    other_.bound = std::max(other_.bound, fit_.bound);
    other_.n_iter = fit_.n_iter;
    other_.converged = other_.objective - other_.bound <= options_.tol * std::abs(other_.objective);
    return other_;
  }

  bool has_intercept() const { return problem_.intercept_scaling > 0.0; }
  double intercept_penalty() const {  // of b, of the first or second degree
    if (!has_intercept()) return 0.0;
    const double s = problem_.intercept_scaling;
    return problem_.is_l1 ? 1.0 / s : 1.0 / (s * s);
  }

  // Dual descent is tried first where Gram matrices cost much, and where more columns than rows
  // leave the coefficients free: it then takes few epochs. Squared losses do for any of them; of
  // the others nearly as many columns as rows are hard.
  SvmSolver first_solver() const {
    if (problem_.is_l1 || options_.side == SvmSide::primal) return direct_solver();
    const std::int64_t p = rows_.n_features();
    const double pass = rows_.pass_ns(1);
    const bool is_wide = is_squared_ ? p > std::max(rows_.n_rows(), kFewColumns)
                                     : p >= kManyColumnsPerRow * rows_.n_rows();
    const bool is_dear = is_sparse(X_) && gram_ns() > std::max(kCheapGram * pass, kCheapNs);
    const bool is_first = options_.side == SvmSide::dual || is_wide || is_dear;
    return is_first ? SvmSolver::dual_descent : direct_solver();
  }

  // What a factorised Gram matrix costs.
  double gram_ns() const {
    const auto p = static_cast<double>(rows_.n_features());
    return rows_.moments_ns() + p * p * p / kCubePerNs;
  }

  // The solver that gains all digits in few steps, if there is one.
  SvmSolver direct_solver() const {
    if (problem_.is_l1) return SvmSolver::proximal_newton;
    if (is_squared_) return SvmSolver::newton;
    const bool has_gram =
        rows_.n_features() <= kMostColumns &&
        rows_.moments_ns() <= std::max(kAffordableGram * rows_.pass_ns(1), kCheapNs);
    const bool is_positive = std::none_of(target_.cost.begin(), target_.cost.end(),
                                          [](double cost) { return cost == 0.0; });
    return has_gram && is_positive ? SvmSolver::interior_point : SvmSolver::dual_descent;
  }

  void solve(double goal) {
    const std::int64_t left = (is_dual() ? patience_ : options_.max_iter) - fit_.n_iter;
    switch (fit_.solver) {
      case SvmSolver::newton:
        fit_.n_iter += fit_glm(rows_, glm(), {newton_method(), goal, left}, params_, ctx_).n_iter;
        break;
      case SvmSolver::proximal_newton:
        fit_.n_iter += fit_sparse_glm(rows_, glm(), l1_penalty(),
                                      {GlmMethod::automatic, goal, left}, params_, ctx_)
                           .n_iter;
        break;
      case SvmSolver::interior_point:
        solve_interior(std::max(kInteriorTol * goal, kLeastInteriorTol), left);
        break;
      case SvmSolver::dual_descent:
        solve_dual({goal, left, options_.seed, static_cast<std::uint64_t>(k_)});
        break;
    }
  }

  // Where dual descent did not get on, no other first-order method will.
  GlmMethod newton_method() const {
    const bool has_hessian = rows_.n_features() <= kMostColumns;
    return is_hard_ && has_hessian ? GlmMethod::newton_cholesky : GlmMethod::automatic;
  }

  // As a mean of losses, weighted by the costs.
  GlmProblem glm() const {
    GlmProblem glm;
    glm.pointwise = problem_.loss == SvmLoss::squared_hinge
                        ? PointwiseLoss::squared_hinge
                        : PointwiseLoss::squared_epsilon_insensitive;
    glm.power = problem_.epsilon;
    glm.y = target_.y;
    glm.weight = target_.cost;
    glm.fit_intercept = has_intercept();
    if (problem_.is_l1) return glm;
    glm.l2 = 1.0 / total_;
    glm.l2_intercept = intercept_penalty() / total_;
    return glm;
  }
  L1Penalty l1_penalty() const {
    if (!problem_.is_l1) return {};
    return {1.0 / total_, intercept_penalty() / total_};
  }

  void solve_interior(double tol, std::int64_t max_iter) {
    PinballProblem pinball;
    pinball.y = target_.y;
    pinball.above = target_.above;
    pinball.below = target_.below;
    pinball.dead_zone = problem_.epsilon;
    pinball.l2 = 1.0;
    pinball.l2_intercept = intercept_penalty();
    pinball.fit_intercept = has_intercept();
    const PinballResult result =
        fit_pinball(WeightedRows(X_, false), pinball, {tol, max_iter}, ctx_);
    fit_.n_iter += result.n_iter;
    std::copy(result.coef.begin(), result.coef.end(), params_.begin());
    params_.back() = result.intercept;
    dual_ = result.dual;
    for (std::size_t i = 0; i < dual_.size(); ++i)
      dual_[i] = std::clamp(dual_[i], -target_.below[i], target_.above[i]);
  }

  void solve_dual(const DualOptions& options) {
    fit_.n_iter += dual_descent(X_, dual_problem(), options, dual_, params_, ctx_).n_iter;
  }

  DualProblem dual_problem() {
    if (is_squared_ && curvature_.empty()) {
      for (std::size_t i = 0; i < target_.cost.size(); ++i) {
        const double cost = target_.cost[i];
        curvature_.push_back(cost > 0.0 ? 0.5 / cost : 0.0);
        free_above_.push_back(target_.above[i] > 0.0 ? kInfinity : 0.0);
        free_below_.push_back(target_.below[i] > 0.0 ? kInfinity : 0.0);
      }
    }
    DualProblem dual;
    dual.y = target_.y;
    dual.above = is_squared_ ? free_above_ : target_.above;
    dual.below = is_squared_ ? free_below_ : target_.below;
    dual.curvature = curvature_;
    dual.dead_zone = problem_.epsilon;
    dual.intercept_scaling = problem_.intercept_scaling;
    return dual;
  }

  void prove() {
    if (!dual_.empty()) return prove_by_dual();
    const GlmProof proof = prove_glm(rows_, glm(), l1_penalty(), params_, ctx_);
    fit_.objective = total_ * proof.objective;
    fit_.bound = std::max(fit_.objective - total_ * proof.excess, 0.0);
    fit_.is_finite = proof.is_finite;
  }

  // The loss of row i at the score z, and what its u adds to the dual objective.
  double loss(std::size_t i, double z) const {
    const double error = target_.y[i] - z;
    const double cost = error > 0.0 ? target_.above[i] : target_.below[i];
    const double excess = std::max(std::abs(error) - problem_.epsilon, 0.0);
    return cost * excess * (is_squared_ ? excess : 1.0);
  }
  double dual_term(std::size_t i) const {
    const double u = dual_[i];
    const double plain = target_.y[i] * u - problem_.epsilon * std::abs(u);
    return is_squared_ && u != 0.0 ? plain - 0.25 * u * u / target_.cost[i] : plain;
  }

  // Both objectives, in one pass: P(v, b) and D(u) = sum of the dual terms - |sum_i u_i (x_i, s)|^2
  // / 2.
  void prove_by_dual() {
    Context ctx = ctx_;
    ctx.deadline.reset();  // the fit is over; its proof takes one pass
    const auto on_block = [&](const ScoreBlock& block) {
      double sum = 0.0;
      for (std::int64_t i = block.begin; i < block.end; ++i) {
        double& z = block.z[i - block.begin];
        sum += loss(at(i), z);
        block.values[0] += dual_term(at(i));
        z = dual_[at(i)];
      }
      return sum;
    };
    const PassSums sums = rows_.pass(params_, 1, on_block, ctx);
    fit_.objective = sums.value;
    fit_.bound = sums.values[0];
    for (std::size_t j = 0; j < params_.size(); ++j) {
      const bool is_intercept = j + 1 == params_.size();
      const double s = is_intercept ? problem_.intercept_scaling : 1.0;
      const double v = is_intercept && !has_intercept() ? 0.0 : params_[j] / s;
      fit_.objective += 0.5 * v * v;
      fit_.bound -= 0.5 * s * s * sums.products[j] * sums.products[j];
    }
    fit_.bound = std::max(fit_.bound, 0.0);  // no loss is negative
    fit_.is_finite = std::isfinite(fit_.objective);
  }

  const AnyMatrix& X_;
  const Rows& rows_;
  const LinearSvmProblem& problem_;
  const LinearSvmOptions& options_;
  std::int64_t k_;
  LinearSvmTarget target_;
  std::span<double> params_;
  const Context& ctx_;
  bool is_squared_ = false;
  double total_ = 0.0;        // of the costs
  std::vector<double> dual_;  // empty for Newton's method
  // Of squared losses, whose u have no bounds.
  std::vector<double> curvature_, free_above_, free_below_;
  bool is_solved_ = false;
  LinearSvmFit other_;  // what the solver before this one reached, and where
  std::vector<double> other_params_;
  bool is_hard_ = false;
  std::int64_t patience_;  // epochs of dual descent before the direct solver is taken
  LinearSvmFit fit_;
};

// Solves machines by dual coordinate descent, eight at a time or fewer.
void solve_in_lanes(const AnyMatrix& X, std::vector<std::unique_ptr<Machine>>& machines,
                    const LinearSvmOptions& options, double cost, const Context& ctx) {
  const Chunks groups = Chunks::of_rows(std::ssize(machines), kDualLanes);
  parallel_for(ctx, groups.count(), cost, [&](std::int64_t group) {
    std::vector<DualLane> lanes;
    for (std::int64_t k = groups.begin(group); k < groups.end(group); ++k)
      lanes.push_back(machines[at(k)]->lane());
    const double goal = machines.front()->first_goal();
    const DualOptions each{goal, machines.front()->patience(), options.seed, at(group)};
    const std::vector<DualResult> results = dual_descent_in_lanes(X, lanes, each, ctx);
    for (std::int64_t k = groups.begin(group); k < groups.end(group); ++k)
      machines[at(k)]->take(results[at(k - groups.begin(group))]);
  });
}

}  // namespace

std::vector<LinearSvmFit> fit_linear_svm(const AnyMatrix& X, const LinearSvmProblem& problem,
                                         const LinearSvmOptions& options, std::span<double> params,
                                         const Context& ctx) {
  const std::unique_ptr<Rows> rows = rows_for_passes(X);
  const std::int64_t count = std::max<std::int64_t>(problem.class_factor.n_rows, 1);
  const std::size_t stride = params.size() / at(count);
  std::vector<LinearSvmFit> fits(at(count));
  const double cost = static_cast<double>(count) * kUsualPasses * rows->pass_ns(1);
  std::vector<std::unique_ptr<Machine>> machines;
  for (std::int64_t k = 0; k < count; ++k)
    machines.push_back(std::make_unique<Machine>(X, *rows, problem, options, k,
                                                 params.subspan(at(k) * stride, stride), ctx));
  const auto is_dual = [](const auto& machine) { return machine->is_dual(); };
  if (count > 1 && std::all_of(machines.begin(), machines.end(), is_dual))
    solve_in_lanes(X, machines, options, cost, ctx);
  parallel_for(ctx, count, cost, [&](std::int64_t k) { fits[at(k)] = machines[at(k)]->run(); });
  return fits;
}

}  // namespace gramian::solve
