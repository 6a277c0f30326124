// Grows one tree: which node is looked at next, when growth stops, how the work is shared.
#pragma once

#include "base/context.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/grow/node_search.hpp"

namespace gramian::tree {

// Appends the tree.
void grow_nodes(NodeSearch& search, const Context& ctx, GrownTrees& out);

}  // namespace gramian::tree
