// The arrays of a gramian._boosting.linear_leaves.LinearLeaves, and the core's own form of them.
#pragma once

#include "bindings/binding.hpp"
#include "bindings/tree/grown_trees.hpp"
#include "tree/format/linear_leaves.hpp"

namespace gramian {

template <class T>
std::vector<T> copied(nb::handle array) {
  return copied(vec(nb::cast<InVector<T>>(array)));
}

// Empty for None. Throws for an array of another dtype or dimension.
inline tree::LinearLeaves linear_leaves_of(nb::handle linear) {
  if (linear.is_none()) return {};
  return {copied<std::int64_t>(linear.attr("offsets")), copied<std::int32_t>(linear.attr("column")),
          copied<double>(linear.attr("coefficient")),   copied<double>(linear.attr("intercept")),
          copied<double>(linear.attr("lower")),         copied<double>(linear.attr("upper"))};
}

// By name; None if there are none.
inline std::optional<nb::dict> arrays_of(tree::LinearLeaves linear) {
  if (linear.empty()) return std::nullopt;
  nb::dict out;
  out["offsets"] = owned(std::move(linear.offsets));
  out["column"] = owned(std::move(linear.column));
  out["coefficient"] = owned(std::move(linear.coefficient));
  out["intercept"] = owned(std::move(linear.intercept));
  out["lower"] = owned(std::move(linear.lower));
  out["upper"] = owned(std::move(linear.upper));
  return out;
}

}  // namespace gramian
