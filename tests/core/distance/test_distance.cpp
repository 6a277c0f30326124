// Distances, nearest rows and sums by cluster against loops over the definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "distance/distance.hpp"
#include "linalg/linalg_data.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::distance::Measure;
using gramian::distance::Metric;
using test::at;
using test::context_with;

namespace {

using Doubles = std::vector<double>;

constexpr Metric kMetrics[] = {Metric::dot,       Metric::sqeuclidean,   Metric::euclidean,
                               Metric::cosine,    Metric::manhattan,     Metric::chebyshev,
                               Metric::minkowski, Metric::nan_euclidean, Metric::chi2};

double squared(const double* x, const double* y, std::int64_t p) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < p; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

double dot(const double* x, const double* y, std::int64_t p) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < p; ++k) sum += x[k] * y[k];
  return sum;
}

double naive(const Measure& measure, const double* x, const double* y, std::int64_t p) {
  double sum = 0.0;
  switch (measure.metric) {
    case Metric::dot:
      return dot(x, y, p);
    case Metric::sqeuclidean:
      return squared(x, y, p);
    case Metric::euclidean:
    case Metric::nan_euclidean:
      return std::sqrt(squared(x, y, p));
    case Metric::cosine:
      return 1.0 - dot(x, y, p) / std::sqrt(dot(x, x, p) * dot(y, y, p));
    case Metric::manhattan:
      for (std::int64_t k = 0; k < p; ++k) sum += std::abs(x[k] - y[k]);
      return sum;
    case Metric::chebyshev:
      for (std::int64_t k = 0; k < p; ++k) sum = std::max(sum, std::abs(x[k] - y[k]));
      return sum;
    case Metric::minkowski:
      for (std::int64_t k = 0; k < p; ++k) sum += std::pow(std::abs(x[k] - y[k]), measure.power);
      return std::pow(sum, 1.0 / measure.power);
    case Metric::chi2:
      for (std::int64_t k = 0; k < p; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]) / (x[k] + y[k]);
      return sum;
  }
  return sum;
}

struct Rows {
  std::int64_t n, p;
  Doubles values;

  Rows(std::int64_t n_rows, std::int64_t n_cols, std::uint64_t seed, double shift = 0.0)
      : n(n_rows), p(n_cols), values(test::normal_values(n_rows * n_cols, seed)) {
    for (double& value : values) value = std::abs(value) + shift;  // chi2 needs positive numbers
  }
  const double* row(std::int64_t i) const { return values.data() + i * p; }
  MatrixView<const double> view() const { return {values.data(), n, p}; }
};

Doubles matrix_of(const Measure& measure, const Rows& X, const Rows& Y, const Context& ctx) {
  Doubles out(at(X.n * Y.n));
  gramian::distance::distance_matrix<double>(measure, X.view(), Y.view(), {out.data(), X.n, Y.n},
                                             ctx);
  return out;
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

}  // namespace

TEST(distance_matrix_is_the_definition) {
  for (const Metric metric : kMetrics)
    for (const auto& [n, m, p] : {std::array{1, 1, 1}, {9, 7, 3}, {133, 205, 11}, {20, 97, 70}}) {
      const Measure measure{metric, 3.0};
      const Rows X(n, p, 1), Y(m, p, 2);
      const Doubles out = matrix_of(measure, X, Y, context_with(2));
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j)
          CHECK(is_close(out[at(i * m + j)], naive(measure, X.row(i), Y.row(j), p)));
    }
}

TEST(distance_matrix_has_the_same_bits_for_any_threads_and_order) {
  for (const Metric metric : kMetrics) {
    const Measure measure{metric, 3.0};
    const Rows X(300, 10, 1), Y(333, 10, 2);
    const Doubles one = matrix_of(measure, X, Y, context_with(1));
    CHECK(one == matrix_of(measure, X, Y, context_with(3)));
    const Doubles swapped = matrix_of(measure, Y, X, context_with(1));
    for (std::int64_t i = 0; i < X.n; ++i)
      for (std::int64_t j = 0; j < Y.n; ++j)
        CHECK(one[at(i * Y.n + j)] == swapped[at(j * X.n + i)]);
  }
}

TEST(distances_of_close_rows_keep_their_digits) {
  for (const double shift : {0.0, 10.0, 1e6}) {
    Rows X(40, 12, 3, shift);
    for (std::int64_t i = 20; i < 40; ++i)
      for (std::int64_t k = 0; k < 12; ++k)
        X.values[at(i * 12 + k)] = X.row(i - 20)[k] + (i % 2 == 0 ? 0.0 : 1e-9);
    for (const Metric metric : {Metric::sqeuclidean, Metric::euclidean}) {
      const Doubles out = matrix_of({metric}, X, X, context_with(1));
      for (std::int64_t i = 0; i < 40; ++i)
        for (std::int64_t j = 0; j < 40; ++j) {
          const double exact = naive({metric}, X.row(i), X.row(j), 12);
          CHECK(std::abs(out[at(i * 40 + j)] - exact) <= 1e-12 * exact);
        }
    }
  }
}

TEST(nan_euclidean_leaves_missing_features_out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Doubles x{3.0, nan, nan, 6.0}, y{1.0, nan, 4.0, 5.0}, none{nan, 1.0, 2.0, nan};
  Rows X(1, 4, 1), Y(2, 4, 1);
  X.values = x;
  Y.values = y;
  Y.values.insert(Y.values.end(), none.begin(), none.end());
  const Doubles out = matrix_of({Metric::nan_euclidean}, X, Y, context_with(1));
  CHECK(is_close(out[0], std::sqrt(10.0)));
  CHECK(std::isnan(out[1]));
}

TEST(nearest_rows_are_the_first_nearest) {
  for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::cosine}) {
    const Rows X(150, 6, 4);
    Rows Y(211, 6, 5);
    std::copy_n(Y.row(3), 6, Y.values.data() + 7 * 6);  // a tie: row 7 is never the answer
    std::copy_n(Y.row(3), 6, Y.values.data() + 200 * 6);
    std::vector<std::int64_t> index(150);
    Doubles distance(150);
    gramian::distance::nearest_rows<double>({metric}, X.view(), Y.view(), index, distance,
                                            context_with(2));
    const Doubles all = matrix_of({metric}, X, Y, context_with(1));
    for (std::int64_t i = 0; i < 150; ++i) {
      const auto row = all.begin() + i * 211;
      const auto least = std::min_element(row, row + 211);
      CHECK(is_close(distance[at(i)], *least));
      CHECK(index[at(i)] != 7 && index[at(i)] != 200);
      CHECK(is_close(row[index[at(i)]], *least));
    }
  }
}

TEST(cluster_distances_are_the_sums_of_the_matrix) {
  const Rows X(310, 5, 6);
  const std::vector<std::int64_t> starts{0, 1, 4, 100, 101, 230, 310};
  Doubles own(310), other(310);
  gramian::distance::cluster_distances<double>({Metric::euclidean}, X.view(), starts, own, other,
                                               context_with(2));
  const Doubles all = matrix_of({Metric::euclidean}, X, X, context_with(1));
  for (std::int64_t i = 0; i < 310; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
      double sum = 0.0;
      for (std::int64_t j = starts[c]; j < starts[c + 1]; ++j) sum += all[at(i * 310 + j)];
      if (i >= starts[c] && i < starts[c + 1])
        CHECK(is_close(own[at(i)], sum));
      else
        least = std::min(least, sum / static_cast<double>(starts[c + 1] - starts[c]));
    }
    CHECK(is_close(other[at(i)], least));
  }
}
