// Rows of a matrix that come in blocks, in order, as often as they are asked for: from a disk, say.
//
// All blocks but the last have the same number of rows, a power of two, so that what a block gives
// is a node of the tree over tiles (parallel/tiles.hpp): sums over blocks, combined by TreeSums,
// have the bits of sums over the same rows in one matrix.
//
// Rows may be on other machines. What a sum depends on, a `RowSum`, then travels to them, and only
// the sums of blocks come back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/views.hpp"

namespace gramian {

// A sum over rows, asked for in numbers alone.
struct RowSum {
  struct PerRow {
    std::span<const double> values;  // `width` for each row, row by row; or none at all
    std::int64_t width = 1;
  };
  std::string_view what;
  std::vector<double> point;  // shifts, coefficients: whatever it depends on
  std::vector<PerRow> of_rows;
};

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

  // Takes the sums of one block, as many numbers as they are, and the number of its first row.
  using OnSums = std::function<void(std::int64_t first, std::span<const double> sums)>;
  // Whether the rows are elsewhere: a pass brings them here, and `sums` leaves them there.
  virtual bool is_elsewhere() const { return false; }
  // In the order of the blocks.
  virtual void sums(const RowSum&, const OnSums&) const {
    throw std::logic_error("these rows are summed where they are read");
  }
  // Brings some rows that are elsewhere, by their numbers, which ascend; they stay until `use`
  // returns.
  virtual void bring(std::span<const std::int64_t>,
                     const std::function<void(const AnyDense& rows)>&) const {
    throw std::logic_error("these rows are read in passes");
  }
};

// As of matrices.
inline std::int64_t n_rows_of(const RowBlocks& X) { return X.n_rows(); }
inline std::int64_t n_cols_of(const RowBlocks& X) { return X.n_cols(); }
inline bool holds_doubles(const RowBlocks& X) { return X.holds_doubles(); }
inline bool is_sparse(const RowBlocks&) { return false; }

}  // namespace gramian
