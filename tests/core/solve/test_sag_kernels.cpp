// The inner loops of stochastic average gradient steps against plain loops.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/sgd/sag_kernel.hpp"

using test::at;

namespace {

using Doubles = std::vector<double>;

std::int64_t padded(std::int64_t n) {
  return (n + gramian::kRowLanes - 1) / gramian::kRowLanes * gramian::kRowLanes;
}

Doubles padded_values(std::int64_t n, std::uint64_t seed) {
  Doubles values = test::normal_values(n, seed);
  values.resize(at(padded(n)), 0.0);
  return values;
}

template <class T>
void check_centred(std::int64_t n) {
  std::vector<T> row;
  for (const double x : test::normal_values(n, 1)) row.push_back(static_cast<T>(x));
  const Doubles mean = padded_values(n, 2);
  Doubles expected(at(padded(n)), 0.0);
  for (std::int64_t j = 0; j < n; ++j)
    expected[at(j)] = static_cast<double>(row[at(j)]) - mean[at(j)];
  for (const auto level : test::levels()) {
    Doubles found(at(padded(n)), NAN);
    AT_LEVEL(level, centre_row, row.data(), mean.data(), n, found.data());
    CHECK(test::same_bits(found, expected));
  }
}

}  // namespace

TEST(rows_are_centred_and_padded_with_zeros) {
  for (std::int64_t n = 0; n <= 30; ++n) {
    check_centred<double>(n);
    check_centred<float>(n);
  }
}

TEST(padded_products_are_plain_products) {
  for (std::int64_t n = 0; n <= 40; ++n) {
    const Doubles a = padded_values(n, 3), b = padded_values(n, 4);
    long double expected = 0;
    for (std::int64_t j = 0; j < n; ++j) expected += static_cast<long double>(a[at(j)]) * b[at(j)];
    const double first =
        AT_LEVEL(test::levels().front(), padded_dot, a.data(), b.data(), padded(n));
    CHECK(test::is_close(first, expected, 1e-12L));
    for (const auto level : test::levels())
      CHECK(AT_LEVEL(level, padded_dot, a.data(), b.data(), padded(n)) == first);
  }
}

TEST(a_step_goes_along_the_average_and_the_row) {
  const gramian::SagStep step{0.7, 0.99, 0.05, 0.2};
  for (std::int64_t n = 0; n <= 30; ++n) {
    const Doubles z = padded_values(n, 5), sum = padded_values(n, 6), v = padded_values(n, 7);
    Doubles sums = sum, moved = v;
    for (std::int64_t j = 0; j < padded(n); ++j) {
      sums[at(j)] = std::fma(z[at(j)], step.change, sum[at(j)]);
      const double along = std::fma(sums[at(j)], -step.average_step, v[at(j)] * step.shrink);
      moved[at(j)] = std::fma(z[at(j)], -step.row_step * step.change, along);
    }
    for (const auto level : test::levels()) {
      Doubles found_sum = sum, found = v;
      AT_LEVEL(level, move_along_average, step, z.data(), padded(n), found_sum.data(),
               found.data());
      CHECK(test::same_bits(found_sum, sums) && test::same_bits(found, moved));
    }
  }
}
