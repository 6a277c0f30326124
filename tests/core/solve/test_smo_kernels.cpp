// Sequential minimal optimisation of a working set: each step, and the optimum that it ends in.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/svm/smo_kernel.hpp"

using test::at;

namespace {

using Doubles = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// min alpha' Q alpha / 2 - sum alpha with Q = y y' K and 0 <= alpha <= upper: f = y (Q alpha - 1).
// With two groups, sum alpha is kept within each class (a nu-machine), else sum y alpha.
template <class T>
struct Dual {
  std::int64_t m, padded;
  int n_groups;
  std::vector<T> gram;
  Doubles diagonal, sign, upper, alpha, f, up[2], low[2];

  Dual(std::int64_t size, int groups) : m(size), padded((size + 7) / 8 * 8), n_groups(groups) {
    const std::int64_t p = 4;
    const auto x = test::normal_values(m * p, 1);
    gram.assign(at(m * padded), T{0});
    for (Doubles* values : {&diagonal, &sign, &upper, &alpha, &f}) values->assign(at(padded), 0.0);
    for (int g = 0; g < 2; ++g) {
      up[g].assign(at(padded), kInfinity);
      low[g].assign(at(padded), -kInfinity);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      sign[at(i)] = i % 2 == 0 ? 1.0 : -1.0;
      upper[at(i)] = i % 3 == 0 ? 0.37 : 2.0;
      alpha[at(i)] = i + 1 < m || m % 2 == 0 ? 0.2 : 0.0;
      for (std::int64_t j = 0; j < m; ++j) {
        double square = 0.0;
        for (std::int64_t k = 0; k < p; ++k)
          square += std::pow(x[at(i * p + k)] - x[at(j * p + k)], 2.0);
        gram[at(i * padded + j)] = static_cast<T>(std::exp(-0.25 * square));
      }
      diagonal[at(i)] = static_cast<double>(gram[at(i * padded + i)]);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      f[at(i)] = gradient(i);
      set_bounds(i);
    }
  }
  double gradient(std::int64_t i) const {
    double sum = -sign[at(i)];
    for (std::int64_t j = 0; j < m; ++j)
      sum += static_cast<double>(gram[at(i * padded + j)]) * sign[at(j)] * alpha[at(j)];
    return sum;
  }
  int group_of(std::int64_t i) const { return n_groups == 2 && sign[at(i)] < 0.0 ? 1 : 0; }
  bool may_rise(std::int64_t i) const {
    return sign[at(i)] > 0.0 ? alpha[at(i)] < upper[at(i)] : alpha[at(i)] > 0.0;
  }
  bool may_fall(std::int64_t i) const {
    return sign[at(i)] > 0.0 ? alpha[at(i)] > 0.0 : alpha[at(i)] < upper[at(i)];
  }
  void set_bounds(std::int64_t i) {
    up[group_of(i)][at(i)] = may_rise(i) ? 0.0 : kInfinity;
    low[group_of(i)][at(i)] = may_fall(i) ? 0.0 : -kInfinity;
  }
  gramian::solve::LocalProblem<T> problem(double tol, std::int64_t max_steps) {
    return {gram.data(),
            padded,
            m,
            diagonal.data(),
            sign.data(),
            upper.data(),
            alpha.data(),
            f.data(),
            {up[0].data(), up[1].data()},
            {low[0].data(), low[1].data()},
            n_groups,
            tol,
            max_steps};
  }
  double objective() const {
    double total = 0.0;
    for (std::int64_t i = 0; i < m; ++i)
      total += alpha[at(i)] * (0.5 * (gradient(i) + sign[at(i)]) * sign[at(i)] - 1.0);
    return total;
  }
  // The largest violation of optimality, from the definition.
  double gap() const {
    double largest = -kInfinity;
    for (int g = 0; g < n_groups; ++g) {
      double least_up = kInfinity, most_low = -kInfinity;
      for (std::int64_t i = 0; i < m; ++i) {
        if (group_of(i) != g) continue;
        if (may_rise(i)) least_up = std::min(least_up, gradient(i));
        if (may_fall(i)) most_low = std::max(most_low, gradient(i));
      }
      largest = std::max(largest, most_low - least_up);
    }
    return largest;
  }
  double sum(int g) const {
    double total = 0.0;
    for (std::int64_t i = 0; i < m; ++i)
      if (group_of(i) == g) total += sign[at(i)] * alpha[at(i)];
    return total;
  }
};

// On a bound or clearly between them: what is near a bound would count as free.
bool is_within(double alpha, double upper) {
  return alpha == 0.0 || alpha == upper || (alpha > 1e-12 && alpha < upper - 1e-12);
}

template <class T>
void check_optimum(std::int64_t m, int n_groups) {
  const Dual<T> start(m, n_groups);
  Dual<T> first = start;
  for (const auto level : test::levels()) {
    Dual<T> found = start;
    const auto result = AT_LEVEL(level, solve_local, found.problem(1e-9, 100'000));
    CHECK(result.converged && found.gap() < 1e-8);
    CHECK(found.objective() <= start.objective());
    for (int g = 0; g < n_groups; ++g) CHECK(std::abs(found.sum(g) - start.sum(g)) < 1e-10);
    for (std::int64_t i = 0; i < m; ++i) {
      CHECK(is_within(found.alpha[at(i)], found.upper[at(i)]));
      CHECK(std::abs(found.f[at(i)] - found.gradient(i)) < 1e-9);
    }
    if (level == test::levels().front()) first = found;
    CHECK(test::same_bits(found.alpha, first.alpha) && test::same_bits(found.f, first.f));
  }
}

}  // namespace

TEST(local_problems_end_in_their_optimum) {
  for (const std::int64_t m : {2, 3, 7, 8, 9, 16, 21, 40})
    for (const int n_groups : {1, 2}) {
      check_optimum<double>(m, n_groups);
      check_optimum<float>(m, n_groups);
    }
}

TEST(a_step_takes_the_pair_that_gains_most) {
  for (const std::int64_t m : {4, 9, 21, 40}) {
    Dual<double> start(m, 1);
    std::fill_n(start.upper.begin(), m, 1e6);  // no bound is near
    std::fill_n(start.alpha.begin(), m, 1e5);
    std::copy_n(test::normal_values(m, 2).begin(), m, start.f.begin());
    for (std::int64_t t = 0; t < m; ++t) start.set_bounds(t);
    const std::int64_t i = std::min_element(start.f.begin(), start.f.begin() + m) - start.f.begin();
    std::int64_t j = -1;
    double most = 0.0, step = 0.0;
    for (std::int64_t t = 0; t < m; ++t) {
      const double slope = start.f[at(t)] - start.f[at(i)];
      const double curvature = start.diagonal[at(i)] + start.diagonal[at(t)] -
                               2.0 * start.gram[at(i * start.padded + t)];
      if (t == i || slope * slope / curvature <= most) continue;
      most = slope * slope / curvature;
      step = slope / curvature;
      j = t;
    }
    Dual<double> expected = start;
    expected.alpha[at(i)] += expected.sign[at(i)] * step;
    expected.alpha[at(j)] -= expected.sign[at(j)] * step;
    for (std::int64_t t = 0; t < m; ++t)
      expected.f[at(t)] +=
          step * (start.gram[at(i * start.padded + t)] - start.gram[at(j * start.padded + t)]);
    for (const auto level : test::levels()) {
      Dual<double> found = start;
      const auto result = AT_LEVEL(level, solve_local, found.problem(1e-9, 1));
      CHECK(result.n_steps == 1 && !result.converged);
      for (std::int64_t t = 0; t < m; ++t) {
        CHECK(std::abs(found.alpha[at(t)] - expected.alpha[at(t)]) < 1e-9);
        CHECK(std::abs(found.f[at(t)] - expected.f[at(t)]) < 1e-12);
      }
    }
  }
}
