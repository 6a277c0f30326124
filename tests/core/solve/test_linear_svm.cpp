#include <cmath>
#include <vector>

#include "check.hpp"
#include "random/philox.hpp"
#include "solve/svm/linear_svm.hpp"

using namespace gramian;
using namespace gramian::solve;

namespace {

// Two classes that overlap, and a target that grows with the first column.
struct Data {
  std::int64_t n = 300, p = 5;
  std::vector<double> X, y, target, cost;
  std::vector<double> factor{1.0, 1.0};

  Data() : cost(static_cast<std::size_t>(n), 0.5) {
    Stream stream(3, 0, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < p; ++j) X.push_back(stream.normal());
      const double first = X[static_cast<std::size_t>(i * p)];
      y.push_back(first + 0.5 * stream.normal() > 0.2 ? 1.0 : 0.0);
      target.push_back(2.0 * first + stream.normal());
    }
  }
  MatrixView<const double> rows() const { return {X.data(), n, p}; }

  LinearSvmProblem problem(SvmLoss loss) const {
    LinearSvmProblem out;
    out.loss = loss;
    out.cost = cost;
    out.intercept_scaling = 2.0;
    const bool is_class = loss == SvmLoss::hinge || loss == SvmLoss::squared_hinge;
    out.y = is_class ? y : target;
    if (is_class) out.class_factor = {factor.data(), 1, 2};
    if (!is_class) out.epsilon = 0.3;
    return out;
  }
};

LinearSvmFit solved(const Data& data, SvmLoss loss, SvmSide side, std::vector<double>& params,
                    int n_threads = 1) {
  LinearSvmOptions options;
  options.side = side;
  options.tol = 1e-7;
  options.max_iter = 100000;
  Context ctx;
  ctx.n_threads = n_threads;
  params.assign(6, 0.0);
  return fit_linear_svm(data.rows(), data.problem(loss), options, params, ctx)[0];
}

}  // namespace

TEST(linear_machines_reach_one_optimum_on_both_ways_and_prove_it) {
  const Data data;
  for (const SvmLoss loss : {SvmLoss::hinge, SvmLoss::squared_hinge, SvmLoss::epsilon_insensitive,
                             SvmLoss::squared_epsilon_insensitive}) {
    std::vector<double> any, dual, again;
    const LinearSvmFit first = solved(data, loss, SvmSide::any, any);
    const LinearSvmFit second = solved(data, loss, SvmSide::dual, dual);
    CHECK(first.solver != SvmSolver::dual_descent);
    CHECK(second.solver == SvmSolver::dual_descent);
    for (const LinearSvmFit& fit : {first, second}) {
      CHECK(fit.converged);
      CHECK(fit.bound <= fit.objective * (1.0 + 1e-12));
      CHECK(fit.objective - fit.bound <= 1e-7 * fit.objective);
    }
    CHECK(std::abs(first.objective - second.objective) <= 2e-7 * first.objective);
    for (std::size_t j = 0; j < any.size(); ++j) CHECK(std::abs(any[j] - dual[j]) < 1e-3);
    solved(data, loss, SvmSide::any, again, 2);
    CHECK(any == again);
  }
}
