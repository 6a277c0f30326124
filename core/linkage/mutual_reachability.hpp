// The minimum spanning tree of rows by their mutual reachability distance
// max(core_i, core_j, d(i, j) / alpha), where core_i is how far the k-th neighbour of row i is.
// With cores of zero it is that of the distances themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/kd_tree/tree.hpp"
#include "linkage/linkage.hpp"

namespace gramian::linkage {

struct Reachability {
  std::span<const double> cores;  // of the rows, or empty
  double alpha = 1.0;
};

// By Boruvka's algorithm over a k-d tree: in each round every component is joined to the nearest
// one. `neighbours` holds for each row the numbers of some rows near it; it may be empty. A row is
// searched for only if what is known of it (its core distance, and the shortest edge out of each
// component that it was in) is less than the best edge of its component so far.
std::vector<Merge> spanning_tree_in_tree(const distance::KdTree& tree, const Reachability& reach,
                                         MatrixView<const std::int64_t> neighbours,
                                         const Context& ctx);

// The same by Prim's algorithm from row 0 over all pairs, in its order: each edge goes from the row
// that was reached before to the next one. O(n^2 p) time, O(n p) memory.
template <class T>
std::vector<Merge> spanning_tree_of_rows(MatrixView<const T> X, const distance::Measure& measure,
                                         const Reachability& reach, const Context& ctx);

// The edges that Prim's algorithm would take over all pairs, given a minimum spanning tree. Many
// pairs are as far apart as the core distance of one of them; where such edges could take each
// other's place, each row's neighbours within its core distance, itself included, name them all.
std::vector<Merge> in_order_of_prim(const std::vector<Merge>& edges, const Reachability& reach,
                                    MatrixView<const std::int64_t> within_core, const Context& ctx);

}  // namespace gramian::linkage
