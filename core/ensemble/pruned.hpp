// Cost-complexity pruning of one grown tree of one output.
#pragma once

#include "base/context.hpp"
#include "tree/format/grown_tree.hpp"

namespace gramian::ensemble {

// The best subtree if a leaf costs `alpha`, the risk of a node being its impurity times its share
// of the weight. The tree must keep values and impurities of all nodes.
tree::GrownTrees pruned(const tree::GrownTrees& grown, double alpha, const Context& ctx);

}  // namespace gramian::ensemble
