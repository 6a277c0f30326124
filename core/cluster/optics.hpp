// OPTICS (Ankerst, Breunig, Kriegel, Sander 1999): an order of the rows in which each next one is
// that which is reached at the least distance from those before it, where row p reaches row q at
//
//   max(core[p], d(p, q))   if core[p] <= max_eps and d(p, q) <= max_eps.
//
// Prim's algorithm on a directed graph: of equally near rows the first number comes next, and a
// row's predecessor is the first one in the order that reaches it so. Distances are rounded to 15
// decimals, as scikit-learn does, so that rows at the same distance up to rounding are equally
// near.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/kd_tree/tree.hpp"

namespace gramian::cluster {

inline constexpr std::int64_t kNobody = -1;

struct Density {
  std::span<const double> cores;  // distance to the min_samples-th row; infinite above max_eps
  double max_eps = std::numeric_limits<double>::infinity();
};

// By row.
struct Reached {
  std::span<double> reachability;  // infinite where no row before it reaches it
  std::span<std::int64_t> predecessor;
};

double rounded_to_15_decimals(double distance);

// The order of the rows of a tree, each row's distances in one walk that passes by the nodes that
// it cannot reach at less than they are reached already. O(n p) memory.
void optics_in_tree(const distance::KdTree& tree, const Density& density,
                    std::span<std::int64_t> ordering, const Reached& out, const Context& ctx);

// One step for other distances: lets `row` reach the neighbours that are not processed, and returns
// the row that comes next, or kNobody after the last.
std::int64_t optics_step(std::int64_t row, std::span<const std::int64_t> neighbours,
                         std::span<const double> distances, const Density& density,
                         std::span<std::uint8_t> is_processed, const Reached& out);

// The clusters of a reachability plot, first to last place of each, small ones before those that
// contain them: figure 19 of the paper, with its definitions 9 and 11.4c as scikit-learn corrects
// them. `reached_from` holds for each place the place of the predecessor, or kNobody.
struct Steepness {
  double xi;
  std::int64_t min_samples;  // most places in a row of a steep area that are not steep
  std::int64_t min_cluster_size;
  bool corrects_predecessors;  // takes off the end places that were reached from outside
};
struct Span {
  std::int64_t first, last;
};
std::vector<Span> xi_clusters(std::span<const double> plot,
                              std::span<const std::int64_t> reached_from, const Steepness& rule,
                              const Context& ctx);

// For each row of X the row of the tree that reaches it at the least distance, of several the
// nearest and then the first, and that distance; kNobody and infinity where no row does.
template <class T>
void reach_rows(MatrixView<const T> X, const distance::KdTree& tree, const Density& density,
                std::span<std::int64_t> index, std::span<double> reachability, const Context& ctx);

}  // namespace gramian::cluster
