// The arrays of a k-d tree as an argument, each index in them checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "distance/kd_tree/tree.hpp"

namespace gramian {

using distance::KdTree;
using distance::KdTreeShape;
using distance::Measure;
using distance::Metric;

inline std::tuple<std::int64_t, std::int64_t, std::int64_t> kd_tree_sizes(std::int64_t n_rows,
                                                                          std::int64_t n_features) {
  require(n_rows > 0 && n_features > 0, "a tree needs rows and columns");
  const KdTreeShape shape{n_rows, n_features};
  return {2 * shape.n_leaves(), 4 * shape.n_leaves() * n_features,
          shape.n_leaves() * shape.leaf_stride() * n_features};
}

inline void require_sizes(std::int64_t n_rows, std::int64_t n_features, std::size_t order,
                          std::size_t splits, std::size_t boxes, std::size_t points) {
  const auto [n_splits, n_boxes, n_points] = kd_tree_sizes(n_rows, n_features);
  require(order == static_cast<std::size_t>(n_rows) &&
              splits == static_cast<std::size_t>(n_splits) &&
              boxes == static_cast<std::size_t>(n_boxes) &&
              points == static_cast<std::size_t>(n_points),
          "the arrays are not those of a tree of these rows");
}

inline Measure measure_of(std::string_view name, double power) {
  require(power >= 1.0, "power must be at least 1");
  if (name == "euclidean") return {Metric::euclidean, power};
  if (name == "manhattan") return {Metric::manhattan, power};
  if (name == "chebyshev") return {Metric::chebyshev, power};
  require(name == "minkowski", "the metric is not one of a k-d tree");
  return {Metric::minkowski, power};
}

// The arrays of a tree, each index in them checked: a model file may hold anything.
struct TreeArguments {
  InVector<std::int64_t> order;
  InVector<double> splits, boxes, points;
  KdTree tree;

  TreeArguments(const nb::tuple& arrays, std::string_view metric, double power,
                std::int64_t n_features)
      : order(nb::cast<InVector<std::int64_t>>(arrays[0])),
        splits(nb::cast<InVector<double>>(arrays[1])),
        boxes(nb::cast<InVector<double>>(arrays[2])),
        points(nb::cast<InVector<double>>(arrays[3])),
        tree{{static_cast<std::int64_t>(order.shape(0)), n_features},
             measure_of(metric, power),
             vec(order),
             vec(splits),
             vec(boxes),
             vec(points)} {
    require_sizes(tree.shape.n_rows, n_features, tree.order.size(), tree.splits.size(),
                  tree.boxes.size(), tree.points.size());
    std::uint64_t largest = 0;  // negative numbers are the largest; the loop takes vectors
    for (const std::int64_t row : tree.order)
      largest = std::max(largest, static_cast<std::uint64_t>(row));
    require(std::cmp_less(largest, tree.shape.n_rows), "the order of the tree's rows is corrupt");
    for (std::int64_t node = 1; node < tree.shape.n_leaves(); ++node) {
      const double feature = tree.splits[static_cast<std::size_t>(2 * node)];
      require(feature >= 0.0 && feature < static_cast<double>(n_features),
              "the splits of the tree are corrupt");
    }
  }
};

}  // namespace gramian
