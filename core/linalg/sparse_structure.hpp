// Whether the index arrays of a sparse matrix describe one. Nobody may follow an offset or an index
// that has not passed here: the arrays are the caller's, who can have written anything into them.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::linalg {

enum class SparseFault {
  none,
  first_offset,    // indptr does not start at 0
  falling_offset,  // a row ends before it starts
  last_offset,     // a row ends behind the last index
  index            // an index is outside the matrix
};

// What was found, and where: the row (in CSC: the column) and the offset or index that is wrong.
// Of several faults the first one is told, those of offsets before those of indices.
struct SparseStructure {
  SparseFault fault = SparseFault::none;
  std::int64_t row = -1;
  std::int64_t value = 0;
  bool is_canonical = false;  // within every row the indices increase: sorted, none repeated
};

// Checks compressed rows: row i owns indices[indptr[i]] .. indices[indptr[i + 1] - 1], all in
// [0, n_cols); what comes behind the last row is not looked at. Requires indptr not to be empty.
// Reads the indices once; O(n_rows + n_stored).
template <std::signed_integral Index, std::signed_integral Offset>
SparseStructure check_compressed(std::span<const Index> indices, std::span<const Offset> indptr,
                                 std::int64_t n_cols, const Context& ctx);

// The position of the first index outside [0, size), or -1.
template <std::signed_integral Index>
std::int64_t find_outside(std::span<const Index> indices, std::int64_t size, const Context& ctx);

}  // namespace gramian::linalg
