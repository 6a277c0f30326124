// What is made of lists of neighbours: the least entries of given distances, votes and means.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// For each row of a matrix of distances its index.n_cols least entries, least first and equal ones
// in the order of the columns. NaN counts as infinite.
template <class T>
void k_smallest(MatrixView<const T> distances, MatrixView<std::int64_t> index,
                MatrixView<double> least, const Context& ctx);

// Query i has the neighbours index[starts[i]] .. index[starts[i + 1]], each with a weight; without
// weights each counts once.
struct NeighbourLists {
  std::span<const std::int64_t> starts;
  std::span<const std::int64_t> index;
  std::span<const double> weights;  // or empty

  std::int64_t n_queries() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

// votes(i, c) = weight of the neighbours of query i whose code is c.
void count_votes(const NeighbourLists& lists, std::span<const std::int64_t> codes,
                 MatrixView<double> votes, const Context& ctx);

// out(i, j) = weighted mean of column j of Y over the neighbours of query i; NaN if it has none.
void mean_of_neighbours(const NeighbourLists& lists, MatrixView<const double> Y,
                        MatrixView<double> out, const Context& ctx);

}  // namespace gramian::distance
