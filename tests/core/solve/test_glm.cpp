// Generalised linear models: closed forms, the conditions of optimality in long double, and what a
// fit proves.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/glm/glm.hpp"
#include "solve/glm/glm_proof.hpp"
#include "solve/glm/quadratic_l1.hpp"
#include "solve/glm/smooth.hpp"
#include "solve/glm/sparse_glm.hpp"

using gramian::Buffer;
using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::PointwiseLoss;
using gramian::solve::GlmMethod;
using gramian::solve::GlmOptions;
using gramian::solve::GlmProblem;
using gramian::solve::GlmProof;
using gramian::solve::GlmResult;
using gramian::solve::L1Penalty;
using gramian::solve::Rows;
using test::at;

namespace {

using Doubles = std::vector<double>;

struct Data {
  std::int64_t n, p, k;
  Doubles x, y, weight, values;
  std::vector<std::int32_t> indices, indptr{0};

  // Two classes for k = 1, else k. Column 2 is zero, as is every third entry.
  Data(std::int64_t rows, std::int64_t cols, std::int64_t outputs)
      : n(rows),
        p(cols),
        k(outputs),
        x(test::normal_values(n * p, 1, 0.5)),
        y(at(n)),
        weight(test::random_weights(n, 3)) {
    const Doubles noise = test::normal_values(n, 2);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < p; ++j) {
        double& value = x[at(i * p + j)];
        if (j == 2 || (i * p + j) % 3 == 0) value = 0.0;
        if (value == 0.0) continue;
        values.push_back(value);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      indptr.push_back(static_cast<std::int32_t>(values.size()));
      const double score = x[at(i * p)] + noise[at(i)];
      y[at(i)] = k == 1 ? (score > 0.3 ? 1.0 : 0.0)
                        : std::clamp(std::floor(score + 1.0), 0.0, static_cast<double>(k - 1));
    }
  }

  std::unique_ptr<Rows> dense() const {
    return gramian::solve::dense_rows(MatrixView<const double>(x.data(), n, p), weight, true);
  }
  std::unique_ptr<Rows> sparse() const {
    return gramian::solve::csr_rows(CsrView<double, std::int32_t>{values, indices, indptr, p});
  }
  GlmProblem problem(double l2) const {
    GlmProblem out;
    if (k == 1) out.pointwise = PointwiseLoss::logistic;
    out.n_outputs = k;
    out.y = y;
    out.weight = weight;
    out.l2 = l2;
    return out;
  }

  // The largest violation of the conditions of optimality, from the definition of the loss.
  double violation(const Doubles& params, double l1, double l2) const {
    std::vector<long double> gradient(params.size());
    long double total = 0.0L;
    const auto s = at(p + 1);
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<long double> z(at(std::max<std::int64_t>(k, 2)));
      for (std::int64_t c = 0; c < k; ++c) {
        long double sum = params[at(c) * s + at(p)];
        for (std::int64_t j = 0; j < p; ++j)
          sum += static_cast<long double>(x[at(i * p + j)]) * params[at(c) * s + at(j)];
        z[at(k == 1 ? 1 : c)] = sum;
      }
      const long double top = *std::max_element(z.begin(), z.end());
      long double norm = 0.0L;
      for (const long double value : z) norm += std::exp(value - top);
      total += weight[at(i)];
      for (std::int64_t c = 0; c < k; ++c) {
        const auto of = at(k == 1 ? 1 : c);
        const long double seen = y[at(i)] == static_cast<double>(of) ? 1.0L : 0.0L;
        const long double u = weight[at(i)] * (std::exp(z[of] - top) / norm - seen);
        for (std::int64_t j = 0; j < p; ++j) gradient[at(c) * s + at(j)] += u * x[at(i * p + j)];
        gradient[at(c) * s + at(p)] += u;
      }
    }
    double worst = 0.0;
    for (std::size_t m = 0; m < params.size(); ++m) {
      const bool is_constant = m % s == s - 1;
      const auto g =
          static_cast<double>(gradient[m] / total) + (is_constant ? 0.0 : l2 * params[m]);
      worst = std::max(worst, gramian::solve::violation(params[m], g, is_constant ? 0.0 : l1));
    }
    return worst;
  }
};

struct Fit {
  Doubles params;
  GlmResult result;
  GlmProof proof;

  Fit(const Rows& rows, const GlmProblem& problem, double l1 = 0.0, const GlmOptions& options = {},
      int n_threads = 1)
      : params(at(problem.n_outputs * (rows.n_features() + 1))) {
    const Context ctx = test::context_with(n_threads);
    const L1Penalty penalty{l1, 0.0};
    result = l1 > 0.0 ? fit_sparse_glm(rows, problem, penalty, options, params, ctx)
                      : fit_glm(rows, problem, options, params, ctx);
    proof = prove_glm(rows, problem, penalty, params, ctx);
  }
};

double distance(const Doubles& a, const Doubles& b) {
  double out = 0.0;
  for (std::size_t m = 0; m < a.size(); ++m) out = std::max(out, std::abs(a[m] - b[m]));
  return out;
}

}  // namespace

TEST(glm_meets_the_conditions_of_optimality) {
  for (const std::int64_t k : {1, 3})
    for (const double l1 : {0.0, 0.01}) {
      const Data data(200, 6, k);
      const GlmProblem problem = data.problem(l1 > 0.0 ? 0.0 : 0.02);
      const Fit fit(*data.dense(), problem, l1, {GlmMethod::automatic, 1e-9, 200});
      CHECK(fit.result.converged);
      CHECK(data.violation(fit.params, l1, problem.l2) < 1e-8);
      CHECK(fit.proof.gradient_size < 1e-8);
      CHECK(fit.proof.excess < 1e-9);
      CHECK(std::abs(fit.params[2]) < 1e-12);  // a column of zeros
      const Fit sparse(*data.sparse(), problem, l1, {GlmMethod::automatic, 1e-9, 200});
      CHECK(distance(fit.params, sparse.params) < 1e-6);
    }
}

TEST(glm_methods_agree) {
  const Data data(150, 5, 1);
  const GlmProblem problem = data.problem(0.1);
  const Fit best(*data.dense(), problem, 0.0, {GlmMethod::newton_cholesky, 1e-12, 100});
  for (const GlmMethod method :
       {GlmMethod::automatic, GlmMethod::newton_cg, GlmMethod::gradient_descent}) {
    const Fit fit(*data.dense(), problem, 0.0, {method, 1e-8, 10'000});
    CHECK(distance(fit.params, best.params) < 1e-6);
  }
}

TEST(glm_gap_bounds_the_distance_from_the_optimum) {
  for (const std::int64_t k : {1, 3})
    for (const double l1 : {0.0, 0.02}) {
      const Data data(80, 10, k);
      const GlmProblem problem = data.problem(l1 > 0.0 ? 0.0 : 0.05);
      const Fit best(*data.dense(), problem, l1, {GlmMethod::automatic, 1e-12, 500});
      for (const std::int64_t max_iter : {0, 1, 2}) {
        const Fit early(*data.dense(), problem, l1, {GlmMethod::newton_cg, 1e-4, max_iter});
        const double above = early.proof.objective - best.proof.objective;
        CHECK(above >= -1e-13);
        CHECK(early.proof.excess >= above - 1e-13);
        CHECK(early.proof.excess <= early.proof.objective);
      }
    }
}

TEST(glm_proof_needs_a_penalty_and_a_convex_loss) {
  const Data data(80, 4, 1);
  CHECK(std::isinf(Fit(*data.dense(), data.problem(0.0)).proof.excess));
  GlmProblem inverse = data.problem(0.1);
  inverse.pointwise = PointwiseLoss::tweedie;
  inverse.power = 3.0;
  Doubles positive(data.y);
  for (double& value : positive) value += 1.0;
  inverse.y = positive;
  CHECK(std::isinf(Fit(*data.dense(), inverse).proof.excess));
  inverse.pointwise = PointwiseLoss::gamma;
  CHECK(Fit(*data.dense(), inverse, 0.0, {GlmMethod::automatic, 1e-10, 100}).proof.excess < 1e-9);
}

TEST(glm_proof_settles_constants_in_any_unit) {
  const Data data(80, 4, 1);
  for (const double unit : {1e-9, 1.0, 1e6}) {
    GlmProblem counts = data.problem(0.1 * unit);
    counts.pointwise = PointwiseLoss::poisson;
    Doubles scaled(data.y);
    for (double& value : scaled) value *= unit;
    counts.y = scaled;
    const Fit best(*data.dense(), counts, 0.0, {GlmMethod::automatic, 1e-12 * unit, 200});
    CHECK(best.proof.excess < 1e-12 * unit);
    const Fit early(*data.dense(), counts, 0.0, {GlmMethod::newton_cholesky, 1e-4 * unit, 2});
    const double above = early.proof.objective - best.proof.objective;
    CHECK(std::isfinite(early.proof.excess));
    CHECK(early.proof.excess >= above - 1e-13 * std::abs(best.proof.objective));
  }
}

TEST(glm_without_an_optimal_constant_proves_nothing) {
  const Data data(80, 4, 1);
  GlmProblem nothing = data.problem(0.1);
  nothing.pointwise = PointwiseLoss::poisson;
  const Doubles zeros(data.y.size(), 0.0);
  nothing.y = zeros;
  const Fit fit(*data.dense(), nothing);
  CHECK(fit.result.converged && std::isinf(fit.proof.excess));
  CHECK(fit.params[4] > -30.0);  // where the solver stopped, and no further
}

TEST(glm_says_whether_the_optimum_is_unique) {
  Data data(80, 4, 1);
  CHECK(!Fit(*data.dense(), data.problem(0.0)).result.is_singular);
  for (std::int64_t i = 0; i < data.n; ++i) data.x[at(4 * i + 3)] = data.x[at(4 * i)];
  CHECK(Fit(*data.dense(), data.problem(0.0)).result.is_singular);
  CHECK(!Fit(*data.dense(), data.problem(0.1)).result.is_singular);
}

TEST(glm_large_l1_leaves_the_log_odds) {
  const Data data(100, 5, 1);
  const Fit fit(*data.dense(), data.problem(0.0), 10.0, {GlmMethod::automatic, 1e-12, 100});
  double ones = 0.0, total = 0.0;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    ones += data.weight[i] * data.y[i];
    total += data.weight[i];
  }
  for (std::size_t j = 0; j < 5; ++j) CHECK(fit.params[j] == 0.0);
  CHECK(std::abs(fit.params[5] - std::log(ones / (total - ones))) < 1e-12);
  CHECK(fit.proof.excess < 1e-14);
}

TEST(glm_squared_loss_of_one_column_is_a_line) {
  const Doubles x{0, 1, 2, 3}, y{1, 3, 5, 7};
  GlmProblem problem;
  problem.pointwise = PointwiseLoss::squared;
  problem.y = y;
  const auto rows = gramian::solve::dense_rows(MatrixView<const double>(x.data(), 4, 1), {}, true);
  const Fit fit(*rows, problem, 0.0, {GlmMethod::newton_cholesky, 1e-12, 10});
  CHECK(distance(fit.params, {2.0, 1.0}) < 1e-10);
}

TEST(sparse_glm_is_the_same_for_any_number_of_threads) {
  const Data data(20'000, 12, 3);
  const Fit one(*data.dense(), data.problem(0.0), 0.005, {}, 1);
  const Fit four(*data.dense(), data.problem(0.0), 0.005, {}, 4);
  CHECK(test::same_bits(one.params, four.params));
  CHECK(one.proof.excess == four.proof.excess && one.proof.objective == four.proof.objective);
}

TEST(glm_of_degenerate_data) {
  const Doubles x{1.0, -2.0}, y{1.0};
  GlmProblem problem;
  problem.pointwise = PointwiseLoss::logistic;
  problem.y = y;
  problem.l2 = 1.0;
  problem.fit_intercept = false;
  const auto row = gramian::solve::dense_rows(MatrixView<const double>(x.data(), 1, 2), {}, false);
  const Fit single(*row, problem, 0.0, {GlmMethod::automatic, 1e-12, 100});
  CHECK(std::abs(single.params[1] + 2.0 * single.params[0]) < 1e-9);  // along the row
  CHECK(single.proof.excess < 1e-12 && single.params[2] == 0.0);
  Data weightless(30, 4, 1);
  std::fill(weightless.weight.begin(), weightless.weight.end(), 0.0);
  const Fit nothing(*weightless.dense(), weightless.problem(1.0));
  CHECK(!nothing.proof.is_finite);  // a mean over no weight
}

TEST(quadratic_with_an_l1_penalty) {
  const Doubles g{-5.0, 4.0, -0.1, 2.0}, l1{1.0, 1.0, 1.0, 0.0};
  auto diagonal = Buffer<double>::zeros(16);
  for (std::int64_t k = 0; k < 4; ++k) diagonal[k * 4 + k] = static_cast<double>(k + 1);
  Doubles u(4);
  gramian::solve::minimise_quadratic_l1({diagonal, g, l1, 1e-14}, u, Context{});
  CHECK(distance(u, {4.0, -1.5, 0.0, -0.5}) < 1e-13);

  const std::int64_t n = 30;
  const Doubles a = test::normal_values(n * n, 5), slope = test::normal_values(n, 6);
  auto H = Buffer<double>::zeros(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t m = 0; m < n; ++m) H[i * n + j] += a[at(m * n + i)] * a[at(m * n + j)];
  for (std::int64_t j = 0; j < n; ++j) H[3 * n + j] = H[j * n + 3] = 0.0;  // a column of zeros
  const Doubles penalty(at(n), 0.3);
  Doubles x(at(n));
  gramian::solve::minimise_quadratic_l1({H, slope, penalty, 1e-10, 5000}, x, Context{});
  CHECK(x[3] == 0.0);
  for (std::int64_t j = 0; j < n; ++j) {
    long double q = slope[at(j)];
    for (std::int64_t m = 0; m < n; ++m) q += static_cast<long double>(H[j * n + m]) * x[at(m)];
    if (j != 3) CHECK(gramian::solve::violation(x[at(j)], static_cast<double>(q), 0.3) < 1e-9);
  }
}

TEST(scaled_factor_solves_and_survives_a_singular_matrix) {
  auto matrix = Buffer<double>::zeros(4);
  matrix[0] = 1e12;
  matrix[3] = 1e-12;
  const gramian::solve::ScaledFactor factor(std::move(matrix), 2, Context{});
  Doubles b{1e12, 1e-12};
  factor.solve(b);
  CHECK(distance(b, {1.0, 1.0}) < 1e-12);
  auto singular = Buffer<double>::zeros(4);
  for (std::int64_t m = 0; m < 4; ++m) singular[m] = 1.0;
  const gramian::solve::ScaledFactor raised(std::move(singular), 2, Context{});
  Doubles c{2.0, 2.0};
  raised.solve(c);
  CHECK(std::abs(c[0] + c[1] - 2.0) < 1e-6);
}
