// The inner loops of coordinate descent against the update's definition.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/descent/coordinate_descent_kernel.hpp"

using gramian::GramSweep;
using test::at;

namespace {

using Doubles = std::vector<double>;

// G = A'A of some columns, of which the second is zero, and slopes at coefficients v.
struct GramProblem {
  std::int64_t size, n_targets, ld;
  Doubles gram, coef, slope;

  GramProblem(std::int64_t n_columns, std::int64_t n_tasks)
      : size(n_columns), n_targets(n_tasks), ld(gramian::n_panels(size) * gramian::kLanes) {
    const std::int64_t n = 2 * size + 3;
    auto A = test::normal_values(n * size, 1);
    for (std::int64_t i = 0; size > 1 && i < n; ++i) A[at(i * size + 1)] = 0.0;
    gram.assign(at(ld * ld), 0.0);
    for (std::int64_t j = 0; j < size; ++j)
      for (std::int64_t k = 0; k < size; ++k)
        for (std::int64_t i = 0; i < n; ++i)
          gram[at(j * ld + k)] += A[at(i * size + j)] * A[at(i * size + k)];
    coef.assign(at(ld * n_targets), 0.0);
    slope.assign(at(ld * n_targets), 0.0);
    const auto start = test::normal_values(size * n_targets, 2);
    const auto along = test::normal_values(size * n_targets, 3);
    for (std::int64_t c = 0; c < n_targets; ++c)
      for (std::int64_t k = 0; k < size; ++k) {
        coef[at(c * ld + k)] = start[at(c * size + k)];
        slope[at(c * ld + k)] = 3.0 * along[at(c * size + k)];
      }
  }
  GramSweep sweep(const std::int64_t* order, double l1, bool is_positive) {
    return {gram.data(), ld,  size,        n_targets,   order,
            l1,          0.5, is_positive, coef.data(), slope.data()};
  }
  double g(std::int64_t k) const { return gram[at(k * ld + k)]; }
};

// v_k = shrink(slope_k + g v_k, l1) / (g + l2), for the row of all targets.
double sweep_naively(GramProblem& p, const std::int64_t* order, double l1, bool is_positive) {
  double largest = 0.0;
  for (std::int64_t i = 0; i < p.size; ++i) {
    const std::int64_t k = order ? order[i] : i;
    if (!(p.g(k) > 0.0)) continue;
    Doubles z;
    double square = 0.0, moved = 0.0;
    for (std::int64_t c = 0; c < p.n_targets; ++c) {
      z.push_back(p.slope[at(c * p.ld + k)] + p.g(k) * p.coef[at(c * p.ld + k)]);
      square += z.back() * z.back();
    }
    const double norm = std::sqrt(square);
    double factor = norm > l1 ? (1.0 - l1 / norm) / (p.g(k) + 0.5) : 0.0;
    if (is_positive && z[0] < 0.0) factor = 0.0;
    for (std::int64_t c = 0; c < p.n_targets; ++c) {
      const double change = factor * z[at(c)] - p.coef[at(c * p.ld + k)];
      p.coef[at(c * p.ld + k)] += change;
      moved += change * change;
      for (std::int64_t l = 0; l < p.size; ++l)
        p.slope[at(c * p.ld + l)] -= change * p.gram[at(k * p.ld + l)];
    }
    largest = std::max(largest, (p.g(k) + 0.5) * moved);
  }
  return largest;
}

bool are_near(const Doubles& a, const Doubles& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::abs(x - y) <= 1e-9 * (1.0 + std::abs(y));
  });
}

void check_sweep(std::int64_t size, std::int64_t n_targets, bool is_backwards, bool is_positive) {
  std::vector<std::int64_t> order;
  for (std::int64_t k = size; k-- > 0;) order.push_back(k);
  const std::int64_t* given = is_backwards ? order.data() : nullptr;
  const GramProblem start(size, n_targets);
  GramProblem expected = start, first = start;
  const double moved = sweep_naively(expected, given, 1.0, is_positive);
  for (const auto level : test::levels()) {
    GramProblem found = start;
    const double largest = AT_LEVEL(level, sweep_gram, found.sweep(given, 1.0, is_positive));
    CHECK(std::abs(largest - moved) <= 1e-9 * moved);
    CHECK(are_near(found.coef, expected.coef) && are_near(found.slope, expected.slope));
    if (level == test::levels().front()) first = found;
    CHECK(test::same_bits(found.coef, first.coef) && test::same_bits(found.slope, first.slope));
  }
}

template <class T>
void check_column(std::int64_t n, const double* weight) {
  std::vector<T> x;
  for (const double value : test::normal_values(n, 4)) x.push_back(static_cast<T>(value));
  const auto r = test::normal_values(n, 5);
  const double shift = 0.25, factor = -1.5;
  long double dot = 0, square = 0;
  Doubles rest = r;
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[at(i)]) - shift;
    dot += static_cast<long double>(d) * r[at(i)];
    square += static_cast<long double>(weight ? weight[i] : 1.0) * d * d;
    rest[at(i)] = std::fma(d, -factor, rest[at(i)]);
  }
  Doubles first;
  for (const auto level : test::levels()) {
    const Doubles sums{AT_LEVEL(level, column_dot, x.data(), shift, r.data(), n),
                       AT_LEVEL(level, column_square, x.data(), shift, weight, n)};
    CHECK(test::is_close(sums[0], dot, 1e-12L) && test::is_close(sums[1], square, 1e-12L));
    if (first.empty()) first = sums;
    CHECK(test::same_bits(sums, first));
    Doubles found = r;
    AT_LEVEL(level, subtract_column, x.data(), shift, factor, n, found.data());
    CHECK(test::same_bits(found, rest));
  }
}

template <class T>
void check_row_squares(std::int64_t n, std::int64_t p, const double* weight) {
  const std::int64_t padded = gramian::n_panels(p) * gramian::kLanes;
  std::vector<T> x;
  for (const double value : test::normal_values(n * p, 6)) x.push_back(static_cast<T>(value));
  auto shift = test::normal_values(p, 7);
  shift.resize(at(padded), 0.0);
  Doubles expected(at(padded), 0.5);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < p; ++j) {
      const double d = static_cast<double>(x[at(i * p + j)]) - shift[at(j)];
      expected[at(j)] = std::fma(d * (weight ? weight[i] : 1.0), d, expected[at(j)]);
    }
  gramian::RowBlock<T> rows{};
  rows.data = x.data();
  rows.row_stride = p;
  rows.n_rows = n;
  rows.n_cols = p;
  rows.col_shift = shift.data();
  for (const auto level : test::levels()) {
    Doubles acc(at(padded), 0.5);
    AT_LEVEL(level, add_row_squares, rows, weight, acc.data());
    CHECK(test::same_bits(acc, expected));
  }
}

}  // namespace

TEST(sweeps_shrink_one_coordinate_after_the_other) {
  for (const std::int64_t size : {1, 2, 7, 8, 9, 20})
    for (const bool is_backwards : {false, true}) {
      check_sweep(size, 1, is_backwards, false);
      check_sweep(size, 1, is_backwards, true);
      check_sweep(size, 3, is_backwards, false);
    }
}

TEST(columns_are_shifted_as_they_are_read) {
  for (std::int64_t n = 0; n <= 40; ++n) {
    const auto weight = test::random_weights(n, 8);
    for (const double* w : {static_cast<const double*>(nullptr), weight.data()}) {
      check_column<double>(n, w);
      check_column<float>(n, w);
    }
  }
}

TEST(squares_of_rows_add_up_by_column) {
  for (const std::int64_t n : {0, 1, 5, 30})
    for (const std::int64_t p : {1, 7, 8, 9, 21}) {
      const auto weight = test::random_weights(n, 9);
      for (const double* w : {static_cast<const double*>(nullptr), weight.data()}) {
        check_row_squares<double>(n, p, w);
        check_row_squares<float>(n, p, w);
      }
    }
}
