// Rows of a matrix taken by their numbers, into rows that are contiguous.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::linalg {

// out(i, j) = X(rows[i], j). Requires rows of X, and out in C order. O(n_rows n_cols), in tasks of
// less than a millisecond.
template <class T>
void gather_rows(MatrixView<const T> X, std::span<const std::int64_t> rows, MatrixView<T> out,
                 const Context& ctx);

}  // namespace gramian::linalg
