// DBSCAN: a row is core if the rows within eps of it, itself included, weigh at least min_samples;
// clusters are the components of the core rows within eps of each other; any other row belongs to
// the clusters of the core rows within eps of it, and is given the first of them.
//
// Neighbours are counted in one pass and joined in another, and their lists are never kept: O(n p)
// memory. Clusters are numbered by their first core rows. A row is within eps if the square root of
// the float64 sum of squared differences is at most eps; results do not depend on the way of
// searching, but for pairs whose distance is eps up to rounding.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/neighbour_lists.hpp"
#include "graph/concurrent_union_find.hpp"

namespace gramian::cluster {

inline constexpr std::int64_t kNoise = -1;

struct DbscanRule {
  double eps;
  double min_samples;
  std::span<const double> weights;  // of the rows, of any sign; empty if all are 1
};

struct DbscanResult {
  std::span<std::int64_t> labels;
  std::span<std::uint8_t> is_core;
};

// With the k-d tree of the rows, by its measure.
template <class T>
void dbscan_in_tree(MatrixView<const T> X, const distance::KdTree& tree, const DbscanRule& rule,
                    const DbscanResult& out, const Context& ctx);

// By Euclidean distance over a grid of cells, for rows without weights in up to three columns;
// false, and nothing done, where there cannot be one.
template <class T>
bool dbscan_in_grid(MatrixView<const T> X, const DbscanRule& rule, const DbscanResult& out,
                    const Context& ctx);

// By Euclidean distance over all pairs.
template <class T>
void dbscan_in_tiles(MatrixView<const T> X, const DbscanRule& rule, const DbscanResult& out,
                     const Context& ctx);

// Of given neighbours, along whose lists clusters grow; `lists` has no weights.
void dbscan_of_lists(const distance::NeighbourLists& lists, const DbscanRule& rule,
                     const DbscanResult& out, const Context& ctx);

// The least label of the core rows within eps of each row of X, or kNoise.
template <class T>
void label_by_core_in_tree(MatrixView<const T> X, const distance::KdTree& core_rows,
                           std::span<const std::int64_t> core_labels, double eps,
                           std::span<std::int64_t> labels, const Context& ctx);
template <class T>
void label_by_core_in_tiles(MatrixView<const T> X, MatrixView<const T> core_rows,
                            std::span<const std::int64_t> core_labels, double eps,
                            std::span<std::int64_t> labels, const Context& ctx);

// Labels of the core rows, whose components are known, by the first row of each.
void number_components(graph::ConcurrentUnionFind& components, const DbscanResult& out);

// The largest x with sqrt(x) <= radius.
double squared_radius(double radius);

}  // namespace gramian::cluster
