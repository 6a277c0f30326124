// The k-d tree: boxes never farther than their points, and searches as over all pairs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "distance/grown_tree.hpp"
#include "distance/kd_tree.hpp"
#include "distance/kd_tree_kernel.hpp"
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
