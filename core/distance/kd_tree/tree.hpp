// A k-d tree for searches in few dimensions by Minkowski's metrics.
//
// The shape is that of a heap: 2^depth leaves, node 1 at the top, the children of node i are 2 i
// and 2 i + 1. Node number j of level l owns the places j n / 2^l .. (j + 1) n / 2^l of `order`,
// which lists the rows so that this is true. So the tree is four plain arrays that a caller can
// keep:
//
//   order   n rows
//   splits  2 numbers for each inner node: the feature that it is cut by, and where
//   boxes   2 p numbers for each node: the least entries of its rows, then the largest
//   points  the rows of each leaf in turn, leaf_stride entries of feature 0, then of feature 1 ...
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/neighbours.hpp"
#include "distance/tiles.hpp"

namespace gramian::distance {

struct KdTreeShape {
  std::int64_t n_rows;
  std::int64_t n_features;

  int depth() const;
  std::int64_t n_leaves() const { return std::int64_t{1} << depth(); }
  std::int64_t leaf_stride() const;  // the most rows of a leaf, rounded up to whole vectors
  std::int64_t begin(int level, std::int64_t number) const { return (number * n_rows) >> level; }
};

struct KdTreeArrays {
  std::span<std::int64_t> order;
  std::span<double> splits, boxes, points;
};

struct KdTree {
  KdTreeShape shape;
  Measure measure;  // euclidean, manhattan, chebyshev, or minkowski of a power of at least 1
  std::span<const std::int64_t> order;
  std::span<const double> splits, boxes, points;
};

// O(n p log n).
template <class T>
void build_kd_tree(MatrixView<const T> Y, const KdTreeArrays& out, const Context& ctx);

// As k_nearest, count_within and fill_within of all pairs, with one radius for all queries or one
// for each.
template <class T>
void k_nearest_in_tree(MatrixView<const T> X, const KdTree& tree, Self self,
                       MatrixView<std::int64_t> index, MatrixView<double> distance,
                       const Context& ctx);
template <class T>
void count_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                          Self self, std::span<std::int64_t> counts, const Context& ctx);
template <class T>
void fill_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                         Self self, Order order, std::span<const std::int64_t> starts,
                         std::span<std::int64_t> index, std::span<double> distance,
                         const Context& ctx);

}  // namespace gramian::distance
