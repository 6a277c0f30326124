// Sums of contrast functions against the formulas, and their bits on any number of threads.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/ica/fast_ica.hpp"

using gramian::Contrast;
using gramian::MatrixView;
using test::at;

namespace {

struct Pair {
  double value, slope;
};

Pair contrast_of(Contrast contrast, double alpha, double y) {
  if (contrast == Contrast::cube) return {y * y * y, 3.0 * y * y};
  if (contrast == Contrast::exp)
    return {y * std::exp(-0.5 * y * y), (1.0 - y * y) * std::exp(-0.5 * y * y)};
  const double t = std::tanh(alpha * y);
  return {t, alpha * (1.0 - t * t)};
}

void check_sums(std::int64_t n, std::int64_t k, std::int64_t m, Contrast contrast) {
  const auto z = test::normal_values(n * k, 1), w = test::normal_values(m * k, 2);
  std::vector<double> products[2], slopes[2];
  for (const int threads : {1, 3}) {
    auto& sums = products[threads / 2];
    auto& of_slopes = slopes[threads / 2];
    sums.resize(at(m * k));
    of_slopes.resize(at(m));
    gramian::solve::contrast_sums({z.data(), n, k}, {w.data(), m, k}, contrast, 1.5,
                                  MatrixView<double>(sums.data(), m, k), of_slopes,
                                  test::context_with(threads));
  }
  CHECK(test::same_bits(products[0], products[1]));
  CHECK(test::same_bits(slopes[0], slopes[1]));
  std::vector<double> expected(at(m * k)), expected_slopes(at(m));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < m; ++c) {
      double y = 0.0;
      for (std::int64_t j = 0; j < k; ++j) y += z[at(i * k + j)] * w[at(c * k + j)];
      const Pair found = contrast_of(contrast, 1.5, y);
      for (std::int64_t j = 0; j < k; ++j)
        expected[at(c * k + j)] += found.value * z[at(i * k + j)];
      expected_slopes[at(c)] += found.slope;
    }
  for (std::int64_t e = 0; e < m * k; ++e)
    CHECK(test::is_close(products[0][at(e)], expected[at(e)],
                         1e-12L * (1.0L + std::abs(expected[at(e)]))));
  for (std::int64_t c = 0; c < m; ++c)
    CHECK(test::is_close(slopes[0][at(c)], expected_slopes[at(c)],
                         1e-11L * (1.0L + std::abs(expected_slopes[at(c)]))));
}

}  // namespace

TEST(contrast_sums_of_any_shape) {
  for (const Contrast contrast : {Contrast::logcosh, Contrast::exp, Contrast::cube}) {
    check_sums(1, 1, 1, contrast);
    check_sums(70, 3, 9, contrast);
    check_sums(5000, 8, 8, contrast);
  }
}
