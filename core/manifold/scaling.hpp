// Products with squared distances, as classical scaling needs them: no matrix of squares is held.
// Distances are multiplied by `scale` first, so that squares stay within the range of numbers.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

// out(i, :) = sum_j (scale D(i, j))^2 V(j, :). Every row's bits depend on that row of D alone.
template <class T>
void squared_product(MatrixView<const T> D, double scale, MatrixView<const double> V,
                     MatrixView<double> out, const Context& ctx);

// Sums of (scale D(i, j))^4 over all j.
template <class T>
void fourth_powers(MatrixView<const T> D, double scale, std::span<double> out, const Context& ctx);

// Distances of new nodes that are joined to known ones: query q to index[e] by an edge of the
// length lengths[e], for e from starts[q] to starts[q + 1]. out(q, j) is the least lengths[e] +
// D(index[e], j); infinite without edges.
template <class T>
void distances_through(MatrixView<const T> D, std::span<const std::int64_t> starts,
                       std::span<const std::int64_t> index, std::span<const double> lengths,
                       MatrixView<double> out, const Context& ctx);

}  // namespace gramian::manifold
