// Kernel density estimates: sums of a kernel of the distances to weighted rows.
//
// The logarithm of the sum is returned, of which no part underflows. A node of a tree whose least
// and largest kernel are alike is taken as a whole: over all rows the error is at most
// atol + rtol * sum, and with both zero no more than the rounding of the sum.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/kernel_density_kernel.hpp"

namespace gramian::distance {

struct DensityRule {
  Kernel kernel;
  double bandwidth;
  double atol = 0.0;
  double rtol = 0.0;
};

// out[i] = log of the sum over the tree's rows of weight * K(distance to row i of X / bandwidth);
// no weights: all are one.
template <class T>
void log_density_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> weights,
                         const DensityRule& rule, std::span<double> out, const Context& ctx);

// The same for given distances; row i holds those of query i.
template <class T>
void log_density_of_distances(MatrixView<const T> distances, std::span<const double> weights,
                              const DensityRule& rule, std::span<double> out, const Context& ctx);

// counts[r] = number of pairs of a row of X and one of the tree whose distance is at most radii[r],
// which increase.
template <class T>
void count_pairs_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                         std::span<std::int64_t> counts, const Context& ctx);

}  // namespace gramian::distance
