// Chance information against sums over factorials, and estimates from neighbours against counts
// over all pairs of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "metrics/clusterings.hpp"
#include "metrics/neighbour_information.hpp"
#include "metrics/plane_tree.hpp"

using gramian::MatrixView;
using gramian::metrics::Point;
using test::at;
using test::context_with;

namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;

double log_factorial(std::int64_t n) { return std::lgamma(static_cast<double>(n) + 1.0); }

double cell_by_factorials(std::int64_t a, std::int64_t b, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t j = std::max<std::int64_t>(1, a + b - n); j <= std::min(a, b); ++j) {
    const double log_p = log_factorial(a) + log_factorial(b) + log_factorial(n - a) +
                         log_factorial(n - b) - log_factorial(n) - log_factorial(j) -
                         log_factorial(a - j) - log_factorial(b - j) - log_factorial(n - a - b + j);
    const double share = static_cast<double>(j) / static_cast<double>(n);
    const double ratio = static_cast<double>(n * j) / static_cast<double>(a * b);
    sum += std::exp(log_p) * share * std::log(ratio);
  }
  return sum;
}

// The digamma function at 0, 1, ..., n.
Doubles digammas(std::int64_t n) {
  Doubles psi(at(n) + 1, -0.57721566490153286);
  for (std::int64_t i = 2; i <= n; ++i)
    psi[at(i)] = psi[at(i - 1)] + 1.0 / static_cast<double>(i - 1);
  return psi;
}

double plane_distance(const Point& a, const Point& b) {
  return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
}

double kth(Doubles distances, std::int64_t k) {
  std::ranges::sort(distances);
  return distances[at(k - 1)];
}

}  // namespace

TEST(expected_information_is_the_sum_over_factorials) {
  const Ints a_size{1, 3, 10, 90}, a_count{6, 2, 10, 1}, b_size{2, 50, 100}, b_count{26, 1, 1};
  const std::int64_t n = 202;
  double expected = 0.0;
  for (std::size_t i = 0; i < a_size.size(); ++i)
    for (std::size_t j = 0; j < b_size.size(); ++j)
      expected += static_cast<double>(a_count[i] * b_count[j]) *
                  cell_by_factorials(a_size[i], b_size[j], n);
  for (const int n_threads : {1, 3}) {
    const double found = gramian::metrics::expected_mutual_information(
        {a_size, a_count}, {b_size, b_count}, n, context_with(n_threads));
    CHECK(std::abs(found - expected) < 1e-12);
  }
}

TEST(plane_tree_finds_the_nearest) {
  for (const std::int64_t n : {2, 13, 500}) {
    const Doubles x = test::normal_values(n, 1), y = test::normal_values(n, 2);
    std::vector<Point> points;
    for (std::int64_t i = 0; i < n; ++i)
      points.push_back({n == 500 ? std::round(x[at(i)] * 4.0) : x[at(i)], y[at(i)]});
    const gramian::metrics::PlaneTree tree(points);
    const std::int64_t k = std::min<std::int64_t>(n - 1, 5);
    Doubles nearest(at(k));
    for (std::int64_t i = 0; i < n; ++i) {
      Doubles distances;
      for (std::int64_t j = 0; j < n; ++j)
        if (j != i) distances.push_back(plane_distance(tree.points()[at(i)], tree.points()[at(j)]));
      CHECK(tree.kth_distance(i, nearest) == kth(distances, k));
    }
  }
}

TEST(information_of_continuous_variables_counts_closer_rows) {
  const std::int64_t n = 300, k = 3;
  const Doubles psi = digammas(n), y = test::normal_values(n, 3);
  Doubles x = test::normal_values(2 * n, 4);
  for (std::int64_t i = 0; i < n; ++i) x[at(i)] += y[at(i)];
  Doubles expected(2, psi[at(n)] + psi[at(k)]);
  for (std::int64_t v = 0; v < 2; ++v)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto point = [&](std::int64_t j) { return Point{x[at(v * n + j)], y[at(j)]}; };
      Doubles distances;
      for (std::int64_t j = 0; j < n; ++j)
        if (j != i) distances.push_back(plane_distance(point(i), point(j)));
      const double radius = kth(distances, k);
      std::int64_t n_x = 0, n_y = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        n_x += std::abs(point(j).x - point(i).x) < radius;
        n_y += std::abs(point(j).y - point(i).y) < radius;
      }
      expected[at(v)] -= (psi[at(n_x)] + psi[at(n_y)]) / static_cast<double>(n);
    }
  for (const int n_threads : {1, 2, 5}) {
    Doubles out(2);
    gramian::metrics::continuous_information({x.data(), 2, n}, y, k, psi, out,
                                             context_with(n_threads));
    CHECK(std::abs(out[0] - expected[0]) < 1e-12 && std::abs(out[1] - expected[1]) < 1e-12);
  }
}

TEST(information_about_classes_counts_closer_rows) {
  const std::int64_t n = 301, k = 3;
  const Doubles psi = digammas(n), x = test::normal_values(n, 5);
  Ints codes;
  for (std::int64_t i = 0; i < n; ++i) codes.push_back(i % 3 + (x[at(i)] > 0.0));
  codes[7] = 4;  // a class of one row is left out
  double expected = psi[at(n - 1)];
  for (std::int64_t i = 0; i < n; ++i) {
    if (i == 7) continue;
    Doubles distances;
    std::int64_t m = 0;
    for (std::int64_t j = 0; j < n; ++j)
      if (j != i && codes[at(j)] == codes[at(i)])
        distances.push_back(std::abs(x[at(j)] - x[at(i)]));
    const double radius = kth(distances, k);
    for (std::int64_t j = 0; j < n; ++j) m += j != 7 && std::abs(x[at(j)] - x[at(i)]) < radius;
    expected += (psi[at(k)] - psi[distances.size() + 1] - psi[at(m)]) / static_cast<double>(n - 1);
  }
  Doubles out(2);
  gramian::metrics::class_information({x.data(), 1, n}, {codes.data(), 1, n}, 5, k, psi, out,
                                      context_with(2));
  CHECK(std::abs(out[0] - expected) < 1e-12 && out[1] == out[0]);
}

TEST(classes_of_one_row_each_say_nothing) {
  const Doubles x{1.0, 2.0, 3.0}, psi = digammas(3);
  const Ints codes{0, 1, 2};
  Doubles out(1);
  gramian::metrics::class_information({x.data(), 1, 3}, {codes.data(), 1, 3}, 3, 1, psi, out,
                                      context_with(1));
  CHECK(std::isnan(out[0]));
}
