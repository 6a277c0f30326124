// The float64 distances of one row to rows of Y, from their differences, in any layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "base/views.hpp"
#include "distance/filter_kernel.hpp"

namespace gramian::distance {

template <class T>
class TrueDistances {
 public:
  explicit TrueDistances(MatrixView<const T> Y) : Y_(Y), x_(at(Y.n_cols)) {
    if (Y.col_stride != 1) gathered_.resize(at(kGathered * Y.n_cols));
  }

  void set_row(MatrixView<const T> X, std::int64_t i) {
    for (std::int64_t k = 0; k < Y_.n_cols; ++k) x_[at(k)] = static_cast<double>(X(i, k));
  }

  // Squared, to the named rows of Y.
  void squared(const std::int32_t* columns, std::int64_t n, double* out) {
    each(columns, 0, n, out);
  }
  // Squared, to the rows first .. first + n.
  void squared(std::int64_t first, std::int64_t n, double* out) { each(nullptr, first, n, out); }

 private:
  static constexpr std::int64_t kGathered = 8;

  void each(const std::int32_t* columns, std::int64_t first, std::int64_t n, double* out) {
    if (gathered_.empty()) {
      const RowsOf<T> rows{Y_.data, Y_.row_stride, Y_.n_cols};
      GRAMIAN_DISPATCH(squared_distances, x_.data(), rows, columns, first, n, out);
      return;
    }
    const RowsOf<T> rows{gathered_.data(), Y_.n_cols, Y_.n_cols};
    for (std::int64_t i = 0; i < n; i += kGathered) {
      const std::int64_t count = std::min(kGathered, n - i);
      for (std::int64_t c = 0; c < count; ++c)
        for (std::int64_t k = 0; k < Y_.n_cols; ++k)
          gathered_[at(c * Y_.n_cols + k)] = Y_(columns ? columns[i + c] : first + i + c, k);
      GRAMIAN_DISPATCH(squared_distances, x_.data(), rows, static_cast<std::int32_t*>(nullptr), 0,
                       count, out + i);
    }
  }

  MatrixView<const T> Y_;
  std::vector<double> x_;
  std::vector<T> gathered_;
};

}  // namespace gramian::distance
