// Matrices of distances, and what can be said of them without holding them.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/tiles.hpp"

namespace gramian::distance {

// out(i, j) = distance of row i of X and row j of Y. O(n m p) time; Y is packed in O(m p) memory.
template <class T>
void distance_matrix(const Measure& measure, MatrixView<const T> X, MatrixView<const T> Y,
                     MatrixView<T> out, const Context& ctx);

// For each row of X the nearest row of Y, the first of several, and its distance. Distances that
// are NaN count as infinite.
template <class T>
void nearest_rows(const Measure& measure, MatrixView<const T> X, MatrixView<const T> Y,
                  std::span<std::int64_t> index, std::span<double> distance, const Context& ctx);

// Rows of X sorted by cluster: cluster c owns the rows starts[c] .. starts[c + 1], at least one.
// own[i] is the sum of the distances of row i to the rows of its own cluster, other[i] the least of
// the mean distances to the other clusters' rows. O(n^2 p) time, O(n p) memory.
template <class T>
void cluster_distances(const Measure& measure, MatrixView<const T> X,
                       std::span<const std::int64_t> starts, std::span<double> own,
                       std::span<double> other, const Context& ctx);

}  // namespace gramian::distance
