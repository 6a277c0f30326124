// Few trees, asked by the numbers of a row themselves. Keys (keyed.hpp) cost a search for each
// column of a row, which only many trees are worth.
//
// Children stand side by side (preorder_slots.hpp), so that a row in a slot goes on to
// child + (x > threshold). The threshold of a leaf is a NaN, which no number is above: a leaf leads
// to itself, and rows take several steps without asking whether they have arrived. The number of
// the leaf is that NaN's payload.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/sinks.hpp"

namespace gramian::tree {

struct DirectNode {
  double threshold;
  std::uint32_t column;  // and in the highest bit whether a missing value goes right
  std::uint32_t child;   // the left one

  static constexpr std::uint32_t kMissingRight = 0x80000000U;
};

class DirectForest {
 public:
  // Nothing, where the trees are many, a split is on a set of levels, or some columns are compared
  // in double and others in float. `trees` has passed its check.
  static std::optional<DirectForest> make(const TreesView& trees);

  void each_tree(const AnyDense& X, const Context& ctx, const LeafSink& sink) const;
  void some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                 MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                 const SomeSink& sink) const;

  // Of each leaf its node, in preorder.
  Buffer<std::int32_t> leaf_nodes() const;

 private:
  DirectForest(const TreesView& trees, bool is_rounded);
  std::int64_t n_trees() const { return static_cast<std::int64_t>(first_slot_.size()) - 1; }

  // leaves[i]: of row row_of(i), for n rows.
  template <class RowOf>
  void find_leaves(std::int64_t tree, const AnyDense& X, std::int64_t n, const RowOf& row_of,
                   std::uint32_t* leaves) const;

  Buffer<DirectNode> nodes_;              // of all trees
  std::vector<std::int64_t> first_slot_;  // of each tree, and the number of all slots
  bool is_rounded_;                       // doubles are rounded to float before they are compared
};

}  // namespace gramian::tree
