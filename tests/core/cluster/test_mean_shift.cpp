// Mean shift over the tree: the steps of a loop over all rows, for any threads and level.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "cluster/mean_shift.hpp"
#include "cluster/mean_shift_kernel.hpp"
#include "distance/kd_tree/grown_tree.hpp"
#include "distance/neighbours.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::MatrixView;
using gramian::cluster::MeanShiftRule;
using gramian::distance::Metric;
using test::at;
using test::context_with;
using test::Grown;

namespace {

struct Ends {
  std::vector<double> means;
  std::vector<std::int64_t> n_within, n_iter;
  std::vector<std::uint8_t> is_settled;

  bool operator==(const Ends&) const = default;
};

Ends shifted(const Grown& grown, std::vector<double> seeds, const MeanShiftRule& rule,
             int n_threads) {
  const auto p = grown.shape.n_features, n = static_cast<std::int64_t>(seeds.size()) / p;
  Ends ends{std::move(seeds), std::vector<std::int64_t>(at(n)), std::vector<std::int64_t>(at(n)),
            std::vector<std::uint8_t>(at(n))};
  gramian::cluster::shift_to_means(
      grown.tree({Metric::euclidean, 2.0}), rule,
      {{ends.means.data(), n, p}, ends.n_within, ends.n_iter, ends.is_settled},
      context_with(n_threads));
  return ends;
}

double distance(const double* x, const double* y, std::int64_t p) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < p; ++k) sum = std::fma(x[k] - y[k], x[k] - y[k], sum);
  return std::sqrt(sum);
}

// One seed, by a loop over all rows for each step.
void shift_naively(MatrixView<const double> X, const MeanShiftRule& rule, std::vector<double>& x,
                   std::int64_t& n_within, std::int64_t& n_iter) {
  const std::int64_t p = X.n_cols;
  for (n_iter = 0;; ++n_iter) {
    std::vector<double> mean(at(p), 0.0);
    n_within = 0;
    for (std::int64_t i = 0; i < X.n_rows; ++i) {
      if (distance(X.row(i).data(), x.data(), p) > rule.bandwidth) continue;
      ++n_within;
      for (std::int64_t k = 0; k < p; ++k) mean[at(k)] += X(i, k);
    }
    if (n_within == 0) return;
    for (double& value : mean) value /= static_cast<double>(n_within);
    const double step = distance(mean.data(), x.data(), p);
    x = mean;
    if (step <= 1e-3 * rule.bandwidth || n_iter == rule.max_iter) return;
  }
}

}  // namespace

TEST(mean_shift_is_that_of_a_loop_over_all_rows) {
  for (const std::int64_t p : {1, 2, 3, 11}) {
    const auto values = test::normal_values(900 * p, 3);
    const MatrixView<const double> X(values.data(), 900, p);
    const Grown grown(X);
    for (const MeanShiftRule rule : {MeanShiftRule{0.4, 300}, {2.0, 300}, {2.0, 1}, {1e9, 300}}) {
      const Ends ends = shifted(grown, values, rule, 1);
      CHECK(ends == shifted(grown, values, rule, 3));
      for (std::int64_t i = 0; i < 900; i += 7) {
        std::vector<double> x(X.row(i).begin(), X.row(i).end());
        std::int64_t n_within, n_iter;
        shift_naively(X, rule, x, n_within, n_iter);
        CHECK(ends.n_within[at(i)] == n_within);
        CHECK(ends.n_iter[at(i)] == n_iter);
        CHECK(distance(x.data(), ends.means.data() + i * p, p) < 1e-12);
      }
    }
  }
}

TEST(a_seed_far_from_all_rows_stays) {
  const auto values = test::normal_values(200, 4);
  const Grown grown({values.data(), 100, 2});
  const Ends ends = shifted(grown, {50.0, 60.0}, {1.0, 10}, 1);
  CHECK(ends.n_within[0] == 0 && ends.n_iter[0] == 0 && !ends.is_settled[0]);
  CHECK(ends.means == (std::vector<double>{50.0, 60.0}));
}

TEST(a_common_offset_costs_mean_shift_no_digits) {
  auto values = test::normal_values(600 * 2, 5);
  for (double& value : values) value = std::round(value * 1024.0) / 1024.0 + 0x1p30;
  const MatrixView<const double> X(values.data(), 600, 2);
  const Ends far = shifted(Grown(X), values, {0.7, 300}, 1);
  for (double& value : values) value -= 0x1p30;
  const Ends near = shifted(Grown(X), values, {0.7, 300}, 1);
  CHECK(far.n_within == near.n_within);
  for (std::size_t k = 0; k < far.means.size(); ++k)
    CHECK(std::abs(far.means[k] - 0x1p30 - near.means[k]) < 1e-6);
}

TEST(points_within_are_added_alike_at_every_level) {
  const std::int64_t p = 3, stride = 24;
  const auto points = test::normal_values(p * stride, 6), shift = test::normal_values(p, 7);
  auto distances = test::normal_values(stride, 8);
  distances[5] = 0.25;
  for (const std::int64_t n : {1, 7, 8, 17, 24}) {
    std::int64_t expected = 0;
    std::vector<double> sums(at(p), 1.0), first;
    for (std::int64_t i = 0; i < n; ++i) {
      if (distances[at(i)] > 0.25) continue;
      ++expected;
      for (std::int64_t k = 0; k < p; ++k) sums[at(k)] += points[at(k * stride + i)] - shift[at(k)];
    }
    for (const auto level : test::levels()) {
      std::vector<double> out(at(p), 1.0);
      CHECK(AT_LEVEL(level, add_points_within, distances.data(), 0.25, points.data(), p, stride, n,
                     shift.data(), out.data()) == expected);
      for (std::int64_t k = 0; k < p; ++k) CHECK(std::abs(out[at(k)] - sums[at(k)]) < 1e-14);
      if (first.empty()) first = out;
      CHECK(out == first);
    }
  }
}

TEST(rows_are_kept_apart_in_their_order) {
  const auto values = test::normal_values(700 * 2, 9);
  const MatrixView<const double> X(values.data(), 700, 2);
  const Grown grown(X);
  for (const double radius : {0.0, 0.05, 0.5, 100.0}) {
    std::vector<std::uint8_t> keeps(700), expected(700, 1);
    gramian::cluster::keep_apart(X, grown.tree({Metric::euclidean, 2.0}), radius, keeps,
                                 context_with(1));
    for (std::int64_t i = 0; i < 700; ++i)
      for (std::int64_t j = i + 1; expected[at(i)] && j < 700; ++j)
        if (distance(X.row(i).data(), X.row(j).data(), 2) <= radius) expected[at(j)] = 0;
    CHECK(keeps == expected);
  }
}

TEST(kth_distances_are_those_of_sorted_rows) {
  const auto values = test::normal_values(501 * 3, 10);
  const MatrixView<const double> X(values.data(), 501, 3);
  for (const std::int64_t k : {1, 2, 150, 501}) {
    std::vector<double> out(501), again(501);
    gramian::distance::kth_distances(X, k, out, context_with(1));
    gramian::distance::kth_distances(X, k, again, context_with(2));
    CHECK(out == again);
    for (std::int64_t i = 0; i < 501; i += 50) {
      std::vector<double> distances(501);
      for (std::int64_t j = 0; j < 501; ++j)
        distances[at(j)] = distance(X.row(i).data(), X.row(j).data(), 3);
      std::sort(distances.begin(), distances.end());
      CHECK(std::abs(out[at(i)] - distances[at(k - 1)]) < 1e-13);
    }
  }
}
