// What an epoch of stochastic gradient descent needs beside the weights: the order of the rows, the
// sum of a batch, and the score of the validation rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solve/sgd/sgd_rows.hpp"

namespace gramian::solve {

// The rows in the order of an epoch. Each epoch applies the same permutation, drawn once by Fisher
// and Yates with Marsaglia's 32-bit xorshift, to the order of the one before. That is
// scikit-learn's order for the same seed.
class RowOrder {
 public:
  RowOrder(std::int64_t n, bool shuffles, std::uint32_t seed) : order_(at(n)) {
    if (n > std::numeric_limits<std::int32_t>::max())
      throw InvalidArgument("stochastic gradient descent takes at most 2^31 - 1 rows at once");
    std::iota(order_.begin(), order_.end(), 0);
    if (!shuffles) return;
    permutation_ = order_;
    next_.resize(order_.size());
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      const auto offset = draw(seed) % static_cast<std::uint32_t>(n - i);
      std::swap(permutation_[at(i)], permutation_[at(i) + offset]);
    }
  }

  void begin_epoch() {
    if (permutation_.empty()) return;
    for (std::size_t k = 0; k < order_.size(); ++k) next_[k] = order_[at(permutation_[k])];
    order_.swap(next_);
  }

  std::int64_t size() const { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t operator[](std::int64_t k) const { return order_[at(k)]; }

 private:
  static std::uint32_t draw(std::uint32_t& state) {
    if (state == 0) state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state & 0x7fffffffU;
  }

  std::vector<std::int32_t> order_, permutation_, next_;
};

// The sum of the gradients of a batch, as a row.
template <class Row>
class BatchSum;

template <class T>
class BatchSum<DenseRow<T>> {
 public:
  explicit BatchSum(std::int64_t n_cols)
      : n_(n_cols), sum_(Buffer<double>::zeros(padded_size(n_cols))) {}

  void add(const DenseRow<T>& row, double c) { row.add(c, sum_.data(), false); }
  DenseRow<double> row() const { return {sum_.data(), n_, &kernels_}; }
  void clear() { std::fill(sum_.begin(), sum_.end(), 0.0); }

 private:
  std::int64_t n_;
  Buffer<double> sum_;
  RowKernels<double> kernels_ = row_kernels(static_cast<const double*>(nullptr));
};

template <class T, class Index>
class BatchSum<SparseRow<T, Index>> {
 public:
  explicit BatchSum(std::int64_t n_cols) : place_(at(n_cols), -1) {}

  void add(const SparseRow<T, Index>& row, double c) {
    for (std::size_t e = 0; e < row.row.cols.size(); ++e) {
      const Index j = row.row.cols[e];
      std::int64_t& place = place_[at(j)];
      if (place < 0) {
        place = static_cast<std::int64_t>(cols_.size());
        cols_.push_back(j);
        values_.push_back(0.0);
      }
      values_[at(place)] += c * static_cast<double>(row.row.values[e]);
    }
  }
  SparseRow<double, Index> row() const { return {{values_, cols_}}; }
  void clear() {
    for (const Index j : cols_) place_[at(j)] = -1;
    cols_.clear();
    values_.clear();
  }

 private:
  std::vector<std::int64_t> place_;  // of a column among those of the batch, or -1
  std::vector<Index> cols_;
  std::vector<double> values_;
};

// The weighted accuracy, or R^2, of predictions that are added one by one.
class ValidationScore {
 public:
  explicit ValidationScore(bool is_classification) : is_classification_(is_classification) {}

  void add(double p, double y, double weight) {
    weight_ += weight;
    if (is_classification_) {
      if ((p > 0.0) == (y > 0.0)) right_ += weight;
      return;
    }
    const double step = weight_ > 0.0 ? weight / weight_ * (y - mean_) : 0.0;
    total_ += weight * (y - mean_) * (y - mean_ - step);
    mean_ += step;
    residual_ += weight * (y - p) * (y - p);
  }

  double value() const {
    if (is_classification_) return right_ / weight_;
    if (total_ > 0.0) return 1.0 - residual_ / total_;
    return residual_ > 0.0 ? 0.0 : 1.0;
  }

 private:
  bool is_classification_;
  double weight_ = 0.0, right_ = 0.0, mean_ = 0.0, total_ = 0.0, residual_ = 0.0;
};

}  // namespace gramian::solve
