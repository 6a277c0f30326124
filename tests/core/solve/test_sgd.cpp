#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "loss/hinge.hpp"
#include "loss/logistic.hpp"
#include "loss/robust.hpp"
#include "loss/squared.hpp"
#include "solve/sgd/sgd.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::solve::SgdEnd;
using gramian::solve::SgdLoss;
using gramian::solve::SgdOptions;
using gramian::solve::SgdOutcome;
using gramian::solve::SgdPenalty;
using gramian::solve::SgdProblem;
using gramian::solve::SgdRate;
using gramian::solve::SgdState;
using test::at;

namespace {

using Doubles = std::vector<double>;
constexpr std::int64_t kRows = 400, kCols = 11, kTargets = 3;

struct Data {
  Doubles x = test::normal_values(kRows * kCols, 1);
  Doubles y = Doubles(kRows), class_weight = Doubles(2 * kTargets, 1.0);
  Doubles weight = test::random_weights(kRows, 3);
  std::vector<std::uint32_t> seeds{1, 2, 3};

  Data() {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % kTargets);
    for (std::size_t k = 0; k < x.size(); k += 3) x[k] = 0.0;
  }

  MatrixView<const double> X() const { return {x.data(), kRows, kCols}; }
  SgdProblem problem() const {
    return {y, weight, {}, true, MatrixView<const double>(class_weight.data(), kTargets, 2)};
  }
};

struct Fit {
  Doubles coef = Doubles(kTargets * kCols, 0.0), intercept = Doubles(kTargets, 0.0);
  Doubles average_coef = coef, average_intercept = intercept;
  std::vector<SgdOutcome> outcomes;

  template <class Rows>
  Fit(const Rows& X, const Data& data, const SgdOptions& options, const Context& ctx = {}) {
    const SgdState state{MatrixView<double>(coef.data(), kTargets, kCols), intercept,
                         MatrixView<double>(average_coef.data(), kTargets, kCols),
                         average_intercept};
    outcomes = gramian::solve::sgd(X, data.problem(), options, data.seeds, state, ctx);
  }
};

SgdOptions few_epochs() {
  SgdOptions options;
  options.max_iter = 4;
  options.alpha = 0.01;
  return options;
}

// The derivatives of a loss against differences of its value, away from its kinks.
template <class Loss>
void check_derivatives(const Loss& loss, double y) {
  const double h = 1e-5;
  for (double p = -2.93; p < 3.0; p += 0.217) {
    const double slope = (loss.value(p + h, y) - loss.value(p - h, y)) / (2.0 * h);
    CHECK(std::abs(slope - loss.derivative(p, y)) < 1e-8);
    const double bend = (loss.derivative(p + h, y) - loss.derivative(p - h, y)) / (2.0 * h);
    CHECK(std::abs(bend - loss.curvature(p, y)) < 1e-8);
  }
}

}  // namespace

TEST(losses_have_the_derivatives_of_their_values) {
  for (const double y : {-1.0, 1.0}) {
    check_derivatives(gramian::loss::Hinge{1.0}, y);
    check_derivatives(gramian::loss::SquaredHinge{}, y);
    check_derivatives(gramian::loss::ModifiedHuber{}, y);
    check_derivatives(gramian::loss::Squared{}, y);
    check_derivatives(gramian::loss::Huber{0.5}, y);
    check_derivatives(gramian::loss::EpsilonInsensitive{0.5}, y);
    check_derivatives(gramian::loss::SquaredEpsilonInsensitive{0.5}, y);
  }
  for (const double y : {0.0, 1.0}) check_derivatives(gramian::loss::Logistic{}, y);
  CHECK(std::isfinite(gramian::loss::Logistic::value(1e4, 0.0)));
  CHECK(gramian::loss::Logistic::derivative(-1e4, 0.0) == 0.0);
}

TEST(sgd_gives_the_same_for_dense_and_sparse_rows) {
  const Data data;
  Doubles values;
  std::vector<std::int32_t> indices, indptr{0};
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kCols; ++j)
      if (data.X()(i, j) != 0.0) {
        values.push_back(data.X()(i, j));
        indices.push_back(static_cast<std::int32_t>(j));
      }
    indptr.push_back(static_cast<std::int32_t>(values.size()));
  }
  const CsrView<double, std::int32_t> sparse{values, indices, indptr, kCols};
  for (const SgdPenalty penalty : {SgdPenalty::none, SgdPenalty::l2}) {
    for (const std::int64_t batch_size : {std::int64_t{1}, std::int64_t{7}, kRows}) {
      SgdOptions options = few_epochs();
      options.penalty = penalty;
      options.batch_size = batch_size;
      options.average = 5;
      options.loss = SgdLoss::log_loss;
      const Fit a(data.X(), data, options), b(sparse, data, options);
      for (std::size_t k = 0; k < a.coef.size(); ++k) {
        CHECK(std::abs(a.coef[k] - b.coef[k]) < 1e-10);
        CHECK(std::abs(a.average_coef[k] - b.average_coef[k]) < 1e-10);
      }
    }
  }
}

TEST(sgd_gives_the_same_bits_for_any_number_of_threads) {
  const Data data;
  for (const std::int64_t batch_size : {std::int64_t{1}, kRows}) {
    SgdOptions options = few_epochs();
    options.penalty = SgdPenalty::elastic_net;
    options.batch_size = batch_size;
    Context one, three;
    three.n_threads = 3;
    const Fit a(data.X(), data, options, one), b(data.X(), data, options, three);
    CHECK(a.coef == b.coef);
    CHECK(a.intercept == b.intercept);
  }
}

TEST(sgd_stops_at_its_tolerance_its_deadline_and_on_overflow) {
  const Data data;
  SgdOptions options = few_epochs();
  options.max_iter = 1000;
  options.tol = 1e-3;
  CHECK(Fit(data.X(), data, options).outcomes[0].end == SgdEnd::tolerance);
  Context ctx;
  ctx.deadline = Context::Clock::now();
  const Fit late(data.X(), data, options, ctx);
  CHECK(late.outcomes[1].end == SgdEnd::time_limit && late.outcomes[1].n_iter == 1);
  options.loss = SgdLoss::squared_error;
  options.rate = SgdRate::constant;
  options.eta0 = 1e300;
  CHECK(Fit(data.X(), data, options).outcomes[2].end == SgdEnd::not_finite);
  Context stopped;
  stopped.request_stop();
  CHECK_THROWS(gramian::Interrupted, Fit(data.X(), data, few_epochs(), stopped));
}

TEST(sgd_of_one_row_takes_the_step_of_the_definition) {
  const Doubles x{2.0, 0.0, -1.0}, y{3.0};
  Doubles coef(3, 0.0), intercept(1, 0.0);
  const SgdState state{MatrixView<double>(coef.data(), 1, 3), intercept, {}, {}};
  SgdOptions options;
  options.loss = SgdLoss::squared_error;
  options.penalty = SgdPenalty::none;
  options.rate = SgdRate::constant;
  options.eta0 = 0.1;
  options.max_iter = 1;
  const std::vector<std::uint32_t> seeds{1};
  const MatrixView<const double> X(x.data(), 1, 3);
  gramian::solve::sgd(X, SgdProblem{y, {}, {}, false, {}}, options, seeds, state, Context{});
  const Doubles expected{0.6, 0.0, -0.3};  // eta (y - 0) x
  for (std::size_t j = 0; j < 3; ++j) CHECK(std::abs(coef[j] - expected[j]) < 1e-15);
  CHECK(std::abs(intercept[0] - 0.3) < 1e-15);
}

TEST(sgd_ignores_rows_without_weight_and_columns_of_zeros) {
  Data data;
  std::fill(data.weight.begin(), data.weight.end(), 0.0);
  SgdOptions options = few_epochs();
  options.penalty = SgdPenalty::none;
  const Fit nothing(data.X(), data, options);
  CHECK(nothing.coef == Doubles(nothing.coef.size(), 0.0));
  CHECK(nothing.intercept == Doubles(nothing.intercept.size(), 0.0));
  Data zero_column;
  for (std::int64_t i = 0; i < kRows; ++i) zero_column.x[at(i * kCols + 4)] = 0.0;
  const Fit fit(zero_column.X(), zero_column, options);
  for (std::int64_t c = 0; c < kTargets; ++c) CHECK(fit.coef[at(c * kCols + 4)] == 0.0);
}
