// Sums of kernels and counts of pairs in a tree, against loops over all pairs.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "distance/kd_tree/grown_tree.hpp"
#include "distance/kernel_density.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::MatrixView;
using gramian::distance::DensityRule;
using gramian::distance::KdTree;
using gramian::distance::Kernel;
using gramian::distance::Metric;
using test::at;
using test::context_with;
using test::Grown;

namespace {

constexpr Kernel kKernels[] = {Kernel::gaussian,    Kernel::tophat, Kernel::epanechnikov,
                               Kernel::exponential, Kernel::linear, Kernel::cosine};

double kernel_value(Kernel kernel, double u) {
  if (kernel == Kernel::gaussian) return std::exp(-0.5 * u * u);
  if (kernel == Kernel::exponential) return std::exp(-u);
  if (u >= 1.0) return 0.0;
  if (kernel == Kernel::tophat) return 1.0;
  if (kernel == Kernel::epanechnikov) return 1.0 - u * u;
  if (kernel == Kernel::linear) return 1.0 - u;
  return std::cos(0.5 * 3.14159265358979323846 * u);
}

double distance(Metric metric, const double* x, const double* y, std::int64_t p) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < p; ++k) {
    const double gap = std::abs(x[k] - y[k]);
    sum = metric == Metric::chebyshev   ? std::max(sum, gap)
          : metric == Metric::manhattan ? sum + gap
                                        : sum + gap * gap;
  }
  return metric == Metric::euclidean ? std::sqrt(sum) : sum;
}

}  // namespace

TEST(sums_of_kernels_are_those_of_all_pairs) {
  const std::int64_t n = 500, m = 40, p = 3;
  const auto Y = test::normal_values(n * p, 1), X = test::normal_values(m * p, 2);
  auto weights = test::normal_values(n, 3);
  for (double& weight : weights) weight = std::abs(weight);
  const Grown grown({Y.data(), n, p});
  for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::chebyshev})
    for (const Kernel kernel : kKernels)
      for (const double h : {0.2, 1.0, 30.0}) {
        std::vector<double> sums(at(m)), parallel(at(m));
        const KdTree tree = grown.tree({metric, 2.0});
        const DensityRule rule{kernel, h};
        log_density_in_tree<double>({X.data(), m, p}, tree, weights, rule, sums, context_with(1));
        log_density_in_tree<double>({X.data(), m, p}, tree, weights, rule, parallel,
                                    context_with(2));
        for (std::int64_t i = 0; i < m; ++i) {
          double expected = 0.0;
          for (std::int64_t j = 0; j < n; ++j)
            expected += weights[at(j)] *
                        kernel_value(kernel, distance(metric, &X[at(i * p)], &Y[at(j * p)], p) / h);
          CHECK(std::abs(std::exp(sums[at(i)]) - expected) <= 1e-13 * expected);
          CHECK(sums[at(i)] == parallel[at(i)]);
        }
      }
}

TEST(far_rows_have_finite_log_densities) {
  const std::int64_t n = 300;
  const auto Y = test::normal_values(n, 1);
  const Grown grown({Y.data(), n, 1});
  const double far[1] = {1e4};
  for (const Kernel kernel : {Kernel::gaussian, Kernel::exponential}) {
    std::vector<double> sums(1);
    log_density_in_tree<double>({far, 1, 1}, grown.tree({}), {}, {kernel, 0.1}, sums,
                                context_with(1));
    double largest = -1e300, sum = 0.0;
    std::vector<double> logs;
    for (const double y : Y) {
      const double u = (far[0] - y) / 0.1;
      logs.push_back(kernel == Kernel::gaussian ? -0.5 * u * u : -u);
      largest = std::max(largest, logs.back());
    }
    for (const double log : logs) sum += std::exp(log - largest);
    const double expected = largest + std::log(sum);
    CHECK(std::abs(sums[0] - expected) <= 1e-12 * std::abs(expected));
  }
}

TEST(tolerances_bound_the_error_of_the_sum) {
  const std::int64_t n = 2000, m = 50;
  const auto Y = test::normal_values(n * 2, 1), X = test::normal_values(m * 2, 2);
  const Grown grown({Y.data(), n, 2});
  std::vector<double> exact(at(m)), loose(at(m)), absolute(at(m));
  const MatrixView<const double> queries(X.data(), m, 2);
  const DensityRule rule{Kernel::gaussian, 0.3};
  log_density_in_tree<double>(queries, grown.tree({}), {}, rule, exact, context_with(1));
  log_density_in_tree<double>(queries, grown.tree({}), {}, {Kernel::gaussian, 0.3, 0.0, 0.01},
                              loose, context_with(1));
  log_density_in_tree<double>(queries, grown.tree({}), {}, {Kernel::gaussian, 0.3, 5.0, 0.0},
                              absolute, context_with(1));
  for (std::int64_t i = 0; i < m; ++i) {
    const double truth = std::exp(exact[at(i)]);
    CHECK(std::abs(std::exp(loose[at(i)]) - truth) <= 0.011 * truth);
    CHECK(std::abs(std::exp(absolute[at(i)]) - truth) <= 5.0 + 1e-9);
  }
}

TEST(sums_of_kernels_are_the_same_bits_on_every_level) {
  const auto t = test::normal_values(64, 5);
  std::vector<double> squares, weights(64, 0.5);
  for (const double value : t) squares.push_back(value * value);
  for (const Kernel kernel : kKernels) {
    const gramian::distance::DensityKernel of{kernel, Metric::manhattan, 1.0, 0.7, 0.9};
    const double first =
        AT_LEVEL(test::levels().front(), sum_of_kernels, of, squares.data(), weights.data(), 64);
    for (const auto level : test::levels())
      CHECK(AT_LEVEL(level, sum_of_kernels, of, squares.data(), weights.data(), 64) == first);
  }
}

TEST(pairs_within_radii_are_counted_as_over_all_pairs) {
  const std::int64_t n = 400, m = 30, p = 2;
  const auto Y = test::normal_values(n * p, 1), X = test::normal_values(m * p, 2);
  const Grown grown({Y.data(), n, p});
  const std::vector<double> radii{0.0, 0.1, 0.5, 0.5, 2.0, 50.0};
  for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
    std::vector<std::int64_t> counts(radii.size());
    count_pairs_in_tree<double>({X.data(), m, p}, grown.tree({metric, 2.0}), radii, counts,
                                context_with(2));
    for (std::size_t r = 0; r < radii.size(); ++r) {
      std::int64_t expected = 0;
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          expected += distance(metric, &X[at(i * p)], &Y[at(j * p)], p) <= radii[r] ? 1 : 0;
      CHECK(counts[r] == expected);
    }
  }
}
