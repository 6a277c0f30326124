// The inner loops of stochastic gradient steps against plain loops.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/sgd/sgd_kernel.hpp"

using test::at;

namespace {

using Doubles = std::vector<double>;

std::int64_t padded(std::int64_t n) {
  return (n + gramian::kWeightLanes - 1) / gramian::kWeightLanes * gramian::kWeightLanes;
}

Doubles padded_values(std::int64_t n, std::uint64_t seed) {
  Doubles values = test::normal_values(n, seed);
  values.resize(at(padded(n)), 0.0);
  return values;
}

// Returns what the row's sums are, to be compared between levels.
template <class T>
Doubles check_row(const gramian::RowKernels<T>& kernels, std::int64_t n) {
  std::vector<T> row;
  for (const double x : test::normal_values(n, 1)) row.push_back(static_cast<T>(x));
  const Doubles v = padded_values(n, 2);
  Doubles moved = v;
  long double dot = 0, norm = 0, squares = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const auto x = static_cast<double>(row[at(j)]);
    dot += static_cast<long double>(x) * v[at(j)];
    norm += static_cast<long double>(x) * x;
    moved[at(j)] = std::fma(x, 0.3, moved[at(j)]);
    squares += static_cast<long double>(moved[at(j)]) * moved[at(j)];
  }
  Doubles found = v;
  const Doubles sums{kernels.dot(row.data(), n, v.data()), kernels.squared_norm(row.data(), n),
                     kernels.add(row.data(), n, 0.3, found.data())};
  CHECK(test::is_close(sums[0], dot, 1e-12L));
  CHECK(test::is_close(sums[1], norm, 1e-12L));
  CHECK(test::is_close(sums[2], squares, 1e-12L));
  CHECK(test::same_bits(found, moved));
  return sums;
}

}  // namespace

TEST(steps_on_rows_of_any_length) {
  const auto first = test::levels().front();
  for (std::int64_t n = 0; n <= 50; ++n)
    for (const auto level : test::levels()) {
      CHECK(test::same_bits(check_row(AT_LEVEL(level, float_row_kernels), n),
                            check_row(AT_LEVEL(first, float_row_kernels), n)));
      CHECK(test::same_bits(check_row(AT_LEVEL(level, double_row_kernels), n),
                            check_row(AT_LEVEL(first, double_row_kernels), n)));
    }
}

TEST(shrinking_stops_at_zero_and_remembers_what_it_took) {
  const gramian::Shrinkage shrinkage{0.8, 0.5};
  for (std::int64_t n = 0; n <= 20; ++n) {
    Doubles v = padded_values(n, 3), given(v.size(), 0.25);
    if (n > 2) v[1] = 0.0;
    // Up to 0.8 less the 0.25 of before may be taken from a weight 0.5 v below 0, and 0.8 and
    // 0.25 from one above.
    Doubles shrunk = v, taken = given;
    for (std::int64_t j = 0; j < n; ++j) {
      const double w = v[at(j)];
      if (w > 0.0) shrunk[at(j)] = std::max(0.0, w - (0.8 + 0.25) / 0.5);
      if (w < 0.0) shrunk[at(j)] = std::min(0.0, w + (0.8 - 0.25) / 0.5);
      taken[at(j)] += 0.5 * (shrunk[at(j)] - w);
    }
    for (const auto level : test::levels()) {
      Doubles found = v, found_given = given;
      AT_LEVEL(level, shrink_all, shrinkage, n, found.data(), found_given.data());
      CHECK(test::same_bits(found, shrunk) && test::same_bits(found_given, taken));
    }
  }
}

TEST(magnitudes_are_summed) {
  for (std::int64_t n = 0; n <= 40; ++n) {
    const Doubles v = padded_values(n, 4);
    long double expected = 0;
    for (const double x : v) expected += std::abs(x);
    const double first = AT_LEVEL(test::levels().front(), sum_of_magnitudes, v.data(), padded(n));
    CHECK(test::is_close(first, expected, 1e-12L));
    for (const auto level : test::levels())
      CHECK(AT_LEVEL(level, sum_of_magnitudes, v.data(), padded(n)) == first);
  }
}
