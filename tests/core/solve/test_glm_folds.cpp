// Fits of folds that go in step, against fits of one fold at a time, for any number of threads.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/glm/glm_folds.hpp"

using gramian::MatrixView;
using gramian::PointwiseLoss;
using test::at;

namespace {

using Doubles = std::vector<double>;

constexpr std::int64_t kRows = 1500, kColumns = 4, kFolds = 3;

struct Data {
  Doubles X = test::normal_values(kRows * kColumns, 1, 2.0);
  Doubles y, weight;
  Doubles strength{100.0, 1.0, 0.01};

  Data() {
    const Doubles noise = test::normal_values(kRows, 2, 0.0);
    for (std::int64_t i = 0; i < kRows; ++i)
      y.push_back(X[at(i * kColumns)] + noise[at(i)] > 2.0 ? 1.0 : 0.0);
    for (std::int64_t f = 0; f < kFolds; ++f)
      for (std::int64_t i = 0; i < kRows; ++i)
        weight.push_back(i % kFolds == f ? 0.0 : 1.0 + static_cast<double>(i % 2));
  }
  MatrixView<const double> rows() const { return {X.data(), kRows, kColumns}; }
};

Doubles fit_in_step(const Data& data, bool fit_intercept, int n_threads) {
  const auto rows = gramian::solve::dense_rows(data.rows(), {}, fit_intercept);
  const gramian::solve::FoldsProblem problem{PointwiseLoss::logistic,
                                             data.y,
                                             {data.weight.data(), kFolds, kRows},
                                             data.strength,
                                             fit_intercept};
  Doubles params(data.strength.size() * at(kFolds * (kColumns + 1)));
  std::vector<gramian::solve::FoldFit> fits(data.strength.size() * at(kFolds));
  gramian::solve::fit_glm_folds(*rows, problem, {}, params, fits, test::context_with(n_threads));
  for (const auto& fit : fits) CHECK(fit.converged && fit.is_finite && fit.gradient_size < 1e-6);
  return params;
}

// The largest difference to fits of each fold with each penalty on its own.
double difference_to_single_fits(const Data& data, bool fit_intercept, const Doubles& params) {
  double worst = 0.0;
  for (std::size_t k = 0; k < data.strength.size(); ++k)
    for (std::int64_t f = 0; f < kFolds; ++f) {
      gramian::solve::GlmProblem single;
      single.pointwise = PointwiseLoss::logistic;
      single.y = data.y;
      single.weight = std::span(data.weight).subspan(at(f * kRows), at(kRows));
      double total = 0.0;
      for (const double w : single.weight) total += w;
      single.l2 = data.strength[k] / total;
      single.fit_intercept = fit_intercept;
      const auto rows = gramian::solve::dense_rows(data.rows(), single.weight, fit_intercept);
      Doubles alone(at(kColumns + 1), 0.0);
      gramian::solve::fit_glm(*rows, single, {}, alone, test::context_with(1));
      const std::size_t first = (k * at(kFolds) + at(f)) * alone.size();
      for (std::size_t j = 0; j < alone.size(); ++j)
        worst = std::max(worst, std::abs(params[first + j] - alone[j]));
    }
  return worst;
}

}  // namespace

TEST(folds_in_step_are_single_fits) {
  const Data data;
  for (const bool fit_intercept : {true, false}) {
    const Doubles params = fit_in_step(data, fit_intercept, 1);
    CHECK(difference_to_single_fits(data, fit_intercept, params) < 1e-6);
    CHECK(fit_in_step(data, fit_intercept, 3) == params);
  }
}
