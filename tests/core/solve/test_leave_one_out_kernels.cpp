// The elementwise part of leave-one-out errors against plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/least_squares/leave_one_out_kernel.hpp"

using test::at;

namespace {

using Doubles = std::vector<double>;

Doubles leverages(std::int64_t n) {
  Doubles values = test::normal_values(n, 1);
  for (double& h : values) h = std::min(1.0, std::abs(h) / 3.0);  // some have all the weight
  return values;
}

}  // namespace

TEST(complements_are_inverted_and_never_zero) {
  constexpr double kFloor = std::numeric_limits<double>::epsilon();
  for (const std::int64_t n : {0, 8, 16, 56}) {
    const Doubles start = leverages(n), weight(at(n), 1.0);
    Doubles expected;
    for (const double h : start) expected.push_back(1.0 / std::max(1.0 - (h + 0.01), kFloor));
    for (const auto level : test::levels()) {
      Doubles found = start;
      AT_LEVEL(level, invert_complements, weight.data(), 0.01, n, found.data());
      CHECK(test::same_bits(found, expected));
    }
  }
}

TEST(left_out_errors_are_inflated_residuals) {
  for (const std::int64_t n : {0, 8, 24, 80}) {
    const auto target = test::normal_values(n, 2), start = test::normal_values(n, 3);
    const auto inverse = test::normal_values(n, 4, 3.0), weight = test::random_weights(n, 5);
    Doubles errors;
    long double total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      errors.push_back((target[at(i)] - start[at(i)]) * inverse[at(i)]);
      total += static_cast<long double>(weight[at(i)]) * errors.back() * errors.back();
    }
    double first = 0.0;
    for (const auto level : test::levels()) {
      Doubles found = start;
      const double sum =
          AT_LEVEL(level, leave_out, target.data(), weight.data(), inverse.data(), n, found.data());
      CHECK(test::is_close(sum, total, 1e-10L));
      CHECK(test::same_bits(found, errors));
      if (level == test::levels().front()) first = sum;
      CHECK(sum == first);
    }
  }
}

TEST(panels_are_scaled_and_squared_by_group) {
  for (const std::int64_t count : {0, 1, 2, 7}) {
    const auto values = test::normal_values(8 * count, 6), scale = test::normal_values(count, 7);
    Doubles scaled, squared;
    for (std::int64_t i = 0; i < 8 * count; ++i) {
      scaled.push_back(scale[at(i / 8)] * values[at(i)]);
      squared.push_back(values[at(i)] * values[at(i)]);
    }
    for (const auto level : test::levels()) {
      Doubles found(at(8 * count));
      AT_LEVEL(level, scale_panel, values.data(), scale.data(), count, found.data());
      CHECK(test::same_bits(found, scaled));
      AT_LEVEL(level, square_panel, values.data(), count, found.data());
      CHECK(test::same_bits(found, squared));
    }
  }
}

TEST(a_scaled_row_is_added_whatever_its_length) {
  for (std::int64_t n = 0; n <= 20; ++n) {
    const auto row = test::normal_values(n, 8), start = test::normal_values(n, 9);
    Doubles expected = start;
    for (std::int64_t j = 0; j < n; ++j)
      expected[at(j)] = std::fma(row[at(j)], -0.7, expected[at(j)]);
    for (const auto level : test::levels()) {
      Doubles found = start;
      AT_LEVEL(level, add_scaled_row, row.data(), -0.7, n, found.data());
      CHECK(test::same_bits(found, expected));
    }
  }
}
