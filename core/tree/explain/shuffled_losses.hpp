// What trees lose on some rows when the values of one column are shuffled among these rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/target.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

// The rows of each tree, and the order in which they get each other's values.
struct ShuffledRows {
  std::span<const std::int64_t> offsets;  // those of tree t are offsets[t] .. offsets[t + 1]
  std::span<const std::int32_t> rows;     // numbers of rows of X
  std::span<const std::int32_t> order;  // the i-th row of a tree gets the value of its order[i]-th
};

// losses(t, f) = mean over the rows of tree t of its loss with column f shuffled, less that
// without: the fraction of wrong classes or the squared error, of several outputs the mean. Zero if
// the tree does not ask for the column, NaN if it has no rows. `trees` has passed its check.
//
// A row takes another way only from a split on its own way where the other value turns it.
template <class T>
void shuffled_losses(const TreesView& trees, MatrixView<const T> X, const Target& target,
                     const ShuffledRows& shuffled, MatrixView<double> losses, const Context& ctx);

}  // namespace gramian::tree
