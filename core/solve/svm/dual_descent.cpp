#include "solve/svm/dual_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "random/philox.hpp"
#include "solve/sgd/sgd_rows.hpp"
#include "solve/svm/dual_variable.hpp"

namespace gramian::solve {
namespace {

constexpr std::uint16_t kPurpose = 0x5d;
constexpr std::size_t kAhead = 4;  // rows that are fetched before their turn
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Rows>
class Descent {
 public:
  Descent(const Rows& X, const DualProblem& problem, const DualOptions& options,
          std::span<const double> start)
      : rows_(rows_of(X)),
        dead_zone_(problem.dead_zone),
        scaling_(problem.intercept_scaling),
        options_(options),
        stream_(options.seed, options.stream, kPurpose),
        w_(Buffer<double>::zeros(padded_size(rows_.n_cols()))) {
    for (std::int64_t i = 0; i < rows_.n_rows(); ++i) {
      const double norm = rows_.row(i).squared_norm() + scaling_ * scaling_;
      const DualVariable v = dual_variable(problem, at(i), start[at(i)], norm);
      variables_.push_back(v);
      if (v.lower < v.upper) order_.push_back(i);
      if (v.u != 0.0) move(i, v.u);
    }
  }

  DualResult run(const Context& ctx) {
    DualResult result;
    std::size_t n_active = order_.size();
    double bound = kInfinity;  // slack beyond which a row is left out
    while (result.n_iter < options_.max_iter && !ctx.expired()) {
      const double worst = epoch(n_active, bound, ctx);
      ++result.n_iter;
      result.violation = worst;
      bound = worst > 0.0 ? worst : kInfinity;
      if (worst > options_.tol) continue;
      result.converged = n_active == order_.size();
      if (result.converged) break;
      n_active = order_.size();
      bound = kInfinity;
    }
    return result;
  }

  void store(std::span<double> dual, std::span<double> params) const {
    for (std::size_t i = 0; i < dual.size(); ++i) dual[i] = variables_[i].u;
    std::copy_n(w_.data(), rows_.n_cols(), params.begin());
    params.back() = scaling_ * w_intercept_;
  }

 private:
  void move(std::int64_t i, double by) {
    rows_.row(i).add(by, w_.data(), false);
    w_intercept_ += scaling_ * by;
  }

  // One step for every row among the first n_active of the order, which loses those that are left
  // out; the largest violation that was met.
  double epoch(std::size_t& n_active, double bound, const Context& ctx) {
    for (std::size_t k = 0; k + 1 < n_active; ++k)
      std::swap(order_[k], order_[k + stream_.below(n_active - k)]);
    double worst = 0.0;
    for (std::size_t k = 0; k < n_active;) {
      ctx.check();
      if (k + kAhead < n_active) {
        rows_.prefetch(order_[k + kAhead]);
        __builtin_prefetch(&variables_[at(order_[k + kAhead])]);
      }
      const std::int64_t i = order_[k];
      DualVariable& v = variables_[at(i)];
      const double g =
          rows_.row(i).dot(w_.data()) + scaling_ * w_intercept_ - v.y + v.curvature * v.u;
      const DualViolation violation = violation_of(v, g, dead_zone_);
      if (violation.slack > bound) {
        std::swap(order_[k], order_[--n_active]);
        continue;
      }
      worst = std::max(worst, violation.size);
      ++k;
      if (violation.size == 0.0) continue;
      const double next = best_value(v, g, dead_zone_);
      if (next != v.u) move(i, next - v.u);
      v.u = next;
    }
    return worst;
  }

  decltype(rows_of(std::declval<const Rows&>())) rows_;
  double dead_zone_;
  double scaling_;
  DualOptions options_;
  Stream stream_;
  Buffer<double> w_;
  double w_intercept_ = 0.0;
  std::vector<DualVariable> variables_;
  std::vector<std::int64_t> order_;
};

}  // namespace

DualResult dual_descent(const AnyMatrix& X, const DualProblem& problem, const DualOptions& options,
                        std::span<double> dual, std::span<double> params, const Context& ctx) {
  return std::visit(
      [&]<class Rows>(const Rows& rows) {
        Descent<Rows> descent(rows, problem, options, dual);
        const DualResult result = descent.run(ctx);
        descent.store(dual, params);
        return result;
      },
      X);
}

}  // namespace gramian::solve
