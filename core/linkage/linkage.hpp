// Hierarchical clustering: the two nearest clusters are merged until one is left.
//
// A cluster is named by a slot, which at first is the number of its only row; two that merge leave
// the larger of their slots to the new one (Muellner, Modern hierarchical, agglomerative clustering
// algorithms, 2011). Ties go to the smaller slot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/tiles.hpp"
#include "linkage/triangle.hpp"

namespace gramian::linkage {

enum class Method { single, complete, average, weighted, ward, centroid, median };

// The slots of two clusters and their distance; in the order in which they were found.
struct Merge {
  std::int64_t first, second;
  double height;
};

// The tree: merge k makes node n + k of the two nodes children(k, 0) and children(k, 1).
struct Tree {
  MatrixView<std::int64_t> children;
  std::span<double> heights;
  std::span<std::int64_t> sizes;  // number of rows; may be empty
};

// The smaller child comes first, or that of the merge's first slot.
enum class ChildOrder { by_number, as_merged };

// Numbers the nodes. Merges of reducible methods may come in any order that a chain finds them in
// and are sorted by height, those of others (is_sorted) stay as they are.
void number_nodes(std::vector<Merge>& merges, bool is_sorted, ChildOrder order, const Tree& out,
                  const Context& ctx);

// complete, average, weighted and ward by a chain of nearest neighbours; single from the minimum
// spanning tree; centroid and median by the least of all nearest neighbours. The triangle holds the
// distances, squared for ward, centroid and median, and is overwritten. O(n^2) time.
std::vector<Merge> merge_triangle(Triangle& distances, Method method, const Context& ctx);

// Ward, centroid and median between rows by Euclidean distance, on the clusters' centroids:
// O(n^2 p) time, O(n p) memory.
template <class T>
std::vector<Merge> merge_centroids(MatrixView<const T> X, Method method, const Context& ctx);

// The minimum spanning tree of the rows, in the order of Prim's algorithm: each merge is between
// the row that was reached last and the next one. O(n^2 p) time, O(n p) memory.
template <class T>
std::vector<Merge> merge_nearest_rows(MatrixView<const T> X, const distance::Measure& measure,
                                      const Context& ctx);

// The labels of the rows when the tree is cut into so many clusters, numbered as scikit-learn
// numbers them. A child must have a smaller number than its parent.
void cut_tree(MatrixView<const std::int64_t> children, std::int64_t n_clusters,
              std::span<std::int64_t> labels);

}  // namespace gramian::linkage
