// Moments, ranges and maps of columns against plain loops, with gaps.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "preprocessing/columns_kernel.hpp"
#include "simd/each_level.hpp"

using gramian::Affine;
using test::at;

namespace {

using Doubles = std::vector<double>;

template <class T>
struct Block {
  std::int64_t n, p, stride;
  std::vector<T> values;

  Block(std::int64_t n_rows, std::int64_t n_cols, std::uint64_t seed)
      : n(n_rows), p(n_cols), stride(n_cols + 2) {
    for (const double x : test::normal_values(n * stride, seed, 3.0))
      values.push_back(static_cast<T>(x));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < p; ++j)
        if ((i + 2 * j) % 7 == 3) values[at(i * stride + j)] = static_cast<T>(NAN);
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(values[at(i * stride + j)]);
  }
  gramian::Rows<T> rows() const { return {values.data(), stride, n, p}; }
};

struct Moments {
  Doubles weight, mean, squares, scratch;

  explicit Moments(std::int64_t p)
      : weight(at(p)), mean(at(p)), squares(at(p)), scratch(at(3 * p)) {}
  gramian::MomentArrays arrays(const Doubles& origin) {
    return {origin.data(), weight.data(), mean.data(), squares.data(), scratch.data()};
  }
};

template <class T>
void check_moments(const Block<T>& block, const Block<T>& more, const double* row_weight) {
  const Doubles origin(at(block.p), 2.5);
  Moments first(block.p);
  for (const auto level : test::levels()) {
    Moments found(block.p);
    for (const auto* rows : {&block, &more})
      AT_LEVEL(level, add_moments, rows->rows(), row_weight, found.arrays(origin));
    for (std::int64_t j = 0; j < block.p; ++j) {
      long double weight = 0, sum = 0, squares = 0;
      const auto add = [&](auto&& what) {
        for (const auto* rows : {&block, &more})
          for (std::int64_t i = 0; i < rows->n; ++i)
            if (!std::isnan((*rows)(i, j))) what((*rows)(i, j), row_weight ? row_weight[i] : 1.0);
      };
      add([&](double x, double w) { weight += w, sum += w * (x - 2.5L); });
      const long double mean = weight > 0 ? sum / weight : 0;
      add([&](double x, double w) { squares += w * (x - 2.5L - mean) * (x - 2.5L - mean); });
      CHECK(std::abs(found.weight[at(j)] - weight) < 1e-12L);
      CHECK(std::abs(found.mean[at(j)] - mean) < 1e-12L);
      CHECK(std::abs(found.squares[at(j)] - squares) < 1e-11L);
    }
    if (level == test::levels().front()) first = found;
    CHECK(test::same_bits(found.mean, first.mean));
    CHECK(test::same_bits(found.squares, first.squares));
  }
}

template <class T>
void check_ranges(const Block<T>& block) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Doubles low(at(block.p), kInfinity), high(at(block.p), -kInfinity);
  for (std::int64_t i = 0; i < block.n; ++i)
    for (std::int64_t j = 0; j < block.p; ++j) {
      low[at(j)] = std::fmin(low[at(j)], block(i, j));
      high[at(j)] = std::fmax(high[at(j)], block(i, j));
    }
  for (const auto level : test::levels()) {
    Doubles found_low(at(block.p), kInfinity), found_high(at(block.p), -kInfinity);
    AT_LEVEL(level, widen_ranges, block.rows(), found_low.data(), found_high.data());
    CHECK(test::same_bits(found_low, low) && test::same_bits(found_high, high));
  }
}

template <class T>
T mapped(T x, double shift, double scale, Affine what) {
  if (what == Affine::standardise) {
    const auto centred = static_cast<T>(static_cast<double>(x) - shift);
    return static_cast<T>(static_cast<double>(centred) / scale);
  }
  const auto scaled = static_cast<T>(static_cast<double>(x) * scale);
  return static_cast<T>(static_cast<double>(scaled) + shift);
}

template <class T>
void check_maps(std::int64_t n, Affine what) {
  const auto shift = test::normal_values(n, 5), scale = test::normal_values(n, 6, 4.0);
  std::vector<T> x;
  for (const double value : test::normal_values(n, 7)) x.push_back(static_cast<T>(value));
  std::vector<T> by_entry, alike;
  for (std::int64_t j = 0; j < n; ++j) {
    by_entry.push_back(mapped(x[at(j)], shift[at(j)], scale[at(j)], what));
    alike.push_back(mapped(x[at(j)], 0.3, 1.7, what));
  }
  for (const auto level : test::levels()) {
    std::vector<T> row(at(n)), column(at(n));
    AT_LEVEL(level, map_row, x.data(), n, shift.data(), scale.data(), what, row.data());
    AT_LEVEL(level, map_column, x.data(), n, 0.3, 1.7, what, column.data());
    CHECK(test::same_bits(row, by_entry) && test::same_bits(column, alike));
  }
}

template <class T>
void check_all(std::int64_t n, std::int64_t p) {
  const Block<T> block(n, p, 1), more(n, p, 2);
  const auto weight = test::random_weights(n, 3);
  check_moments(block, more, nullptr);
  check_moments(block, more, weight.data());
  check_ranges(block);
}

}  // namespace

TEST(moments_and_ranges_of_columns_leave_gaps_out) {
  for (const std::int64_t n : {0, 1, 6, 33})
    for (const std::int64_t p : {1, 3, 8, 9, 21}) {
      check_all<double>(n, p);
      check_all<float>(n, p);
    }
}

TEST(maps_round_after_every_step) {
  for (std::int64_t n = 0; n <= 35; ++n)
    for (const Affine what : {Affine::standardise, Affine::restore}) {
      check_maps<double>(n, what);
      check_maps<float>(n, what);
    }
}
