// Hierarchical clustering in which only neighbours in a graph may merge. Neighbours of a union are
// the neighbours of its parts. The least merge is taken from a heap, of equal ones that of the
// smallest nodes: O((n + e) log e) heap operations for e edges.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "linkage/linkage.hpp"

namespace gramian::linkage {

// The neighbours of row i are index[starts[i]] .. index[starts[i + 1]], which ascend; the graph is
// symmetric, connected, and without loops.
struct Graph {
  std::span<const std::int64_t> starts, index;

  std::int64_t n_rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

// `out` may have fewer merges than n - 1: the first ones.
template <class T>
void ward_in_graph(MatrixView<const T> X, const Graph& graph, const Tree& out, const Context& ctx);

// complete and average, of the distance of each pair of neighbours. Where only one of two clusters
// is a neighbour of a third, the distance is that from this one.
void merge_in_graph(const Graph& graph, std::span<const double> distances, Method method,
                    const Tree& out, const Context& ctx);

// The minimum spanning tree of the graph, lightest edge first.
std::vector<Merge> spanning_tree_of_graph(const Graph& graph, std::span<const double> distances,
                                          const Context& ctx);

}  // namespace gramian::linkage
