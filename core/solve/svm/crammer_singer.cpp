#include "solve/svm/crammer_singer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/index.hpp"
#include "random/philox.hpp"
#include "solve/glm/rows.hpp"
#include "solve/sgd/sgd_rows.hpp"

namespace gramian::solve {
namespace {

constexpr std::uint16_t kPurpose = 0xc5;
constexpr double kLeastCurvature = 1e-12;
constexpr std::size_t kAhead = 4;  // rows that are fetched before their turn
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxRounds = 8;  // of ever smaller tolerances, until the gap is proven
constexpr double kSmaller = 0.1;

template <class T, class Function>
void for_each_entry(const DenseRow<T>& row, const Function& function) {
  for (std::int64_t j = 0; j < row.n; ++j) function(j, static_cast<double>(row.values[j]));
}
template <class T, class Index, class Function>
void for_each_entry(const SparseRow<T, Index>& row, const Function& function) {
  for (std::size_t e = 0; e < row.row.cols.size(); ++e)
    function(static_cast<std::int64_t>(row.row.cols[e]), static_cast<double>(row.row.values[e]));
}

// Minimises  a |u|^2 / 2 + b' u  over  u_k <= c [k = own]  with  sum_k u_k = 0.  With
// d_k = b_k + a c [k = own] it is u_k = min(c [k = own], (beta - b_k) / a), where beta is the level
// below which the d stand out by a c in all. `d` is scratch.
void minimise_row(double a, std::span<const double> b, double c, std::size_t own,
                  std::span<double> d, std::span<double> u) {
  std::copy(b.begin(), b.end(), d.begin());
  d[own] += a * c;
  std::sort(d.begin(), d.end(), std::greater<>());
  double beta = d[0] - a * c;
  for (std::size_t r = 1; r < d.size() && d[r] > beta; ++r) {
    const auto count = static_cast<double>(r);
    beta = (beta * count + d[r]) / (count + 1.0);
  }
  for (std::size_t k = 0; k < u.size(); ++k) u[k] = std::min(k == own ? c : 0.0, (beta - b[k]) / a);
}

template <class Data>
class CrammerSinger {
 public:
  CrammerSinger(const Data& X, const CrammerSingerProblem& problem, const LinearSvmOptions& options)
      : rows_(rows_of(X)),
        problem_(problem),
        options_(options),
        n_classes_(at(problem.n_classes)),
        stream_(options.seed, 0, kPurpose),
        v_(at(rows_.n_cols() + 1) * n_classes_, 0.0),
        u_(at(rows_.n_rows()) * n_classes_, 0.0),
        scores_(n_classes_),
        next_(n_classes_),
        scratch_(n_classes_) {
    const double s = problem.intercept_scaling;
    for (std::int64_t i = 0; i < rows_.n_rows(); ++i) {
      curvature_.push_back(std::max(rows_.row(i).squared_norm() + s * s, kLeastCurvature));
      if (problem.cost[at(i)] > 0.0) order_.push_back(i);
    }
  }

  // Epochs until no row violates the conditions by more than `tol`.
  void descend(double tol, LinearSvmFit& fit, const Context& ctx) {
    std::size_t n_active = order_.size();
    double bound = kInfinity;  // slack beyond which a row is left out
    while (fit.n_iter < options_.max_iter && !ctx.expired()) {
      const double worst = epoch(n_active, bound, ctx);
      ++fit.n_iter;
      bound = worst > 0.0 ? worst : kInfinity;
      if (worst > tol) continue;
      if (n_active == order_.size()) return;
      n_active = order_.size();
      bound = kInfinity;
    }
  }

  void store(std::span<double> params) const {
    const std::size_t stride = params.size() / n_classes_;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      for (std::size_t j = 0; j < stride; ++j) params[k * stride + j] = v_[j * n_classes_ + k];
      params[(k + 1) * stride - 1] *= problem_.intercept_scaling;
    }
  }

  std::span<const double> dual_of(std::int64_t i) const {
    return {u_.data() + at(i) * n_classes_, n_classes_};
  }

 private:
  double* coefficients(std::int64_t j) { return v_.data() + at(j) * n_classes_; }

  // Derivatives by the u of a row: scores, and one for the other classes.
  void find_scores(std::int64_t i, std::size_t own) {
    std::fill(scores_.begin(), scores_.end(), 1.0);
    scores_[own] = 0.0;
    const auto add = [&](std::int64_t j, double x) {
      const double* v = coefficients(j);
      for (std::size_t k = 0; k < n_classes_; ++k) scores_[k] += x * v[k];
    };
    for_each_entry(rows_.row(i), add);
    if (problem_.intercept_scaling > 0.0) add(rows_.n_cols(), problem_.intercept_scaling);
  }

  // By how much the derivatives of what may rise and of what may fall are in the wrong order.
  double violation(std::span<const double> u, std::size_t own, double cost) const {
    double largest = scores_[0], smallest = kInfinity;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      largest = std::max(largest, scores_[k]);
      if (u[k] < (k == own ? cost : 0.0)) smallest = std::min(smallest, scores_[k]);
    }
    return std::max(largest - smallest, 0.0);
  }

  void move(std::int64_t i, std::span<double> u) {
    for (std::size_t k = 0; k < n_classes_; ++k) {
      scratch_[k] = next_[k] - u[k];
      u[k] = next_[k];
    }
    const auto add = [&](std::int64_t j, double x) {
      double* v = coefficients(j);
      for (std::size_t k = 0; k < n_classes_; ++k) v[k] += x * scratch_[k];
    };
    for_each_entry(rows_.row(i), add);
    if (problem_.intercept_scaling > 0.0) add(rows_.n_cols(), problem_.intercept_scaling);
  }

  // By how much the score of a row without any u exceeds what it has to.
  double slack(std::span<const double> u, std::size_t own) const {
    double largest = -kInfinity;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      if (u[k] != 0.0) return 0.0;
      if (k != own) largest = std::max(largest, scores_[k]);
    }
    return scores_[own] - largest;
  }

  // One step for each of the first n_active rows of the order, which loses those that are left out;
  // the largest violation.
  double epoch(std::size_t& n_active, double bound, const Context& ctx) {
    for (std::size_t k = 0; k + 1 < n_active; ++k)
      std::swap(order_[k], order_[k + stream_.below(n_active - k)]);
    double worst = 0.0;
    for (std::size_t k = 0; k < n_active;) {
      ctx.check();
      if (k + kAhead < n_active) rows_.prefetch(order_[k + kAhead]);
      const std::int64_t i = order_[k];
      const auto own = static_cast<std::size_t>(problem_.y[at(i)]);
      const double cost = problem_.cost[at(i)];
      const std::span<double> u{u_.data() + at(i) * n_classes_, n_classes_};
      find_scores(i, own);
      if (slack(u, own) > bound) {
        std::swap(order_[k], order_[--n_active]);
        continue;
      }
      ++k;
      const double size = violation(u, own, cost);
      worst = std::max(worst, size);
      if (size == 0.0) continue;
      const double a = curvature_[at(i)];
      for (std::size_t c = 0; c < n_classes_; ++c) scores_[c] -= a * u[c];
      minimise_row(a, scores_, cost, own, scratch_, next_);
      move(i, u);
    }
    return worst;
  }

  decltype(rows_of(std::declval<const Data&>())) rows_;
  const CrammerSingerProblem& problem_;
  const LinearSvmOptions& options_;
  std::size_t n_classes_;
  Stream stream_;
  std::vector<double> v_;  // the classes' coefficients of a column side by side, intercepts last
  std::vector<double> u_;
  std::vector<double> curvature_;
  std::vector<std::int64_t> order_;
  std::vector<double> scores_, next_, scratch_;
};

// Both objectives at the returned solution, in one pass.
template <class Data>
void prove(const Rows& rows, const CrammerSingerProblem& problem,
           const CrammerSinger<Data>& machine, std::span<const double> params, LinearSvmFit& fit,
           Context ctx) {
  ctx.deadline.reset();  // the fit is over; its proof takes one pass
  const std::int64_t n_classes = problem.n_classes;
  const auto on_block = [&](const ScoreBlock& block) {
    double sum = 0.0;
    for (std::int64_t i = block.begin; i < block.end; ++i) {
      double* z = block.z + (i - block.begin) * block.ld;
      const auto own = static_cast<std::int64_t>(problem.y[at(i)]);
      double worst = 0.0;
      for (std::int64_t k = 0; k < n_classes; ++k)
        if (k != own) worst = std::max(worst, z[k] + 1.0 - z[own]);
      sum += problem.cost[at(i)] * worst;
      const std::span<const double> u = machine.dual_of(i);
      block.values[0] += u[at(own)];  // minus the sum of the others
      std::copy(u.begin(), u.end(), z);
    }
    return sum;
  };
  const PassSums sums = rows.pass(params, n_classes, on_block, ctx);
  fit.objective = sums.value;
  fit.bound = sums.values[0];
  const std::size_t stride = params.size() / at(n_classes);
  for (std::size_t k = 0; k < params.size(); ++k) {
    const bool is_intercept = k % stride == stride - 1;
    const double s = is_intercept ? problem.intercept_scaling : 1.0;
    const double v = s > 0.0 ? params[k] / s : 0.0;
    fit.objective += 0.5 * v * v;
    fit.bound -= 0.5 * s * s * sums.products[k] * sums.products[k];
  }
  fit.bound = std::max(fit.bound, 0.0);  // no loss is negative
  fit.is_finite = std::isfinite(fit.objective);
}

// With the rows as the passes of the proof read them.
template <class Data>
LinearSvmFit fit(const Data& X, const Rows& rows, const CrammerSingerProblem& problem,
                 const LinearSvmOptions& options, std::span<double> params, const Context& ctx) {
  CrammerSinger<Data> machine(X, problem, options);
  LinearSvmFit fit;
  fit.solver = SvmSolver::dual_descent;
  double goal = options.tol;
  for (int round = 0; round < kMaxRounds; ++round, goal *= kSmaller) {
    machine.descend(goal, fit, ctx);
    machine.store(params);
    prove(rows, problem, machine, params, fit, ctx);
    fit.converged = fit.objective - fit.bound <= options.tol * std::abs(fit.objective);
    const bool is_exhausted = fit.n_iter >= options.max_iter || ctx.expired();
    if (fit.converged || is_exhausted || !fit.is_finite) break;
  }
  return fit;
}

}  // namespace

LinearSvmFit fit_crammer_singer(const AnyMatrix& X, const CrammerSingerProblem& problem,
                                const LinearSvmOptions& options, std::span<double> params,
                                const Context& ctx) {
  const std::unique_ptr<Rows> rows = rows_for_passes(X);
  return std::visit(
      [&](const auto& view) { return fit(view, *rows, problem, options, params, ctx); }, X);
}

}  // namespace gramian::solve
