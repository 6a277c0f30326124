// Rows of a matrix that come in blocks, in order, as often as they are asked for: from a disk, say.
//
// All blocks but the last have the same number of rows, a power of two, so that what a block gives
// is a node of the tree over tiles (parallel/tiles.hpp): sums over blocks, combined by TreeSums,
// have the bits of sums over the same rows in one matrix.
#pragma once

#include <cstdint>
#include <functional>

#include "base/views.hpp"

namespace gramian {

class RowBlocks {
 public:
  // Takes the rows of one block and the number of its first row; false ends the pass. The rows
  // stay where they are until it returns, no longer.
  using OnBlock = std::function<bool(std::int64_t first, const AnyDense& rows)>;

  virtual ~RowBlocks() = default;
  virtual std::int64_t n_rows() const = 0;
  virtual std::int64_t n_cols() const = 0;
  virtual std::int64_t block_rows() const = 0;
  virtual bool holds_doubles() const = 0;  // else floats
  virtual void pass(const OnBlock& on_block) const = 0;
};

// As of matrices.
inline std::int64_t n_rows_of(const RowBlocks& X) { return X.n_rows(); }
inline std::int64_t n_cols_of(const RowBlocks& X) { return X.n_cols(); }
inline bool holds_doubles(const RowBlocks& X) { return X.holds_doubles(); }
inline bool is_sparse(const RowBlocks&) { return false; }

}  // namespace gramian
