// The values of B-splines on the entries of columns.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::preprocessing {

// What becomes of an entry beyond the first or last knot.
enum class Beyond { constant, linear, continued, periodic, refused };

struct Splines {
  MatrixView<const double> knots;  // a row of ascending knots for each column of X, those outside
                                   // of its range included; rows are contiguous
  std::int64_t degree = 3;
  std::int64_t n_splines = 0;  // of a column; periodic ones beyond that are the first again
  Beyond beyond = Beyond::constant;
};

// Writes the first splines of column j into out's columns from j * (out.n_cols / X.n_cols) on;
// those of NaN are 0. Returns false if an entry was refused; `out` is unspecified then.
template <class T>
bool spline_values(MatrixView<const T> X, const Splines& splines, MatrixView<T> out,
                   const Context& ctx);

// The `degree + 1` splines of each entry that may not be 0, by rows: their number among the columns
// of the result, and their values. Returns as above.
template <class T>
bool spline_entries(MatrixView<const T> X, const Splines& splines, std::span<std::int64_t> places,
                    std::span<T> values, const Context& ctx);

}  // namespace gramian::preprocessing
