// Margins without errors against their conditions, and contradictions against themselves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "kernel/source.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/svm/grown_cholesky.hpp"
#include "solve/svm/hard_margin.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::kernel::Function;
using gramian::kernel::Kind;
using gramian::solve::GrownCholesky;
using gramian::solve::SmoProblem;
using gramian::solve::SmoResult;
using test::at;

namespace {

using Doubles = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Fit {
  Doubles alpha, f;
  SmoResult result;
};

Fit fit(const Function& function, const Doubles& X, std::int64_t p, const Doubles& sign,
        const Doubles& linear, bool has_intercept = true) {
  const auto n = std::ssize(X) / p;
  const MatrixView<const double> view(X.data(), n, p);
  const auto source = gramian::kernel::dense_source<double>(function, view, {}, Context{});
  const Doubles upper(sign.size(), kInfinity);
  Fit found{Doubles(sign.size(), 0.0), Doubles(sign.size()), {}};
  const SmoProblem problem{sign, linear, upper, false, found.alpha, found.f, has_intercept};
  found.result = gramian::solve::hard_margin(*source, problem, {}, Context{});
  return found;
}

// Alphas are not negative and balance, no constraint is violated, and those with an alpha are
// tight.
void check_conditions(const Fit& found, const Doubles& sign) {
  CHECK(found.result.feasible && found.result.converged);
  double sum = 0.0, total = 0.0, worst = 0.0;
  for (std::size_t v = 0; v < sign.size(); ++v) {
    CHECK(found.alpha[v] >= 0.0);
    sum += sign[v] * found.alpha[v];
    total += found.alpha[v];
    const double slack = sign[v] * (found.f[v] - found.result.rho);
    worst = std::max(worst, found.alpha[v] > 0.0 ? std::abs(slack) : -slack);
  }
  CHECK(std::abs(sum) <= 1e-12 * total);
  CHECK(worst <= 1e-12 * (1.0 + total));
}

}  // namespace

TEST(a_factor_with_rows_added_and_removed_is_that_of_what_is_left) {
  const std::int64_t n = 12;
  const Doubles A = test::normal_values(n * n, 2);
  const auto entry = [&](std::int64_t i, std::int64_t j) {
    double sum = i == j ? 0.1 : 0.0;
    for (std::int64_t k = 0; k < n; ++k) sum += A[at(i * n + k)] * A[at(j * n + k)];
    return sum;
  };
  GrownCholesky factor;
  std::vector<std::int64_t> rows;
  for (const std::int64_t step : {0, 1, 2, 3, -1, 4, 5, -3, -1, 6, 7, 8, -5, 9, 0, 10}) {
    if (step < 0) {
      factor.remove(-step);
      rows.erase(rows.begin() - step);
      continue;
    }
    if (std::find(rows.begin(), rows.end(), step) != rows.end()) continue;
    Doubles g;
    for (const std::int64_t row : rows) g.push_back(entry(step, row));
    Doubles z = factor.forward(g);
    double pivot = entry(step, step);
    for (const double x : z) pivot -= x * x;
    factor.add(std::move(z), pivot);
    rows.push_back(step);
    const Doubles b = test::normal_values(std::ssize(rows), 5);
    const Doubles x = factor.backward(factor.forward(b));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = -b[i];
      for (std::size_t j = 0; j < rows.size(); ++j) sum += entry(rows[i], rows[j]) * x[j];
      CHECK(std::abs(sum) < 1e-10);
    }
  }
}

TEST(hard_margins_meet_their_conditions) {
  for (const std::int64_t n : {2, 3, 40, 300}) {
    const std::int64_t p = 4;
    Doubles X = test::normal_values(n * p, 7), sign(at(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const double side = i < 2 ? static_cast<double>(i) - 0.5 : X[at(i * p)] + X[at(i * p + 1)];
      sign[at(i)] = side > 0.0 ? 1.0 : -1.0;
      X[at(i * p)] += 0.05 * sign[at(i)];
    }
    const Doubles linear(at(n), -1.0);
    check_conditions(fit({Kind::rbf, 2.0, 0.0, 3}, X, p, sign, linear), sign);
    check_conditions(fit({Kind::laplacian, 1.0, 0.0, 3}, X, p, sign, linear), sign);
    for (std::int64_t i = 0; i < n; ++i)  // on both sides of a plane
      X[at(i * p)] = sign[at(i)] * (0.01 + std::abs(X[at(i * p)]));
    check_conditions(fit({Kind::linear, 1.0, 0.0, 3}, X, p, sign, linear), sign);
  }
}

TEST(flattest_functions_in_a_tube_meet_their_conditions) {
  for (const double epsilon : {0.0, 0.1}) {
    const std::int64_t n = 30;
    const Doubles X = test::normal_values(n, 8);
    Doubles sign, linear;
    for (const double s : {1.0, -1.0})
      for (const double x : X) {
        sign.push_back(s);
        linear.push_back(epsilon - s * std::sin(3.0 * x));
      }
    check_conditions(fit({Kind::laplacian, 1.0, 0.0, 3}, X, 1, sign, linear), sign);
  }
  // Within the tube all along: nothing has to bend.
  const Fit flat = fit({Kind::linear, 1.0, 0.0, 3}, {1.0, 2.0}, 1, {1, 1, -1, -1},
                       {1.0 - 4.0, 1.0 - 5.0, 1.0 + 4.0, 1.0 + 5.0});
  CHECK(flat.result.feasible && flat.result.rho == -4.5 && flat.alpha == Doubles(4, 0.0));
}

TEST(contradictions_are_found_with_their_rows) {
  const Doubles X{0, 0, 0, 1, 1, 0, 1, 1, 0.2, 3};  // exclusive or, and a row that is none of it
  const Doubles sign{1, -1, -1, 1, 1}, linear(5, -1.0);
  const Fit found = fit({Kind::linear, 1.0, 0.0, 3}, X, 2, sign, linear);
  CHECK(!found.result.feasible && !found.result.converged);
  for (std::int64_t k = 0; k < 2; ++k) {
    double meet = 0.0, size = 0.0;
    for (std::size_t v = 0; v < sign.size(); ++v) {
      CHECK(found.alpha[v] >= 0.0);
      meet += sign[v] * found.alpha[v] * X[2 * v + at(k)];
      size += found.alpha[v];
    }
    CHECK(std::abs(meet) < 1e-14 && std::abs(size - 2.0) < 1e-14);
  }
  // The same point in both classes, and a plane that has to pass through the origin.
  CHECK(!fit({Kind::linear, 1.0, 0.0, 3}, {1, 2, 1}, 1, {1, 1, -1}, Doubles(3, -1.0))
             .result.feasible);
  CHECK(!fit({Kind::linear, 1.0, 0.0, 3}, {1, 2}, 1, {1, -1}, Doubles(2, -1.0), false)
             .result.feasible);
  CHECK(fit({Kind::linear, 1.0, 0.0, 3}, {1, -2}, 1, {1, -1}, Doubles(2, -1.0), false)
            .result.converged);
}
