#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/sgd/sag.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::solve::SagOptions;
using gramian::solve::SagProblem;
using test::at;
using test::Layout;

namespace {

using Doubles = std::vector<double>;
constexpr std::int64_t kRows = 90, kCols = 11, kTargets = 2;

struct Data {
  Doubles x = test::normal_values(kRows * kCols, 1, 0.5);
  Doubles y = test::normal_values(kRows * kTargets, 2);
  Doubles weight = test::random_weights(kRows, 3);
  Doubles alpha{0.5, 20.0}, mean_x = Doubles(kCols, 0.0), mean_y = Doubles(kTargets, 0.0);

  Data() {
    for (std::size_t k = 0; k < x.size(); k += 3) x[k] = 0.0;
    double total = 0.0;
    for (std::int64_t i = 0; i < kRows; ++i) {
      total += weight[at(i)];
      for (std::int64_t j = 0; j < kCols; ++j) mean_x[at(j)] += weight[at(i)] * X()(i, j);
      for (std::int64_t c = 0; c < kTargets; ++c)
        mean_y[at(c)] += weight[at(i)] * y[at(i * kTargets + c)];
    }
    for (double& m : mean_x) m /= total;
    for (double& m : mean_y) m /= total;
  }

  MatrixView<const double> X() const { return {x.data(), kRows, kCols}; }
  SagProblem problem() const {
    return {{y.data(), kRows, kTargets}, weight, alpha, mean_x, mean_y};
  }

  // The largest entry of half the gradient of  sum_i w_i (y_i - z_i' v)^2 + alpha |v|^2.
  double gradient_at(const Doubles& coef) const {
    double worst = 0.0;
    for (std::int64_t c = 0; c < kTargets; ++c) {
      Doubles slope(kCols, 0.0);
      for (std::int64_t i = 0; i < kRows; ++i) {
        double r = y[at(i * kTargets + c)] - mean_y[at(c)];
        for (std::int64_t j = 0; j < kCols; ++j)
          r -= (X()(i, j) - mean_x[at(j)]) * coef[at(j * kTargets + c)];
        for (std::int64_t j = 0; j < kCols; ++j)
          slope[at(j)] += weight[at(i)] * r * (X()(i, j) - mean_x[at(j)]);
      }
      for (std::int64_t j = 0; j < kCols; ++j)
        worst = std::max(worst, std::abs(slope[at(j)] - alpha[at(c)] * coef[at(j * kTargets + c)]));
    }
    return worst;
  }
};

template <class Rows>
Doubles fit(const Rows& X, const Data& data, const SagOptions& options, const Context& ctx) {
  Doubles coef(kCols * kTargets, NAN);
  std::vector<std::int64_t> n_iter(kTargets, -1);
  const bool has_converged = gramian::solve::sag(
      X, data.problem(), options, MatrixView<double>(coef.data(), kCols, kTargets), n_iter, ctx);
  CHECK(has_converged == (n_iter[0] < options.max_iter && n_iter[1] < options.max_iter));
  return coef;
}

template <class T, class Index>
struct Sparse {
  std::vector<T> values;
  std::vector<Index> indices, indptr{0};

  explicit Sparse(const Data& data) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kCols; ++j)
        if (data.X()(i, j) != 0.0) {
          values.push_back(static_cast<T>(data.X()(i, j)));
          indices.push_back(static_cast<Index>(j));
        }
      indptr.push_back(static_cast<Index>(values.size()));
    }
  }
  CsrView<T, Index> view() const { return {values, indices, indptr, kCols}; }
};

template <class T, class Index>
void check_sparse(const Data& data, const SagOptions& options, const Doubles& expected) {
  const Sparse<T, Index> sparse(data);
  const Doubles coef = fit(sparse.view(), data, options, test::context_with(2));
  for (std::size_t k = 0; k < coef.size(); ++k) CHECK(std::abs(coef[k] - expected[k]) < 1e-10);
}

}  // namespace

TEST(sag_and_saga_reach_the_optimum_for_dense_and_sparse_rows) {
  const Data data;
  for (const bool is_saga : {false, true}) {
    const SagOptions options{1e-13, 5000, is_saga};
    const Doubles coef = fit(data.X(), data, options, Context{});
    CHECK(data.gradient_at(coef) < 1e-9);
    for (const Layout layout : test::kLayouts) {
      const test::Matrix<double> X(data.X(), layout);
      const test::Matrix<float> small(data.X(), layout);
      CHECK(test::same_bits(fit(X.view(), data, options, test::context_with(2)), coef));
      CHECK(test::same_bits(fit(small.view(), data, options, test::context_with(8)), coef));
    }
    check_sparse<double, std::int32_t>(data, options, coef);
    check_sparse<double, std::int64_t>(data, options, coef);
    check_sparse<float, std::int32_t>(data, options, coef);
    check_sparse<float, std::int64_t>(data, options, coef);
  }
}

TEST(sparse_steps_are_those_of_the_dense_rows) {
  Data data;
  for (const double alpha : {0.0, 1.0, 1e9}) {  // the last shrinks v by nearly all in one step
    data.alpha.assign(kTargets, alpha);
    for (const bool is_saga : {false, true})
      for (const std::int64_t n_epochs : {1, 2, 7}) {
        const SagOptions options{-1.0, n_epochs, is_saga};
        const Doubles dense = fit(data.X(), data, options, Context{});
        const Sparse<double, std::int32_t> sparse(data);
        const Doubles same = fit(sparse.view(), data, options, Context{});
        double size = 0.0;
        for (const double v : dense) size = std::max(size, std::abs(v));
        for (std::size_t k = 0; k < dense.size(); ++k)
          CHECK(std::abs(dense[k] - same[k]) <= 1e-12 * size);
      }
  }
}

TEST(sag_draws_other_rows_for_another_seed) {
  const Data data;
  const SagOptions options{-1.0, 1, false};
  Context other;
  other.seed = 1;
  CHECK(test::same_bits(fit(data.X(), data, options, Context{}),
                        fit(data.X(), data, options, Context{})));
  CHECK(!test::same_bits(fit(data.X(), data, options, Context{}),
                         fit(data.X(), data, options, other)));
}

TEST(sag_stops_at_the_deadline_and_at_a_request) {
  const Data data;
  Context late;
  late.deadline = Context::Clock::now();
  Doubles coef(kCols * kTargets, NAN);
  std::vector<std::int64_t> n_iter(kTargets, -1);
  CHECK(!gramian::solve::sag(data.X(), data.problem(), {0.0, 10, false},
                             MatrixView<double>(coef.data(), kCols, kTargets), n_iter, late));
  CHECK(n_iter == std::vector<std::int64_t>({0, 0}) && coef == Doubles(coef.size(), 0.0));
  const Context stopped;
  stopped.request_stop();
  CHECK_THROWS(gramian::Interrupted, fit(data.X(), data, {0.0, 10, false}, stopped));
}
