// What the core has grown, as NumPy arrays.
#pragma once

#include "bindings/binding.hpp"
#include "tree/format/grown_tree.hpp"

namespace gramian {

inline nb::object owned_either(std::vector<double>&& values, std::vector<float>&& singles) {
  return singles.empty() ? owned(std::move(values)) : owned(std::move(singles));
}

// The arrays of the flat format by name.
inline nb::dict flat_arrays(tree::GrownTrees&& trees) {
  nb::dict out;
  out["node_offsets"] = owned(std::move(trees.node_offsets));
  out["feature"] = owned(std::move(trees.feature));
  out["threshold"] = owned(std::move(trees.threshold));
  out["flags"] = owned(std::move(trees.flags));
  out["category_words"] = owned(std::move(trees.category_words));
  out["leaf_value"] = owned_either(std::move(trees.leaf_value), std::move(trees.leaf_value_single));
  out["leaf_count"] = owned(std::move(trees.leaf_count));
  out["leaf_weight"] =
      owned_either(std::move(trees.leaf_weight), std::move(trees.leaf_weight_single));
  out["leaf_impurity"] = owned(std::move(trees.leaf_impurity));
  out["node_value"] = owned(std::move(trees.node_value));
  out["node_impurity"] = owned(std::move(trees.node_impurity));
  return out;
}

}  // namespace gramian
