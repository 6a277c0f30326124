// Which branches of a grown tree to cut. A tree is its preorder sequence: feature[i] < 0 marks a
// leaf, a split's left child is the next node, its right child follows the whole left subtree.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::tree {

inline constexpr std::int32_t kNeverCut = -1;

// The sequence of subtrees of minimal cost-complexity. With the risk R(t) of each node if it were a
// leaf, the branch below t costs R(T_t), the sum over its leaves, and has |T_t| of them. Each step
// cuts the weakest link, the split with the least
//   g(t) = (R(t) - R(T_t)) / (|T_t| - 1);
// of equals the first in preorder. A heap holds g; when a branch is cut, the entries of its
// ancestors are replaced: O(L depth log L) for L leaves.
//
// Writes for step k = 0, 1, ... the alpha from which on the subtree is the best one (0 for the
// whole tree) and the risk of the subtree, and for each node the step that made it a leaf:
// 0 for a leaf, kNeverCut for a split that went with a branch above it. `alphas` and `risks` have
// room for one entry more than there are splits. Returns the number of steps, with step 0.
std::int64_t weakest_links(std::span<const std::int32_t> feature, std::span<const double> risk,
                           std::span<double> alphas, std::span<double> risks,
                           std::span<std::int32_t> steps, const Context& ctx);

// Reduced-error pruning: from the bottom up, a split becomes a leaf if that does not raise the
// error. error[i] is the error, on rows that did not grow the tree, of those that reach node i if
// it were a leaf. Sets is_leaf for the nodes that are leaves of the pruned tree. O(nodes).
void reduced_error_leaves(std::span<const std::int32_t> feature, std::span<const double> error,
                          std::span<std::uint8_t> is_leaf);

}  // namespace gramian::tree
