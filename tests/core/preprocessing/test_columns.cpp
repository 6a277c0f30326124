// Passes over columns with gaps, against sums in long double, one term after the other.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "preprocessing/columns.hpp"

using gramian::Affine;
using gramian::Context;
using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Values about 1000, some of them missing.
Doubles values_with_gaps(std::int64_t n, std::int64_t p) {
  Doubles x = test::normal_values(n * p, 1, 1000.0);
  for (std::int64_t i = 0; i < n * p; i += 7) x[at(i)] = kNan;
  return x;
}

struct Moments {
  Doubles weight, mean, squares;
};

Moments moments_of(MatrixView<const double> X, std::span<const double> weight, int n_threads) {
  const auto p = at(X.n_cols);
  Moments found{Doubles(p), Doubles(p), Doubles(p)};
  Context ctx;
  ctx.n_threads = n_threads;
  gramian::preprocessing::column_moments(X, weight, {found.weight, found.mean, found.squares}, ctx);
  return found;
}

}  // namespace

TEST(column_moments_leave_nan_out) {
  for (const std::int64_t n : {1, 300, 20'000}) {
    const std::int64_t p = 5;
    const Doubles x = values_with_gaps(n, p);
    const Doubles weight = test::random_weights(n, 3);
    const Moments found = moments_of({x.data(), n, p}, weight, 1);
    for (std::int64_t j = 0; j < p; ++j) {
      long double total = 0.0L, sum = 0.0L, squares = 0.0L;
      for (int pass = 0; pass < 2; ++pass)
        for (std::int64_t i = 0; i < n; ++i) {
          const double value = x[at(i * p + j)];
          if (value != value) continue;
          const long double w = weight[at(i)];
          if (pass == 0) {
            total += w;
            sum += w * value;
          } else {
            squares += w * (value - sum / total) * (value - sum / total);
          }
        }
      CHECK(std::abs(found.weight[at(j)] - static_cast<double>(total)) <=
            1e-10 * (1.0 + static_cast<double>(total)));
      if (total == 0.0L) continue;
      CHECK(std::abs(found.mean[at(j)] - static_cast<double>(sum / total)) <= 1e-9);
      CHECK(std::abs(found.squares[at(j)] - static_cast<double>(squares)) <=
            1e-9 * (1.0 + static_cast<double>(squares)));
    }
  }
}

TEST(column_moments_are_the_same_bits_for_any_threads_and_layout) {
  const std::int64_t n = 30'000, p = 9;
  const Doubles x = values_with_gaps(n, p);
  Doubles turned(x.size());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < p; ++j) turned[at(j * n + i)] = x[at(i * p + j)];
  const Moments one = moments_of({x.data(), n, p}, {}, 1);
  const Moments many = moments_of({turned.data(), n, p, 1, n}, {}, 4);
  CHECK(test::same_bits(one.mean, many.mean));
  CHECK(test::same_bits(one.squares, many.squares));
}

TEST(constant_columns_have_no_variance) {
  const Doubles x(1'000, 0.1);
  const Moments found = moments_of({x.data(), 500, 2}, {}, 1);
  CHECK(found.mean[0] == 0.1);
  CHECK(found.squares[0] == 0.0);
}

TEST(column_ranges_leave_nan_out) {
  const Doubles x = {kNan, kNan, 2.0, kNan, -1.0, kNan};
  Doubles low(2), high(2);
  gramian::preprocessing::column_ranges(MatrixView<const double>(x.data(), 3, 2), std::span(low),
                                        std::span(high), Context{});
  CHECK(low[0] == -1.0 && high[0] == 2.0);
  CHECK(low[1] > high[1]);
}

TEST(map_columns_there_and_back) {
  const Doubles x = {1.0, 10.0, 3.0, 30.0};
  const Doubles shift = {1.0, 10.0}, scale = {2.0, 5.0};
  Doubles out(4);
  const MatrixView<double> view(out.data(), 2, 2);
  gramian::preprocessing::map_columns(
      MatrixView<const double>(x.data(), 2, 2), std::span<const double>(shift),
      std::span<const double>(scale), Affine::standardise, view, Context{});
  CHECK(out == Doubles({0.0, 0.0, 1.0, 4.0}));
  gramian::preprocessing::map_columns(
      MatrixView<const double>(view), std::span<const double>(shift),
      std::span<const double>(scale), Affine::restore, view, Context{});
  CHECK(out == x);
}
