// Passes over the columns of a matrix in which NaN marks what is missing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "base/views.hpp"
#include "preprocessing/columns_kernel.hpp"

namespace gramian::preprocessing {

struct ColumnMomentsOut {
  std::span<double> weight, mean, squares;  // one entry for each column
};

// Moments of each column over its entries that are not NaN; the squares are 0 where there are none,
// and the mean is any number. `weight` is empty or has one entry per row.
template <class T>
void column_moments(MatrixView<const T> X, std::span<const double> weight,
                    const ColumnMomentsOut& out, const Context& ctx);
// Of rows in blocks: the bits of the same rows in one matrix.
void column_moments(const RowBlocks& X, std::span<const double> weight, const ColumnMomentsOut& out,
                    const Context& ctx);

// The least and the largest entry of each column that is not NaN; infinity and minus infinity where
// there are none.
template <class T>
void column_ranges(MatrixView<const T> X, std::span<double> low, std::span<double> high,
                   const Context& ctx);

void column_ranges(const RowBlocks& X, std::span<double> low, std::span<double> high,
                   const Context& ctx);

// What these ask of a block whose rows are elsewhere; nothing for others' questions.
std::optional<std::vector<double>> column_sums_of(const RowSum& asked, const AnyDense& rows,
                                                  const Context& ctx);

// out = (X - shift) / scale or X * scale + shift, by columns; out may be X itself.
template <class T>
void map_columns(MatrixView<const T> X, std::span<const double> shift,
                 std::span<const double> scale, Affine what, MatrixView<T> out, const Context& ctx);

}  // namespace gramian::preprocessing
