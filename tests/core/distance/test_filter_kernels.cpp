// The float32 filter's kernels on every level: which scores pass, and sums of squares.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "distance/filter_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

namespace distance = gramian::distance;
using distance::kFilterLanes;
using distance::kFilterRows;
using distance::kSurvivorRoom;
using distance::Survivors;
using test::at;

namespace {

std::vector<float> floats(std::int64_t n, std::uint64_t seed) {
  const auto values = test::normal_values(n, seed);
  return {values.begin(), values.end()};
}

struct Passed {
  std::vector<std::int32_t> columns;
  std::vector<float> scores;
  bool operator==(const Passed&) const = default;
};

std::vector<Passed> naive(const distance::FilterOperands& tile, float limit) {
  std::vector<Passed> passed(kFilterRows);
  for (int i = 0; i < kFilterRows; ++i)
    for (std::int64_t j = 0; j < tile.n_panels * kFilterLanes; ++j) {
      float sum = 0.0F;
      const float* y =
          tile.y + j / kFilterLanes * kFilterLanes * tile.n_features + j % kFilterLanes;
      for (std::int64_t k = 0; k < tile.n_features; ++k)
        sum = std::fma(tile.x[i * tile.n_features + k], y[k * kFilterLanes], sum);
      const float score = tile.half_norms[j] - sum;
      if (!(score <= limit)) continue;
      passed[at(i)].columns.push_back(tile.first_col + static_cast<std::int32_t>(j));
      passed[at(i)].scores.push_back(score);
    }
  return passed;
}

}  // namespace

TEST(filter_keeps_the_scores_within_the_limit) {
  for (const std::int64_t n_panels : {1, 2, 3, 5, 12})
    for (const std::int64_t p : {1, 7}) {
      const auto x = floats(kFilterRows * p, 1), y = floats(n_panels * kFilterLanes * p, 2);
      auto half_norms = floats(n_panels * kFilterLanes, 3);
      half_norms.back() = std::numeric_limits<float>::infinity();
      const distance::FilterOperands tile{x.data(), y.data(), half_norms.data(), p, n_panels, 32};
      for (const float limit : {-1.0F, 0.5F, std::numeric_limits<float>::max()})
        for (const auto level : test::levels()) {
          std::vector<float> scores(at(kFilterRows * kSurvivorRoom));
          std::vector<std::int32_t> columns(scores.size());
          std::vector<Survivors> rows;
          for (int i = 0; i < kFilterRows; ++i)
            rows.push_back(
                {limit, 0, scores.data() + i * kSurvivorRoom, columns.data() + i * kSurvivorRoom});
          AT_LEVEL(level, filter_tile, tile, rows.data());
          std::vector<Passed> passed;
          for (const Survivors& row : rows)
            passed.push_back(
                {{row.columns, row.columns + row.count}, {row.scores, row.scores + row.count}});
          CHECK(passed == naive(tile, limit));
        }
    }
}

TEST(squared_distances_are_summed_in_the_order_of_the_features) {
  const std::int64_t p = 13, n = 21;
  const auto x = test::normal_values(p, 4), y = test::normal_values(n * p, 5);
  const distance::RowsOf<double> rows{y.data(), p, p};
  std::vector<std::int32_t> columns;
  for (std::int32_t i = 0; i < 11; ++i) columns.push_back((i * 8) % 21);
  const auto expected = [&](std::int64_t row) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < p; ++k) {
      const double gap = x[at(k)] - y[at(row * p + k)];
      sum = std::fma(gap, gap, sum);
    }
    return sum;
  };
  for (const auto level : test::levels()) {
    std::vector<double> out(11), all(9);
    AT_LEVEL(level, squared_distances, x.data(), rows, columns.data(), 0, 11, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == expected(columns[i]));
    AT_LEVEL(level, squared_distances, x.data(), rows, static_cast<std::int32_t*>(nullptr), 5, 9,
             all.data());
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK(all[i] == expected(5 + static_cast<std::int64_t>(i)));
  }
}
