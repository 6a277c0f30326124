// The k-d tree: boxes never farther than their points, and searches as over all pairs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "check.hpp"
#include "distance/kd_tree/group_kernel.hpp"
#include "distance/kd_tree/grown_tree.hpp"
#include "distance/kd_tree/select_rank.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::MatrixView;
using gramian::distance::KdTree;
using gramian::distance::Metric;
using gramian::distance::Self;
using test::at;
using test::context_with;
using test::Grown;

namespace {

constexpr Metric kTreeMetrics[] = {Metric::euclidean, Metric::manhattan, Metric::chebyshev,
                                   Metric::minkowski};

}  // namespace

TEST(kd_tree_has_every_row_once_in_boxes_that_hold_them) {
  for (const std::int64_t n : {1, 47, 48, 300, 1000}) {
    const auto values = test::normal_values(n * 3, 1);
    const Grown grown({values.data(), n, 3}, 1);
    auto rows = grown.order;
    std::sort(rows.begin(), rows.end());
    for (std::int64_t i = 0; i < n; ++i) CHECK(rows[at(i)] == i);
    const int depth = grown.shape.depth();
    for (std::int64_t leaf = 0; leaf < grown.shape.n_leaves(); ++leaf)
      for (std::int64_t i = grown.shape.begin(depth, leaf); i < grown.shape.begin(depth, leaf + 1);
           ++i)
        for (std::int64_t node = grown.shape.n_leaves() + leaf; node > 0; node /= 2)
          for (std::int64_t k = 0; k < 3; ++k) {
            const double value = values[at(grown.order[at(i)] * 3 + k)];
            CHECK(value >= grown.boxes[at(node * 6 + k)]);
            CHECK(value <= grown.boxes[at(node * 6 + 3 + k)]);
          }
  }
}

TEST(no_point_of_a_box_is_nearer_than_the_box) {
  const std::int64_t p = 5, stride = 16;
  const auto points = test::normal_values(p * stride, 2);
  std::vector<double> box(at(2 * p));
  for (std::int64_t k = 0; k < p; ++k) {
    const auto [low, high] =
        std::minmax_element(points.begin() + k * stride, points.begin() + (k + 1) * stride);
    box[at(k)] = *low;
    box[at(p + k)] = *high;
  }
  for (const Metric metric : kTreeMetrics)
    for (std::uint64_t seed = 3; seed < 40; ++seed) {
      auto x = test::normal_values(p, seed);
      for (double& value : x) value *= 4.0;
      std::vector<double> first(at(stride));
      for (const auto level : test::levels()) {
        std::vector<double> out(at(stride));
        AT_LEVEL(level, distances_to_leaf, metric, 3.0, x.data(), points.data(), p, stride,
                 out.data());
        const double bound = AT_LEVEL(level, distance_to_box, metric, 3.0, x.data(), box.data(), p);
        for (const double distance : out) CHECK(distance >= bound);
        if (level == test::levels().front()) first = out;
        CHECK(out == first);
      }
    }
}

TEST(a_selected_rank_has_no_larger_ones_before_it_and_no_smaller_ones_after_it) {
  using gramian::distance::Keyed;
  for (const std::int64_t n : {1, 24, 25, 400, 5000})
    for (const double n_values : {1.0, 2.0, 7.0, 1e9}) {
      const auto values = test::normal_values(n, 8);
      std::vector<Keyed> keys(at(n));
      for (std::int64_t rank = 0; rank < n; rank += 1 + n / 7) {
        for (std::int64_t i = 0; i < n; ++i)
          keys[at(i)] = {std::floor(std::abs(values[at(i)]) * 1e6 * n_values / 4e6), i};
        gramian::distance::select_rank(keys, at(rank), context_with(1));
        std::vector<int> seen(at(n), 0);
        for (std::int64_t i = 0; i < n; ++i) {
          ++seen[at(keys[at(i)].place)];
          CHECK(i < rank ? keys[at(i)].value <= keys[at(rank)].value
                         : keys[at(i)].value >= keys[at(rank)].value);
        }
        for (const int times : seen) CHECK(times == 1);
      }
    }
}

TEST(a_leaf_gives_the_same_heaps_on_every_level) {
  using gramian::distance::kGroupQueries;
  const std::int64_t p = 3, n = 45, stride = 48, k = 7;
  auto points = test::normal_values(p * stride, 11);
  for (double& value : points) value = std::round(2.0 * value);  // ties
  const auto x = test::normal_values(p * kGroupQueries, 12);
  std::vector<std::int64_t> rows(at(n));
  for (std::int64_t i = 0; i < n; ++i) rows[at(i)] = 10 + 2 * i;
  for (const Metric metric : kTreeMetrics)
    for (const std::int64_t left_out : {-1, 18}) {
      std::vector<double> first;
      for (const auto level : test::levels()) {
        std::vector<double> limits(at(kGroupQueries), 1e300),
            found(at(kGroupQueries * k), INFINITY);
        std::vector<std::int64_t> found_rows(found.size(), gramian::distance::kNoRow);
        std::vector<gramian::distance::NearestHeap> heaps;
        for (std::int64_t q = 0; q < kGroupQueries; ++q)
          heaps.push_back({&found[at(q * k)], &found_rows[at(q * k)], k, left_out});
        const gramian::distance::LeafView leaf{nullptr, points.data(), rows.data(), n, stride};
        const gramian::distance::QueryGroup group{metric, 3.0, p, x.data(), limits.data()};
        AT_LEVEL(level, take_nearest, group, leaf, 0xffffffffu, heaps.data(), limits.data());
        for (std::int64_t q = 0; q < kGroupQueries; ++q) {
          AT_LEVEL(level, sort_heap, heaps[at(q)]);
          CHECK(limits[at(q)] == found[at(q * k + k - 1)]);
          std::vector<std::pair<double, std::int64_t>> all;
          for (std::int64_t i = 0; i < n; ++i) {
            double distance[8];
            std::vector<double> alone(at(p * 8), 0.0), query(at(p));
            for (std::int64_t f = 0; f < p; ++f) {
              alone[at(f * 8)] = points[at(f * stride + i)];
              query[at(f)] = x[at(f * kGroupQueries + q)];
            }
            AT_LEVEL(level, distances_to_leaf, metric, 3.0, query.data(), alone.data(), p, 8,
                     distance);
            if (rows[at(i)] != left_out) all.emplace_back(distance[0], rows[at(i)]);
          }
          std::sort(all.begin(), all.end());
          for (std::int64_t c = 0; c < k; ++c) {
            CHECK(found[at(q * k + c)] == all[at(c)].first);
            CHECK(found_rows[at(q * k + c)] == all[at(c)].second);
          }
        }
        if (first.empty()) first = found;
        CHECK(found == first);
      }
    }
}

TEST(kd_tree_finds_what_all_pairs_find_for_any_number_of_threads) {
  auto y = test::normal_values(3000 * 3, 5);
  for (std::size_t i = 0; i < 3000; ++i) y[i] = std::round(y[i]);  // ties
  const auto x = test::normal_values(200 * 3, 6);
  const MatrixView<const double> X(x.data(), 200, 3), Y(y.data(), 3000, 3);
  std::vector<std::int64_t> expected(200 * 9), counts(200), near_ones(200);
  std::vector<double> distances(200 * 9);
  gramian::distance::k_nearest<double>(X, Y, Self::counts, {expected.data(), 200, 9},
                                       {distances.data(), 200, 9}, context_with(1));
  gramian::distance::count_within<double>(X, Y, 0.7, Self::counts, counts, context_with(1));
  for (const int n_threads : {1, 3}) {
    const Grown grown(Y, n_threads);
    const KdTree tree = grown.tree({Metric::euclidean, 2.0});
    std::vector<std::int64_t> index(200 * 9);
    std::vector<double> found(200 * 9);
    gramian::distance::k_nearest_in_tree<double>(X, tree, Self::counts, {index.data(), 200, 9},
                                                 {found.data(), 200, 9}, context_with(n_threads));
    CHECK(index == expected);
    CHECK(found == distances);
    gramian::distance::count_within_in_tree<double>(X, tree, std::vector{0.7}, Self::counts,
                                                    near_ones, context_with(n_threads));
    CHECK(near_ones == counts);
  }
}
