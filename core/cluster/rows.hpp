// What k-means asks of a row of X, dense with contiguous rows or sparse.
#pragma once

#include <cstdint>
#include <span>

#include "base/index.hpp"
#include "base/views.hpp"
#include "cluster/centroid_kernel.hpp"

namespace gramian::cluster {

// sums += weight (x_i - shift); sparse rows take no shift, which would fill them.
template <class T>
void add_row(const MatrixView<const T>& X, std::int64_t i, const double* shift, double weight,
             double* sums) {
  GRAMIAN_DISPATCH(add_shifted, X.data + i * X.row_stride, shift, weight, X.n_cols, sums);
}

template <class T, class Index>
void add_row(const CsrView<T, Index>& X, std::int64_t i, const double*, double weight,
             double* sums) {
  const auto row = X.row(i);
  for (std::size_t e = 0; e < row.cols.size(); ++e)
    sums[row.cols[e]] += weight * static_cast<double>(row.values[e]);
}

inline double weight_of(std::span<const double> weight, std::int64_t i) {
  return weight.empty() ? 1.0 : weight[at(i)];
}

}  // namespace gramian::cluster
