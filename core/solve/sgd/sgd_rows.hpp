// Rows of X as a stochastic gradient step sees them: dense or sparse, the same few operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/views.hpp"
#include "solve/sgd/sgd_kernel.hpp"

namespace gramian::solve {

// Into the second-level cache, which can wait for more lines at once than the first. Inlined by
// force: to the compiler a function that only prefetches does nothing, and it drops the call.
#define GRAMIAN_PREFETCHES [[gnu::always_inline]]
inline constexpr int kIntoL2 = 2;

// Of the entries of v that a step changed.
struct Norms {
  double squares = 0.0;
  double magnitudes = 0.0;
};

inline std::int64_t padded_size(std::int64_t n) {
  return (n + kWeightLanes - 1) / kWeightLanes * kWeightLanes;
}

inline RowKernels<float> row_kernels(const float*) { return GRAMIAN_DISPATCH(float_row_kernels); }
inline RowKernels<double> row_kernels(const double*) {
  return GRAMIAN_DISPATCH(double_row_kernels);
}

template <class T>
struct DenseRow {
  const T* values;
  std::int64_t n;
  const RowKernels<T>* kernels;

  double dot(const double* v) const { return kernels->dot(values, n, v); }
  double squared_norm() const { return kernels->squared_norm(values, n); }

  // v += c row.
  Norms add(double c, double* v, bool with_magnitudes) const {
    const double squares = kernels->add(values, n, c, v);
    if (!with_magnitudes) return {squares, 0.0};
    return {squares, GRAMIAN_DISPATCH(sum_of_magnitudes, v, padded_size(n))};
  }

  void shrink(const Shrinkage& shrinkage, double* v, double* given) const {
    GRAMIAN_DISPATCH(shrink_all, shrinkage, n, v, given);
  }
};

template <class T, class Index>
struct SparseRow {
  CsrRow<T, Index> row;

  double dot(const double* v) const {
    double sum = 0.0;
    for (std::size_t e = 0; e < row.cols.size(); ++e)
      sum += static_cast<double>(row.values[e]) * v[row.cols[e]];
    return sum;
  }

  double squared_norm() const {
    double sum = 0.0;
    for (const T value : row.values) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum;
  }

  Norms add(double c, double* v, bool with_magnitudes) const {
    Norms norms;
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      double& entry = v[row.cols[e]];
      entry += c * static_cast<double>(row.values[e]);
      norms.squares += entry * entry;
      if (with_magnitudes) norms.magnitudes += std::abs(entry);
    }
    return norms;
  }

  void shrink(const Shrinkage& shrinkage, double* v, double* given) const {
    for (const Index j : row.cols) v[j] = shrunk(shrinkage, v[j], given[j]);
  }
};

template <class T>
class DenseRows {
 public:
  // Requires X.has_contiguous_rows().
  explicit DenseRows(const MatrixView<const T>& X) : X_(X), kernels_(row_kernels(X.data)) {}

  std::int64_t n_rows() const { return X_.n_rows; }
  std::int64_t n_cols() const { return X_.n_cols; }
  std::int64_t entries_per_row() const { return std::max<std::int64_t>(X_.n_cols, 1); }

  DenseRow<T> row(std::int64_t i) const {
    return {X_.data + i * X_.row_stride, X_.n_cols, &kernels_};
  }

  GRAMIAN_PREFETCHES void prefetch(std::int64_t i) const {
    constexpr std::int64_t kPerLine = kCacheLine / sizeof(T);
    constexpr std::int64_t kMaxLines = 16;  // the hardware follows from there
    const T* values = X_.data + i * X_.row_stride;
    const std::int64_t n = std::min(X_.n_cols, kMaxLines * kPerLine);
    for (std::int64_t j = 0; j < n; j += kPerLine) __builtin_prefetch(values + j, 0, kIntoL2);
    if (n > 0) __builtin_prefetch(values + n - 1, 0, kIntoL2);
  }

 private:
  MatrixView<const T> X_;
  RowKernels<T> kernels_;
};

template <class T, class Index>
class SparseRows {
 public:
  explicit SparseRows(const CsrView<T, Index>& X) : X_(X) {}

  std::int64_t n_rows() const { return X_.n_rows(); }
  std::int64_t n_cols() const { return X_.n_cols; }
  std::int64_t entries_per_row() const {
    return X_.n_stored() / std::max<std::int64_t>(X_.n_rows(), 1) + 1;
  }

  SparseRow<T, Index> row(std::int64_t i) const { return {X_.row(i)}; }

  GRAMIAN_PREFETCHES void prefetch(std::int64_t i) const {
    constexpr std::size_t kMost = 256;  // entries; the hardware follows from there
    const auto first = at(X_.indptr[at(i)]);
    const std::size_t end = std::min(at(X_.indptr[at(i + 1)]), first + kMost);
    for (std::size_t e = first; e < end; e += kCacheLine / sizeof(T))
      __builtin_prefetch(X_.values.data() + e, 0, kIntoL2);
    for (std::size_t e = first; e < end; e += kCacheLine / sizeof(Index))
      __builtin_prefetch(X_.indices.data() + e, 0, kIntoL2);
  }

 private:
  CsrView<T, Index> X_;
};

template <class T>
DenseRows<T> rows_of(const MatrixView<const T>& X) {
  return DenseRows<T>(X);
}

template <class T, class Index>
SparseRows<T, Index> rows_of(const CsrView<T, Index>& X) {
  return SparseRows<T, Index>(X);
}

}  // namespace gramian::solve
