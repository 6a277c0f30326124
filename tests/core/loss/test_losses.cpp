// Vector functions against the C library, kernels of losses against their scalar definitions, and
// the fits of core/solve/glm/glm.hpp for any number of threads.
#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "loss/exponential_family.hpp"
#include "loss/hinge.hpp"
#include "loss/logistic.hpp"
#include "loss/pointwise_kernel.hpp"
#include "loss/robust.hpp"
#include "loss/softmax_kernel.hpp"
#include "solve/glm/glm.hpp"
#include "solve/glm/sparse_glm.hpp"

using gramian::LossBlock;
using gramian::MathFunction;
using gramian::PointwiseLoss;
using test::at;

namespace {

using Doubles = std::vector<double>;

double largest_error(MathFunction function, double (*reference)(double), const Doubles& x) {
  Doubles out(x.size());
  GRAMIAN_DISPATCH(apply_math, function, x.data(), static_cast<std::int64_t>(x.size()), out.data());
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = reference(x[i]);
    worst = std::max(worst, std::abs(out[i] - exact) / std::max(std::abs(exact), 1e-300));
  }
  return worst;
}

// Value, derivative and curvature of a kernel against a scalar loss; 13 rows leave a remainder.
template <class Loss>
double kernel_error(PointwiseLoss kind, double power, const Loss& loss, const Doubles& y) {
  const auto n = static_cast<std::int64_t>(y.size());
  Doubles z = test::normal_values(n, 3, 0.0);
  if (kind == PointwiseLoss::tweedie_identity)
    for (double& mean : z) mean = 0.2 + std::abs(mean);
  Doubles w(y.size()), derivative(y.size()), curvature(y.size());
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = 0.5 + static_cast<double>(i);
  const LossBlock block{z.data(), y.data(), w.data(), n, derivative.data(), curvature.data()};
  double total = GRAMIAN_DISPATCH(evaluate_losses, kind, power, block);
  double worst = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    total -= w[i] * loss.value(z[i], y[i]);
    worst = std::max(worst, std::abs(derivative[i] - w[i] * loss.derivative(z[i], y[i])));
    worst = std::max(worst, std::abs(curvature[i] - w[i] * loss.curvature(z[i], y[i])));
  }
  if constexpr (requires { loss.expected(0.5); }) {
    LossBlock other = block;
    other.expected = true;
    GRAMIAN_DISPATCH(evaluate_losses, kind, power, other);
    for (std::size_t i = 0; i < w.size(); ++i)
      worst = std::max(worst, std::abs(curvature[i] - w[i] * loss.expected(z[i])));
  }
  return std::max(worst, std::abs(total));
}

}  // namespace

TEST(vector_functions_match_the_c_library) {
  Doubles any, positive, unit;
  for (int i = -2000; i <= 2000; ++i) any.push_back(0.35 * i);
  for (int i = -300; i <= 300; ++i) positive.push_back(std::pow(10.0, i) * (1.0 + 0.001 * i));
  for (int i = -200; i <= 200; ++i) positive.push_back(1.0 + 1e-4 * i);
  for (int i = 0; i <= 1000; ++i) unit.push_back(1e-3 * i);
  unit.push_back(1e-18);
  CHECK(largest_error(MathFunction::exp, std::exp, any) < 4e-16);
  CHECK(largest_error(MathFunction::log, std::log, positive) < 6e-16);
  CHECK(largest_error(MathFunction::log1p_unit, std::log1p, unit) < 6e-16);
}

TEST(exp_is_clamped_and_keeps_nan) {
  const Doubles x{1e6, -1e6, NAN, -INFINITY};
  Doubles out(4);
  GRAMIAN_DISPATCH(apply_math, MathFunction::exp, x.data(), 4, out.data());
  CHECK(out[0] > 1e307 && std::isfinite(out[0]));
  CHECK(out[1] > 0.0 && out[1] < 1e-306);
  CHECK(std::isnan(out[2]));
  CHECK(out[3] == out[1]);
}

TEST(loss_kernels_match_their_definitions) {
  Doubles labels(13), positive(13);
  for (std::size_t i = 0; i < 13; ++i) {
    labels[i] = static_cast<double>(i % 2);
    positive[i] = 0.3 + static_cast<double>(i);
  }
  CHECK(kernel_error(PointwiseLoss::logistic, 0.0, gramian::loss::Logistic{}, labels) < 1e-12);
  CHECK(kernel_error(PointwiseLoss::poisson, 0.0, gramian::loss::Poisson{}, positive) < 1e-11);
  CHECK(kernel_error(PointwiseLoss::gamma, 0.0, gramian::loss::Gamma{}, positive) < 1e-10);
  CHECK(kernel_error(PointwiseLoss::tweedie, 1.5, gramian::loss::Tweedie{1.5}, positive) < 1e-10);
  for (const double power : {-1.0, 0.5, 1.0, 1.5, 2.0, 3.0}) {
    const gramian::loss::TweedieIdentity identity{power};
    CHECK(kernel_error(PointwiseLoss::tweedie_identity, power, identity, positive) < 1e-8);
  }
  Doubles signs;
  for (const double label : labels) signs.push_back(2.0 * label - 1.0);
  CHECK(kernel_error(PointwiseLoss::squared_hinge, 0.0, gramian::loss::SquaredHinge{}, signs) <
        1e-13);
  const gramian::loss::SquaredEpsilonInsensitive tube{0.4};
  CHECK(kernel_error(PointwiseLoss::squared_epsilon_insensitive, 0.4, tube, labels) < 1e-13);
}

TEST(a_score_that_is_no_mean_counts_unless_its_weight_is_zero) {
  const Doubles z{1.0, -1.0, 0.0}, y{1.0, 1.0, 1.0};
  Doubles w{1.0, 0.0, 0.0}, derivative(3);
  const LossBlock block{z.data(), y.data(), w.data(), 3, derivative.data(), nullptr};
  CHECK(GRAMIAN_DISPATCH(evaluate_losses, PointwiseLoss::tweedie_identity, 1.0, block) == 1.0);
  CHECK(derivative[1] == 0.0 && derivative[2] == 0.0);
  w[1] = 1.0;
  CHECK(GRAMIAN_DISPATCH(evaluate_losses, PointwiseLoss::tweedie_identity, 1.0, block) > 1e299);
}

TEST(softmax_of_two_classes_is_logistic) {
  const Doubles z = test::normal_values(5, 1, 0.0);
  const Doubles y{0.0, 1.0, 1.0, 0.0, 1.0};
  Doubles scores(5 * 8, 0.0), probability(10), scratch(64);
  for (std::size_t i = 0; i < 5; ++i) scores[8 * i + 1] = z[i];
  const gramian::SoftmaxBlock block{scores.data(), 8, 5, 2, y.data(), nullptr, probability.data(),
                                    scratch.data()};
  double total = GRAMIAN_DISPATCH(evaluate_softmax, block);
  const gramian::loss::Logistic logistic;
  for (std::size_t i = 0; i < 5; ++i) {
    total -= logistic.value(z[i], y[i]);
    CHECK(std::abs(scores[8 * i + 1] - logistic.derivative(z[i], y[i])) < 1e-15);
    CHECK(std::abs(probability[2 * i] + probability[2 * i + 1] - 1.0) < 1e-15);
    CHECK(scores[8 * i + 7] == 0.0);
  }
  CHECK(std::abs(total) < 1e-14);
}

TEST(softmax_takes_the_score_of_a_last_class_without_a_place_for_zero) {
  constexpr std::int64_t n = 11, k = 9;
  const Doubles drawn = test::normal_values(n * 8, 7, 0.0);
  Doubles y(n), w(n), with(n * 16, 0.0), without(n * 8), p_with(n * k), p_without(n * k);
  Doubles scratch(8 * 16);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = static_cast<double>(i % k);
    w[i] = 0.5 + static_cast<double>(i);
    for (std::size_t c = 0; c < 8; ++c) with[16 * i + c] = without[8 * i + c] = drawn[8 * i + c];
  }
  const gramian::SoftmaxBlock all{with.data(),   16, n, k, y.data(), w.data(), p_with.data(),
                                  scratch.data()};
  const gramian::SoftmaxBlock less{without.data(), 8, n, k, y.data(), w.data(), p_without.data(),
                                   scratch.data()};
  const double expected = GRAMIAN_DISPATCH(evaluate_softmax, all);
  CHECK(std::abs(GRAMIAN_DISPATCH(evaluate_softmax, less) - expected) < 1e-12 * expected);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < k; ++c) {
      CHECK(std::abs(p_with[k * i + c] - p_without[k * i + c]) < 1e-15);
      if (c < 8) CHECK(std::abs(with[16 * i + c] - without[8 * i + c]) < 1e-14);
    }
}

TEST(fits_have_the_same_bits_for_any_number_of_threads) {
  const std::int64_t n = 6000, p = 12, k = 3;
  const Doubles values = test::normal_values(n * p, 5, 0.5);
  const gramian::MatrixView<const double> X(values.data(), n, p);
  Doubles y(at(n));
  for (std::int64_t i = 0; i < n; ++i)
    y[at(i)] = X(i, 0) + X(i, 1) > 1.0 ? 2.0 : (X(i, 2) * X(i, 3) > 0.3 ? 1.0 : 0.0);
  gramian::solve::GlmProblem problem;
  problem.n_outputs = k;
  problem.y = y;
  problem.l2 = 1e-4;
  const auto rows = gramian::solve::dense_rows(X, {}, true);
  Doubles first[2];
  for (const int n_threads : {1, 2, 3})
    for (const bool is_sparse : {false, true}) {
      Doubles params(at(k * (p + 1)), 0.0);
      const gramian::Context ctx = test::context_with(n_threads);
      const auto result =
          is_sparse ? gramian::solve::fit_sparse_glm(*rows, problem, {1e-3, 0.0}, {}, params, ctx)
                    : gramian::solve::fit_glm(*rows, problem, {}, params, ctx);
      CHECK(result.converged);
      Doubles& reference = first[is_sparse ? 1 : 0];
      if (reference.empty()) reference = params;
      CHECK(reference == params);
    }
}
