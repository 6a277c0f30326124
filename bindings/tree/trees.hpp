// The arrays of a gramian._trees.trees.Trees as the core's view of them.
#pragma once

#include "bindings/binding.hpp"
#include "tree/format/trees.hpp"

namespace gramian {

// Holds references to the arrays, so that the view stays valid. Takes any object with attributes
// of the names of TreesView; throws TypeError for an array of another dtype, dimension or order.
class TreesArrays {
 public:
  explicit TreesArrays(nb::handle trees);

  // For what checks the view itself.
  static TreesArrays unchecked(nb::handle trees);

  const tree::TreesView& view() const { return view_; }

 private:
  TreesArrays() = default;
  void take(nb::handle trees);
  template <class T>
  std::span<const T> vector(nb::handle trees, const char* name);
  tree::RealSpan reals(nb::handle trees, const char* name);

  nb::list held_;
  tree::TreesView view_;
};

}  // namespace gramian
