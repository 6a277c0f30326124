// Sums of a step, and densities, against the definition in long double.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "mixture/em.hpp"
#include "mixture/responsibilities_kernel.hpp"
#include "simd/each_level.hpp"

using gramian::JointBlock;
using gramian::MatrixView;
using gramian::mixture::Components;
using gramian::mixture::Form;
using test::at;

namespace {

using Doubles = std::vector<double>;

struct Mixture {
  Form form;
  std::int64_t k, p;
  Doubles mean, factor, constant;

  Mixture(Form form_of, std::int64_t n_components, std::int64_t n_features)
      : form(form_of),
        k(n_components),
        p(n_features),
        mean(test::normal_values(k * p, 1)),
        factor(test::normal_values(rows() * p, 2)),
        constant(test::normal_values(k, 3)) {}

  std::int64_t rows() const { return form == Form::full ? k * p : form == Form::tied ? p : k; }

  Components native() const {
    return {form, MatrixView<const double>(mean.data(), k, p), factor, constant};
  }

  long double joint(const double* x, std::int64_t c) const {
    long double squares = 0.0L;
    for (std::int64_t m = 0; m < p; ++m) {
      long double along = 0.0L;
      for (std::int64_t j = 0; j <= m; ++j) {
        if (form == Form::diagonal && j != m) continue;
        const std::int64_t row = form == Form::full ? c * p + m : form == Form::tied ? m : c;
        along += static_cast<long double>(factor[at(row * p + j)]) *
                 (static_cast<long double>(x[j]) - mean[at(c * p + j)]);
      }
      squares += along * along;
    }
    return constant[at(c)] - 0.5L * squares;
  }

  // The parts of the components in a row; returns the logarithm of its density.
  long double parts(const double* x, std::vector<long double>& part) const {
    long double top = -1e4000L, sum = 0.0L;
    for (std::int64_t c = 0; c < k; ++c) top = std::max(top, part[at(c)] = joint(x, c));
    for (std::int64_t c = 0; c < k; ++c) sum += part[at(c)] = std::exp(part[at(c)] - top);
    for (std::int64_t c = 0; c < k; ++c) part[at(c)] /= sum;
    return top + std::log(sum);
  }
};

struct Sums {
  Doubles weight, sum, scatter;
  gramian::mixture::StepFigures figures;
};

template <class T>
Sums step_of(const Mixture& mixture, MatrixView<const T> X, const Doubles& weight, int n_threads) {
  Sums sums{Doubles(at(mixture.k)),
            Doubles(at(mixture.k * mixture.p)),
            Doubles(mixture.form == Form::tied ? 0 : at(mixture.rows() * mixture.p)),
            {}};
  sums.figures = gramian::mixture::step(
      X, weight, mixture.native(),
      {sums.weight, MatrixView<double>(sums.sum.data(), mixture.k, mixture.p), sums.scatter},
      test::context_with(n_threads));
  return sums;
}

void check_step(const Mixture& mixture, const Doubles& x, const Doubles& weight, const Sums& sums) {
  const std::int64_t k = mixture.k, p = mixture.p, n = std::ssize(x) / p;
  std::vector<long double> part(at(k)), total(at(k)), sum(at(k * p)), scatter(sums.scatter.size());
  long double likelihood = 0.0L, entropy = 0.0L;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double w = weight.empty() ? 1.0L : weight[at(i)];
    likelihood += w * mixture.parts(&x[at(i * p)], part);
    for (std::int64_t c = 0; c < k; ++c) {
      const long double r = w * part[at(c)];
      if (part[at(c)] > 0.0L) entropy += r * std::log(part[at(c)]);
      total[at(c)] += r;
      for (std::int64_t a = 0; a < p; ++a) {
        const long double d =
            x[at(i * p + a)] - static_cast<long double>(mixture.mean[at(c * p + a)]);
        sum[at(c * p + a)] += r * d;
        if (mixture.form == Form::diagonal) scatter[at(c * p + a)] += r * d * d;
        for (std::int64_t b = 0; mixture.form == Form::full && b < p; ++b)
          scatter[at((c * p + a) * p + b)] +=
              r * d * (x[at(i * p + b)] - static_cast<long double>(mixture.mean[at(c * p + b)]));
      }
    }
  }
  const long double tolerance = 1e-12L * static_cast<long double>(n);
  CHECK(test::is_close(sums.figures.likelihood, likelihood, 100 * tolerance));
  CHECK(test::is_close(sums.figures.entropy, entropy, 100 * tolerance));
  for (std::int64_t e = 0; e < k; ++e)
    CHECK(test::is_close(sums.weight[at(e)], total[at(e)], tolerance));
  for (std::int64_t e = 0; e < k * p; ++e)
    CHECK(test::is_close(sums.sum[at(e)], sum[at(e)], tolerance));
  for (std::int64_t e = 0; e < std::ssize(scatter); ++e)
    CHECK(test::is_close(sums.scatter[at(e)], scatter[at(e)], tolerance));
}

}  // namespace

TEST(mixture_step_is_that_of_the_definition) {
  for (const Form form : {Form::full, Form::tied, Form::diagonal})
    for (const std::int64_t p : {1, 3, 10})
      for (const bool is_weighted : {false, true}) {
        const std::int64_t n = 333;
        const Mixture mixture(form, 3, p);
        const Doubles x = test::normal_values(n * p, 7);
        const Doubles weight = is_weighted ? test::random_weights(n, 8) : Doubles{};
        Sums first;
        for (const test::Layout layout : test::kLayouts) {
          const test::Matrix<double> X(MatrixView<const double>(x.data(), n, p), layout);
          const Sums sums = step_of(mixture, X.view(), weight, 2);
          CHECK(sums.figures.is_finite);
          check_step(mixture, x, weight, sums);
          if (first.weight.empty()) first = sums;
          CHECK(test::same_bits(first.sum, sums.sum) &&
                test::same_bits(first.scatter, sums.scatter));
        }
      }
}

TEST(mixture_step_has_the_same_bits_for_any_number_of_threads) {
  const std::int64_t n = 9000, p = 5;
  const Mixture mixture(Form::full, 4, p);
  const Doubles x = test::normal_values(n * p, 7);
  const MatrixView<const double> X(x.data(), n, p);
  const Sums one = step_of(mixture, X, {}, 1), three = step_of(mixture, X, {}, 3);
  CHECK(test::same_bits(one.scatter, three.scatter) && test::same_bits(one.sum, three.sum));
  CHECK(one.figures.likelihood == three.figures.likelihood);
}

TEST(shared_rows_add_up_on_every_level) {
  const std::int64_t k = 5;
  constexpr std::int64_t kRows = JointBlock::kMostRows;
  Doubles rows = test::normal_values(k * kRows, 9);
  for (double& z : rows) z = 300.0 * z - 2000.0;
  for (std::int64_t i = 0; i < kRows; ++i) rows[at(2 * kRows + i)] = -INFINITY;
  Doubles first;
  for (const test::Level level : test::levels()) {
    Doubles joint = rows, evidence(at(kRows)), entropy(at(kRows)), again(at(kRows));
    AT_LEVEL(level, sum_evidence, (JointBlock{joint.data(), kRows, k, nullptr}), again.data());
    AT_LEVEL(level, share_rows, (JointBlock{joint.data(), kRows, k, nullptr}), evidence.data(),
             entropy.data());
    CHECK(test::same_bits(evidence, again));
    for (std::int64_t i = 0; i < kRows; ++i) {
      double sum = 0.0;
      for (std::int64_t c = 0; c < k; ++c) sum += joint[at(c * kRows + i)];
      CHECK(std::abs(sum - 1.0) < 1e-14);
      CHECK(joint[at(2 * kRows + i)] == 0.0);
      CHECK(std::isfinite(entropy[at(i)]) && entropy[at(i)] <= 1e-15);
    }
    if (first.empty()) first = joint;
    CHECK(test::same_bits(first, joint));
  }
}
