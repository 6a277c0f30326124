// A k-d tree with the memory that its arrays need.
#pragma once

#include <cstdint>
#include <vector>

#include "check.hpp"
#include "distance/kd_tree/tree.hpp"
#include "linalg/linalg_data.hpp"

namespace test {

using gramian::MatrixView;
using gramian::distance::KdTree;
using gramian::distance::KdTreeShape;
using gramian::distance::Measure;

struct Grown {
  KdTreeShape shape;
  std::vector<std::int64_t> order;
  std::vector<double> splits, boxes, points;

  explicit Grown(MatrixView<const double> Y, int n_threads = 1)
      : shape{Y.n_rows, Y.n_cols},
        order(at(Y.n_rows)),
        splits(at(2 * shape.n_leaves())),
        boxes(at(4 * shape.n_leaves() * Y.n_cols)),
        points(at(shape.n_leaves() * shape.leaf_stride() * Y.n_cols)) {
    gramian::distance::build_kd_tree<double>(Y, {order, splits, boxes, points},
                                             context_with(n_threads));
  }
  KdTree tree(Measure measure) const { return {shape, measure, order, splits, boxes, points}; }
};

}  // namespace test
