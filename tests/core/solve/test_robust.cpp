#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/robust/huber.hpp"
#include "solve/robust/quantile.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::solve::HuberOptions;
using gramian::solve::HuberPoint;
using gramian::solve::QuantileOptions;
using gramian::solve::WeightedRows;
using test::at;

namespace {

using Doubles = std::vector<double>;
constexpr std::int64_t kRows = 120, kCols = 4;

struct Data {
  Doubles x = test::normal_values(kRows * kCols, 1, 0.5);
  Doubles y = test::normal_values(kRows, 2);
  Doubles weight = test::random_weights(kRows, 3);

  Data() {
    for (std::int64_t i = 0; i < kRows; ++i) {
      weight[at(i)] += 0.1;
      for (std::int64_t j = 0; j < kCols; ++j)
        y[at(i)] += static_cast<double>(j) * x[at(i * kCols + j)];
      if (i % 10 == 0) y[at(i)] += 100.0;
    }
  }

  MatrixView<const double> X() const { return {x.data(), kRows, kCols}; }

  Doubles residuals(const Doubles& coef, double intercept) const {
    Doubles r(y);
    for (std::int64_t i = 0; i < kRows; ++i) {
      r[at(i)] -= intercept;
      for (std::int64_t j = 0; j < kCols; ++j) r[at(i)] -= x[at(i * kCols + j)] * coef[at(j)];
    }
    return r;
  }
};

}  // namespace

TEST(huber_gradient_vanishes) {
  const Data data;
  const WeightedRows X(data.X(), true);
  HuberPoint point{Doubles(kCols, 0.0)};
  const HuberOptions options{1.35, 0.5, 1e-5, 100, true, false};
  const auto result = fit_huber(X, data.y, data.weight, options, point, Context{});
  CHECK(result.converged);
  const Doubles r = data.residuals(point.coef, point.intercept);
  Doubles slope(kCols + 2, 0.0);
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double z = std::clamp(r[at(i)] / point.scale, -1.35, 1.35);
    const double pull = data.weight[at(i)] * z;
    for (std::int64_t j = 0; j < kCols; ++j) slope[at(j)] += pull * data.X()(i, j);
    slope[kCols] += pull;
    slope[kCols + 1] += data.weight[at(i)] * (1.0 - z * z);
  }
  for (std::int64_t j = 0; j < kCols; ++j) slope[at(j)] -= 0.5 * point.coef[at(j)];
  for (const double g : slope) CHECK(std::abs(g) < 1e-9);
}

TEST(quantile_primal_meets_dual) {
  const Data data;
  const WeightedRows X(data.X(), true);
  const QuantileOptions options{0.3, 2.0, 1e-11, 100, true};
  const auto result = fit_quantile(X, data.y, data.weight, options, Context{});
  CHECK(result.converged);
  const Doubles r = data.residuals(result.coef, result.intercept);
  double primal = 0.0, dual = 0.0, sum = 0.0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double w = data.weight[at(i)];
    const double u = result.dual[at(i)];
    primal += w * std::max(0.3 * r[at(i)], -0.7 * r[at(i)]);
    dual += u * data.y[at(i)];
    sum += u;
    CHECK(u >= -0.7 * w && u <= 0.3 * w);
  }
  for (const double v : result.coef) primal += 2.0 * std::abs(v);
  CHECK(std::abs(sum) < 1e-9);
  CHECK(std::abs(primal - dual) < 1e-8 * primal);
}

TEST(robust_fits_do_not_depend_on_threads_or_storage) {
  const Data data;
  std::vector<std::int32_t> indices, indptr{0};
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int32_t j = 0; j < kCols; ++j) indices.push_back(j);
    indptr.push_back(static_cast<std::int32_t>(indices.size()));
  }
  const WeightedRows dense(data.X(), true);
  const WeightedRows sparse(CsrView<double, std::int32_t>{data.x, indices, indptr, kCols}, true);
  const QuantileOptions options{0.5, 0.0, 1e-12, 100, true};
  Context two;
  two.n_threads = 2;
  const auto one = fit_quantile(dense, data.y, {}, options, Context{});
  CHECK(one.coef == fit_quantile(dense, data.y, {}, options, two).coef);
  const auto other = fit_quantile(sparse, data.y, {}, options, Context{});
  for (std::int64_t j = 0; j < kCols; ++j)
    CHECK(std::abs(one.coef[at(j)] - other.coef[at(j)]) < 1e-7);
}
