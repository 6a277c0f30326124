// Isotonic regression against its characterisation as a max of min of means.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/least_squares/isotonic.hpp"

using gramian::Context;
using test::at;

namespace {

using Doubles = std::vector<double>;

// f_i = max over a <= i of min over b >= i of the weighted mean of y_a ... y_b.
Doubles max_min(const Doubles& y, const Doubles& w) {
  const auto n = y.size();
  Doubles fit(n);
  for (std::size_t i = 0; i < n; ++i) {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a <= i; ++a) {
      double lowest = std::numeric_limits<double>::infinity(), sum = 0.0, weight = 0.0;
      for (std::size_t b = a; b < n; ++b) {
        sum += w[b] * y[b];
        weight += w[b];
        if (b >= i) lowest = std::min(lowest, sum / weight);
      }
      highest = std::max(highest, lowest);
    }
    fit[i] = highest;
  }
  return fit;
}

struct Corners {
  Doubles x, y;
};

Corners corners_of(const Doubles& x, const Doubles& y, const Doubles& w, int n_threads) {
  Corners found{Doubles(x.size()), Doubles(x.size())};
  Context ctx;
  ctx.n_threads = n_threads;
  const double inf = std::numeric_limits<double>::infinity();
  const gramian::solve::IsotonicPoints<double> points{x, y, w};
  const auto n = gramian::solve::isotonic_corners<double>(points, {true, -inf, inf, 1e-15}, found.x,
                                                          found.y, ctx);
  found.x.resize(at(n));
  found.y.resize(at(n));
  return found;
}

}  // namespace

TEST(isotonic_values_are_the_max_of_min_of_means) {
  for (const std::int64_t n : {1, 2, 7, 60}) {
    const Doubles y = test::normal_values(n, 5);
    Doubles w = test::random_weights(n, 6);
    for (double& weight : w) weight += 0.1;
    const Doubles expected = max_min(y, w);
    Doubles found(y.size()), falling(y.size()), mirrored(y.size());
    gramian::solve::isotonic_values<double>(y, w, true, found, Context{});
    for (std::int64_t i = 0; i < n; ++i) CHECK(std::abs(found[at(i)] - expected[at(i)]) < 1e-13);
    std::transform(y.begin(), y.end(), mirrored.begin(), [](double value) { return -value; });
    gramian::solve::isotonic_values<double>(mirrored, w, false, falling, Context{});
    for (std::int64_t i = 0; i < n; ++i) CHECK(falling[at(i)] == -found[at(i)]);
  }
}

TEST(isotonic_values_of_none) {
  gramian::solve::isotonic_values<double>({}, {}, true, {}, Context{});
  CHECK(corners_of({}, {}, {}, 1).x.empty());
}

TEST(isotonic_corners_do_not_depend_on_threads_or_order) {
  const std::int64_t n = 200'000;
  Doubles x = test::normal_values(n, 7), y = test::normal_values(n, 8);
  Doubles w = test::random_weights(n, 9);
  for (std::int64_t i = 0; i < n; ++i) {
    x[at(i)] = std::round(100.0 * x[at(i)]);  // ties
    y[at(i)] += 0.01 * x[at(i)];
    w[at(i)] += 0.5;
  }
  const Corners one = corners_of(x, y, w, 1), four = corners_of(x, y, w, 4);
  CHECK(one.x == four.x && one.y == four.y);
  CHECK(std::is_sorted(one.y.begin(), one.y.end()));
  std::reverse(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  std::reverse(w.begin(), w.end());
  const Corners reversed = corners_of(x, y, w, 2);
  CHECK(one.x == reversed.x && one.y == reversed.y);
}
