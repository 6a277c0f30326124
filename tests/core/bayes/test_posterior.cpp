// Answers about rows against the definition, on every instruction set level.
#include <cmath>
#include <limits>
#include <vector>

#include "bayes/gaussian.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::Answer;
using gramian::JointBlock;
using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;
constexpr std::int64_t kRows = JointBlock::kMostRows;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The joint log-probabilities of n rows, class by class.
Doubles laid_out(const Doubles& rows, std::int64_t k) {
  Doubles joint(at(k * kRows), 0.0);
  for (std::int64_t i = 0; i < std::ssize(rows); ++i)
    joint[at(i % k * kRows + i / k)] = rows[at(i)];
  return joint;
}

Doubles answers(test::Level level, const Doubles& rows, std::int64_t k, Answer answer,
                const Doubles& log_prior) {
  Doubles joint = laid_out(rows, k);
  Doubles out(rows.size());
  const JointBlock block{joint.data(), std::ssize(rows) / k, k, log_prior.data()};
  AT_LEVEL(level, write_answers, block, answer, out.data(), k);
  return out;
}

}  // namespace

TEST(posterior_is_that_of_the_definition_on_every_level) {
  const std::int64_t k = 3, n = 21;
  Doubles rows = test::normal_values(n * k, 1);
  for (double& value : rows) value = 40.0 * value - 900.0;  // exp of these is 0
  const Doubles prior(3, std::log(1.0 / 3.0));
  Doubles first;
  for (const test::Level level : test::levels()) {
    const Doubles p = answers(level, rows, k, Answer::probability, prior);
    const Doubles log_p = answers(level, rows, k, Answer::log_probability, prior);
    CHECK(answers(level, rows, k, Answer::joint, prior) == rows);
    for (std::int64_t i = 0; i < n; ++i) {
      long double sum = 0.0L;
      for (std::int64_t c = 0; c < k; ++c)
        sum += std::exp(static_cast<long double>(rows[at(i * k + c)]));
      for (std::int64_t c = 0; c < k; ++c) {
        const long double expected = rows[at(i * k + c)] - std::log(sum);
        CHECK(test::is_close(log_p[at(i * k + c)], expected, 1e-12L));
        CHECK(test::is_close(p[at(i * k + c)], std::exp(expected), 1e-14L));
      }
    }
    if (first.empty()) first = p;
    CHECK(test::same_bits(first, p));
  }
}

TEST(log_of_a_single_precision_probability_is_that_of_its_digits) {
  const Doubles rows = test::normal_values(2 * kRows, 1);
  const Doubles prior(2, std::log(0.5));
  for (const test::Level level : test::levels()) {
    std::vector<float> p(rows.size()), log_p(rows.size());
    Doubles joint = laid_out(rows, 2);
    AT_LEVEL(level, write_answers, JointBlock{joint.data(), kRows, 2, prior.data()},
             Answer::probability, p.data(), 2);
    joint = laid_out(rows, 2);
    AT_LEVEL(level, write_answers, JointBlock{joint.data(), kRows, 2, prior.data()},
             Answer::log_probability, log_p.data(), 2);
    for (std::size_t i = 0; i < p.size(); ++i)
      if (p[i] > 0.7f)  // the float nearest to the logarithm, but for one unit in the last place
        CHECK(test::is_close(log_p[i], std::log(static_cast<long double>(p[i])), 1.6e-8L));
  }
}

TEST(posterior_of_impossible_rows_is_the_prior) {
  const Doubles rows{-kInfinity, -kInfinity, -1.0, -kInfinity};
  const Doubles prior{std::log(0.25), std::log(0.75)};
  for (const test::Level level : test::levels()) {
    const Doubles p = answers(level, rows, 2, Answer::probability, prior);
    CHECK(test::is_close(p[0], 0.25L, 1e-15L));
    CHECK(test::is_close(p[1], 0.75L, 1e-15L));
    CHECK(p[2] == 1.0);
    CHECK(p[3] == 0.0);
    Doubles joint = laid_out(rows, 2);
    std::int64_t labels[2];
    AT_LEVEL(level, write_labels, JointBlock{joint.data(), 2, 2, prior.data()}, labels);
    CHECK(labels[0] == 1);
    CHECK(labels[1] == 0);
  }
}

TEST(first_of_equally_likely_classes_is_the_label) {
  Doubles joint = laid_out({1.0, 3.0, 3.0}, 3);
  const Doubles prior(3, 0.0);
  std::int64_t label;
  for (const test::Level level : test::levels()) {
    AT_LEVEL(level, write_labels, JointBlock{joint.data(), 1, 3, prior.data()}, &label);
    CHECK(label == 1);
  }
}

namespace {

// Five classes with random means and spreads in 37 columns.
struct Model {
  static constexpr std::int64_t k = 5, p = 37;
  Doubles shift = test::normal_values(p, 1), scale = test::normal_values(k * p, 2, 3.0),
          offset = test::normal_values(k * p, 3), constant = test::normal_values(k, 4),
          log_prior = Doubles(at(k), std::log(0.2));

  gramian::GaussianClasses view() const {
    return {shift.data(), scale.data(), offset.data(), constant.data(), k};
  }
  long double joint(const double* x, std::int64_t c) const {
    long double sum = 0.0L;
    for (std::int64_t j = 0; j < p; ++j) {
      const std::size_t cj = at(c * p + j);
      const long double t =
          (static_cast<long double>(x[j]) - shift[at(j)]) * scale[cj] + offset[cj];
      sum += t * t;
    }
    return constant[at(c)] - sum;
  }
};

template <class T>
std::vector<T> joint_of(const Model& model, MatrixView<const T> X, bool& is_finite,
                        int n_threads = 1) {
  std::vector<T> out(at(X.n_rows * Model::k));
  const gramian::bayes::Asked<T> asked{
      Answer::joint, model.log_prior, {out.data(), X.n_rows, Model::k}, nullptr};
  is_finite =
      gramian::bayes::gaussian_answers(X, model.view(), asked, test::context_with(n_threads));
  return out;
}

}  // namespace

TEST(gaussian_joint_is_that_of_the_definition_in_any_layout) {
  const Model model;
  const std::int64_t n = 4100;  // more than one task, and a rest of rows
  const Doubles x = test::normal_values(n * Model::p, 5);
  const MatrixView<const double> X(x.data(), n, Model::p);
  bool is_finite = false;
  const Doubles joint = joint_of(model, X, is_finite);
  CHECK(is_finite);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < Model::k; ++c) {
      const long double expected = model.joint(&x[at(i * Model::p)], c);
      CHECK(test::is_close(joint[at(i * Model::k + c)], expected, 1e-13L * (1.0L - expected)));
    }
  for (const test::Layout layout : test::kLayouts) {
    CHECK(test::same_bits(joint,
                          joint_of(model, test::Matrix<double>(X, layout).view(), is_finite, 3)));
    const auto single = joint_of(model, test::Matrix<float>(X, layout).view(), is_finite);
    CHECK(single == std::vector<float>(joint.begin(), joint.end()));
  }
}

TEST(gaussian_joint_says_what_is_not_finite) {
  const Model model;
  for (const double wrong : {static_cast<double>(NAN), kInfinity, 1e200}) {
    Doubles x(at(3 * Model::p), 0.0);
    x[at(Model::p + 35)] = wrong;
    bool is_finite = true;
    joint_of(model, MatrixView<const double>(x.data(), 3, Model::p), is_finite);
    CHECK(!is_finite);
  }
}
