// Normal classes with full covariances: kernels on every level, answers against the definition.
#include <cmath>
#include <limits>
#include <vector>

#include "bayes/normal.hpp"
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

struct Classes {
  std::int64_t k, p;
  Doubles mean, factor, constant;

  Classes(std::int64_t n_classes, std::int64_t n_features)
      : k(n_classes),
        p(n_features),
        mean(test::normal_values(k * p, 1)),
        factor(test::normal_values(k * p * p, 2)),  // what stands above the diagonal is not read
        constant(test::normal_values(k, 3)) {}

  gramian::bayes::NormalClasses native() const {
    return {MatrixView<const double>(mean.data(), k, p), factor, constant};
  }

  long double joint(const double* x, std::int64_t c) const {
    long double squares = 0.0L;
    for (std::int64_t m = 0; m < p; ++m) {
      long double along = 0.0L;
      for (std::int64_t j = 0; j <= m; ++j)
        along += static_cast<long double>(factor[at((c * p + m) * p + j)]) *
                 (static_cast<long double>(x[j]) - mean[at(c * p + j)]);
      squares += along * along;
    }
    return constant[at(c)] - 0.5L * squares;
  }
};

}  // namespace

TEST(normal_joint_is_that_of_long_double_for_every_layout) {
  for (const std::int64_t p : {1, 7, 8, 9, 40}) {
    const std::int64_t n = 101;
    const Classes classes(3, p);
    const Doubles x = test::normal_values(n * p, 4);
    const Doubles prior(3, std::log(1.0 / 3.0));
    for (const test::Layout layout : test::kLayouts) {
      const test::Matrix<double> X(MatrixView<const double>(x.data(), n, p), layout);
      Doubles out(at(n * 3));
      const gramian::bayes::Asked<double> asked{Answer::joint, prior,
                                                MatrixView<double>(out.data(), n, 3), nullptr};
      CHECK(
          gramian::bayes::normal_answers(X.view(), classes.native(), asked, test::context_with(2)));
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t c = 0; c < 3; ++c) {
          const long double expected = classes.joint(&x[at(i * p)], c);
          CHECK(test::is_close(out[at(i * 3 + c)], expected, 1e-13L * (1.0L + std::abs(expected))));
        }
    }
  }
}

TEST(quadratic_form_has_the_same_bits_on_every_level) {
  const std::int64_t p = 21;
  const Classes classes(1, p);
  const auto native = classes.native();
  const Doubles block = test::normal_values(kRows * p, 5);
  Doubles first, first_mapped;
  for (const test::Level level : test::levels()) {
    Doubles out(at(kRows)), mapped(at(kRows * p));
    CHECK(
        AT_LEVEL(level, quadratic_form, block.data(), native.packed(0), p, kRows, 0.5, out.data()));
    AT_LEVEL(level, times_factor, block.data(), native.packed(0), p, kRows, mapped.data());
    if (first.empty()) first = out, first_mapped = mapped;
    CHECK(test::same_bits(first, out));
    CHECK(test::same_bits(first_mapped, mapped));
  }
}

TEST(normal_answers_tell_that_a_square_is_not_finite) {
  const Classes classes(2, 3);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double spoiled : {kNaN, kInfinity, 1e200}) {
    Doubles x = test::normal_values(30, 6);
    x[17] = spoiled;
    Doubles out(20);
    const Doubles prior(2, std::log(0.5));
    const gramian::bayes::Asked<double> asked{Answer::joint, prior,
                                              MatrixView<double>(out.data(), 10, 2), nullptr};
    CHECK(!gramian::bayes::normal_answers(MatrixView<const double>(x.data(), 10, 3),
                                          classes.native(), asked, test::context_with(1)));
  }
}
