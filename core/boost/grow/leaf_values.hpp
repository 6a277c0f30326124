// Values of leaves from sums of gradients and hessians.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/grow/boosted_tree.hpp"
#include "boost/grow/options.hpp"

namespace gramian::boost {

// Derivatives of the loss, by row number.
struct Derivatives {
  std::span<const float> gradient;
  std::span<const float> hessian;  // empty: one each
  std::span<const double> weight;  // empty: one each
};

// Sums over the rows of a leaf, with their weights.
struct LeafSums {
  double gradient = 0.0;
  double hessian = 0.0;
};

// The sums of each leaf. The same for any number of threads; O(rows).
std::vector<LeafSums> sum_leaves(const Derivatives& rows, std::span<const std::uint32_t> leaf_of,
                                 std::int64_t n_leaves, const Context& ctx);

// The values of a tree's leaves, learning rate included, for rows other than those it was grown
// on, and the leaf of each row, unless these are known. The same for any number of threads;
// O(rows * depth).
std::vector<double> fit_values(const BoostedTree& tree, const Bins& bins, const Derivatives& rows,
                               const TreeOptions& options, std::span<std::uint32_t> leaf_of,
                               bool finds_leaves, const Context& ctx);

}  // namespace gramian::boost
