// The nodes on the way of each row, as rows of a sparse matrix with nodes numbered across the
// trees.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

// `leaves` (n x n_trees) holds preorder numbers of leaves, as Predictor::apply finds them; throws
// InvalidArgument if one is not a leaf of its tree. `trees` has passed its check.

// indptr[i + 1] - indptr[i] = nodes on the way of row i through all trees; n + 1 entries.
void path_offsets(const TreesView& trees, MatrixView<const std::int64_t> leaves,
                  std::span<std::int64_t> indptr);

// The numbers of these nodes, ascending in each row; indptr[n] entries.
void path_nodes(const TreesView& trees, MatrixView<const std::int64_t> leaves,
                std::span<const std::int64_t> indptr, std::span<std::int64_t> indices,
                const Context& ctx);

}  // namespace gramian::tree
