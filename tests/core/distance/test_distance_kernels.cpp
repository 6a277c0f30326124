// Tiles of distances against plain loops in long double, and what is kept of them.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "distance/reduce_kernel.hpp"
#include "distance/tile_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

namespace distance = gramian::distance;
using distance::kPanelRows;
using distance::kTileCols;
using distance::kTileRows;
using distance::Metric;
using test::at;

namespace {

constexpr double kPower = 3.0;

struct Points {
  std::int64_t n, p;
  std::vector<double> values, norms;

  double operator()(std::int64_t i, std::int64_t k) const { return values[at(i * p + k)]; }
};

// Rows near to and far from each other; without negative entries, of length 1, or with gaps.
Points points_for(Metric metric, std::int64_t n, std::int64_t p, std::uint64_t seed) {
  Points points{n, p, test::normal_values(n * p, seed), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    double norm = 0.0;
    for (std::int64_t k = 0; k < p; ++k) {
      double& x = points.values[at(i * p + k)];
      if (i % 3 == 0) x = static_cast<double>(k + 1) + 1e-9 * x;
      if (metric == Metric::chi2) x = (i + k) % 5 == 0 ? 0.0 : std::abs(x);
      norm = std::fma(x, x, norm);
    }
    for (std::int64_t k = 0; k < p; ++k) {
      double& x = points.values[at(i * p + k)];
      if (metric == Metric::cosine) x /= std::sqrt(norm);
      if (metric == Metric::nan_euclidean && (i + k) % 4 == 0) x = NAN;
    }
    norm = 0.0;
    for (std::int64_t k = 0; k < p; ++k) norm = std::fma(points(i, k), points(i, k), norm);
    points.norms.push_back(norm);
  }
  return points;
}

long double distance_of(Metric metric, const Points& x, std::int64_t i, const Points& y,
                        std::int64_t j) {
  long double sum = 0, n_numbers = 0;
  for (std::int64_t k = 0; k < x.p; ++k) {
    const long double a = x(i, k), b = y(j, k), gap = std::abs(a - b);
    if (std::isnan(gap)) continue;
    ++n_numbers;
    if (metric == Metric::dot)
      sum += a * b;
    else if (metric == Metric::manhattan)
      sum += gap;
    else if (metric == Metric::chebyshev)
      sum = std::max(sum, gap);
    else if (metric == Metric::minkowski)
      sum += std::pow(gap, static_cast<long double>(kPower));
    else if (metric == Metric::chi2)
      sum += a + b > 0 ? gap * gap / (a + b) : 0;
    else
      sum += gap * gap;
  }
  if (metric == Metric::cosine) return sum / 2;
  if (metric == Metric::minkowski) return std::pow(sum, 1 / static_cast<long double>(kPower));
  if (metric == Metric::euclidean) return std::sqrt(sum);
  if (metric == Metric::nan_euclidean)
    return std::sqrt(sum * (static_cast<long double>(x.p) / n_numbers));
  return sum;
}

bool is_near(double found, long double expected, double rounding) {
  if (std::isnan(expected)) return std::isnan(found);
  return std::abs(found - expected) <= rounding * std::abs(expected) + 1e-20L;
}

void check_tile(Metric metric, std::int64_t p, std::int64_t n_panels, bool has_norms) {
  const Points x = points_for(metric, kTileRows, p, 1);
  const Points y = points_for(metric, n_panels * kPanelRows, p, 2);
  std::vector<double> panels;
  for (std::int64_t first = 0; first < y.n; first += kPanelRows)
    for (std::int64_t k = 0; k < p; ++k)
      for (std::int64_t l = 0; l < kPanelRows; ++l) panels.push_back(y(first + l, k));
  const distance::TileOperands operands{
      metric,         kPower, x.values.data(), panels.data(), has_norms ? x.norms.data() : nullptr,
      y.norms.data(), p,      n_panels};
  std::vector<double> first;
  for (const auto level : test::levels()) {
    std::vector<double> tile(at(kTileRows * kTileCols), -7.0);
    AT_LEVEL(level, compute_tile, operands, tile.data());
    for (std::int64_t i = 0; i < kTileRows; ++i)
      for (std::int64_t j = 0; j < y.n; ++j) {
        const double rounding = metric == Metric::dot ? 1e-9 : 1e-12;
        CHECK(is_near(tile[at(i * kTileCols + j)], distance_of(metric, x, i, y, j), rounding));
      }
    if (first.empty()) first = tile;
    CHECK(test::same_bits(tile, first));
    std::vector<double> norms(kPanelRows);
    AT_LEVEL(level, panel_norms, panels.data(), p, norms.data());
    for (std::int64_t l = 0; metric != Metric::nan_euclidean && l < kPanelRows; ++l) {
      CHECK(norms[at(l)] == y.norms[at(l)]);
      CHECK(AT_LEVEL(level, row_norm, y.values.data() + l * p, p) == y.norms[at(l)]);
    }
  }
}

}  // namespace

TEST(distance_tiles_are_the_distances_of_their_pairs) {
  for (const auto metric :
       {Metric::dot, Metric::sqeuclidean, Metric::euclidean, Metric::cosine, Metric::manhattan,
        Metric::chebyshev, Metric::minkowski, Metric::nan_euclidean, Metric::chi2})
    for (const std::int64_t p : {1, 2, 7, 8, 19})
      for (const std::int64_t n_panels : {1, 2, 3, 4, 11, 12}) {
        check_tile(metric, p, n_panels, false);
        check_tile(metric, p, n_panels, true);
      }
}

TEST(entries_are_summed_whatever_their_number) {
  for (std::int64_t n = 0; n <= 70; ++n) {
    const auto values = test::normal_values(n, 3);
    long double expected = 0;
    for (const double x : values) expected += x;
    double first = 0.0;
    for (const auto level : test::levels()) {
      const double sum = AT_LEVEL(level, sum_entries, values.data(), n);
      CHECK(std::abs(sum - expected) < 1e-13);
      if (level == test::levels().front()) first = sum;
      CHECK(sum == first);
    }
  }
}

TEST(the_first_least_entry_is_found_if_it_is_less) {
  for (std::int64_t n = 0; n <= 40; ++n) {
    auto values = test::normal_values(n, 4);
    if (n > 3) values[3] = NAN;
    if (n > 20) values[20] = values[9] = -9.0;  // the first of equals counts
    for (const double limit : {std::numeric_limits<double>::infinity(), 0.0, -5.0, -100.0}) {
      double least = limit;
      std::int64_t place = -1;
      for (std::int64_t i = 0; i < n; ++i)
        if (values[at(i)] < least) {
          least = values[at(i)];
          place = i;
        }
      for (const auto level : test::levels()) {
        double best = limit;
        CHECK(AT_LEVEL(level, find_less, values.data(), n, &best) == place);
        CHECK(best == least);
      }
    }
  }
}
