// The nearest rows, and the rows within a radius, by Euclidean distance.
//
// Answers are those of float64 sums of squared differences over all pairs, rows of equal squared
// distance in the order of their numbers: they depend neither on the machine nor on the number of
// threads. The memory is that of the answers and O(n p).
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// Whether row i of X is row i of Y, and not a neighbour of itself.
enum class Self { counts, is_left_out };

// For each row of X the n_neighbors = index.n_cols nearest rows of Y, nearest first. Y must have so
// many rows, and one more if Self::is_left_out.
template <class T>
void k_nearest(MatrixView<const T> X, MatrixView<const T> Y, Self self,
               MatrixView<std::int64_t> index, MatrixView<double> distance, const Context& ctx);

// out[i] = distance of row i of X to the k-th nearest row of X, itself the first. O(n^2) distances,
// of which one row's are kept at a time: k may be as large as n.
template <class T>
void kth_distances(MatrixView<const T> X, std::int64_t k, std::span<double> out,
                   const Context& ctx);

// counts[i] = number of rows of Y whose distance to row i of X is at most the radius.
template <class T>
void count_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                  std::span<std::int64_t> counts, const Context& ctx);

enum class Order { by_number, by_distance };

// The rows of Y within the radius of row i of X, from place starts[i] on; there must be
// starts[i + 1] - starts[i] of them, as count_within says.
template <class T>
void fill_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                 Order order, std::span<const std::int64_t> starts, std::span<std::int64_t> index,
                 std::span<double> distance, const Context& ctx);

}  // namespace gramian::distance
