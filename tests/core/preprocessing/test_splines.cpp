// Values of B-splines against closed forms.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "preprocessing/splines.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::preprocessing::Beyond;
using gramian::preprocessing::Splines;
using test::at;

namespace {

using Doubles = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The whole numbers from -degree to 4 + degree: four pieces on [0, 4].
Doubles uniform_knots(std::int64_t degree) {
  Doubles t;
  for (std::int64_t k = -degree; k <= 4 + degree; ++k) t.push_back(static_cast<double>(k));
  return t;
}

struct Found {
  bool is_inside;
  Doubles values;  // by rows
};

Found values_of(const Doubles& x, std::int64_t degree, Beyond beyond, int n_threads = 1) {
  const Doubles t = uniform_knots(degree);
  const std::int64_t n_splines = beyond == Beyond::periodic ? 4 : 4 + degree;
  const Splines splines{{t.data(), 1, std::ssize(t)}, degree, n_splines, beyond};
  Found found{true, Doubles(x.size() * at(n_splines), 7.0)};
  Context ctx;
  ctx.n_threads = n_threads;
  const MatrixView<double> out(found.values.data(), std::ssize(x), n_splines);
  found.is_inside = gramian::preprocessing::spline_values(
      MatrixView<const double>(x.data(), std::ssize(x), 1), splines, out, ctx);
  return found;
}

bool are_near(const Doubles& a, const Doubles& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-14)) return false;
  return true;
}

}  // namespace

TEST(splines_have_the_values_of_closed_forms) {
  CHECK(values_of({0.0, 2.5, 4.0}, 0, Beyond::constant).values ==
        Doubles({1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  CHECK(are_near(values_of({1.25}, 1, Beyond::constant).values, {0, 0.75, 0.25, 0, 0}));
  CHECK(are_near(values_of({1.0}, 3, Beyond::constant).values,
                 {0, 1.0 / 6, 4.0 / 6, 1.0 / 6, 0, 0, 0}));
}

TEST(splines_sum_to_one_and_do_not_depend_on_threads) {
  const Doubles x = test::normal_values(30'000, 1, 2.0);
  for (const auto beyond :
       {Beyond::constant, Beyond::linear, Beyond::continued, Beyond::periodic}) {
    const Doubles one = values_of(x, 3, beyond).values;
    CHECK(test::same_bits(one, values_of(x, 3, beyond, 4).values));
    const std::size_t width = one.size() / x.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < width; ++k) sum += one[i * width + k];
      CHECK(std::abs(sum - 1.0) <= 1e-9);
    }
  }
}

TEST(splines_go_on_beyond_the_knots_as_asked) {
  const Doubles at_end = values_of({4.0}, 2, Beyond::constant).values;
  CHECK(values_of({9.0}, 2, Beyond::constant).values == at_end);
  CHECK(are_near(values_of({4.5}, 1, Beyond::linear).values, {0, 0, 0, -0.5, 1.5}));
  CHECK(are_near(values_of({4.5}, 1, Beyond::continued).values, {0, 0, 0, -0.5, 1.5}));
  CHECK(are_near(values_of({-3.75, 0.25}, 3, Beyond::periodic).values,
                 values_of({4.25, 8.25}, 3, Beyond::periodic).values));
  CHECK(values_of({4.0, 0.0}, 3, Beyond::refused).is_inside);
  CHECK(!values_of({1.0, 4.01}, 3, Beyond::refused).is_inside);
}

TEST(splines_of_missing_entries_are_zero) {
  for (const auto beyond : {Beyond::constant, Beyond::linear, Beyond::periodic, Beyond::refused})
    CHECK(values_of({kNan}, 2, beyond).values == Doubles(beyond == Beyond::periodic ? 4 : 6, 0.0));
}

TEST(entries_of_splines_are_those_of_the_matrix) {
  const Doubles x = {0.3, kNan, 3.9, 5.0};
  const Doubles t = uniform_knots(3);
  const Splines splines{{t.data(), 1, std::ssize(t)}, 3, 7, Beyond::linear};
  const MatrixView<const double> X(x.data(), 4, 1);
  std::vector<std::int64_t> places(16);
  Doubles values(16), dense(28);
  CHECK(gramian::preprocessing::spline_entries<double>(X, splines, places, values, Context{}));
  for (std::size_t e = 0; e < 16; ++e) dense[e / 4 * 7 + at(places[e])] += values[e];
  CHECK(dense == values_of(x, 3, Beyond::linear).values);
}
