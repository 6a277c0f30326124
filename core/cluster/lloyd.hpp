// k-means by Lloyd's algorithm: each row joins its nearest centre, each centre moves to the mean of
// its rows. The rows of X must be contiguous.
//
// Dense rows are judged by float32 scores with proven bounds (distance/filter.hpp), and only where
// these leave it open by float64 distances: the labels are those of float64 brute force, ties by
// the lower number. A row keeps an upper bound of the distance to its own centre and a lower bound
// of that to the next one (Hamerly 2010); while the first is below the second, however far the
// centres have moved, the row is not looked at.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "base/views.hpp"

namespace gramian::cluster {

struct LloydOptions {
  std::int64_t max_iter;
  double tol;  // of the sum of squared moves of the centres
};

struct LloydResult {
  std::int64_t n_iter = 0;
  double inertia = 0.0;
  double moved = 0.0;         // sum of squared moves in the last step
  bool is_settled = false;    // no row changed its cluster
  bool is_converged = false;  // settled, or moved no more than tol
};

// Moves the centres, and labels the rows by where they end. No weights: all are one. `history`, if
// not empty, takes the inertia before each step.
template <class View, class T = typename View::Number>
LloydResult lloyd(const View& X, std::span<const double> weight, MatrixView<T> centres,
                  const LloydOptions& options, std::span<std::int32_t> labels,
                  std::span<double> history, const Context& ctx);

// Rows in blocks, each of contiguous rows: the bits of the same rows in one matrix. `near` are rows
// 0, s, 2 s, ... with s = max(n / 1024, 1), about which sums are taken; at most 1024 clusters,
// whose tiles are in one block.
template <class T>
LloydResult lloyd(const RowBlocks& X, MatrixView<const T> near, std::span<const double> weight,
                  MatrixView<T> centres, const LloydOptions& options,
                  std::span<std::int32_t> labels, std::span<double> history, const Context& ctx);

// The nearest centre of each row and, unless `squared` is empty, the squared distance to it.
template <class View, class T = typename View::Number>
void nearest_centres(const View& X, MatrixView<const T> centres, std::span<std::int32_t> labels,
                     std::span<double> squared, const Context& ctx);

// sums(c, :) = sum of w_i (x_i - shift) over the rows of cluster c, weights[c] = sum of w_i.
template <class View, class T = typename View::Number>
void cluster_sums(const View& X, std::span<const double> weight,
                  std::span<const std::int32_t> labels, std::span<const double> shift,
                  MatrixView<double> sums, std::span<double> weights, const Context& ctx);

void cluster_sums(const RowBlocks& X, std::span<const double> weight,
                  std::span<const std::int32_t> labels, std::span<const double> shift,
                  MatrixView<double> sums, std::span<double> weights, const Context& ctx);

}  // namespace gramian::cluster
