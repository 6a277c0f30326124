// Leaves that give a linear function of some columns instead of one number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/views.hpp"
#include "tree/predict/keys.hpp"

namespace gramian::tree {

// Leaf k gives intercept[k] plus coefficient times value over the entries offsets[k] ..
// offsets[k + 1], but no less than lower[k] and no more than upper[k]. A leaf without entries gives
// its plain value, and so does any leaf to a row in which one of its columns is missing or
// infinite.
struct LinearLeaves {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> column;
  std::vector<double> coefficient;
  std::vector<double> intercept;
  std::vector<double> lower, upper;

  std::int64_t n_leaves() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  bool empty() const { return n_leaves() == 0; }

  // Throws InvalidArgument unless there are so many leaves and every index stays inside.
  void check(std::int64_t n_leaves, std::int64_t n_columns) const;

  // What a leaf of this plain value gives to a row.
  template <class T>
  double at(std::int64_t leaf, double value, const MatrixView<const T>& X, std::int64_t row) const {
    const auto k = static_cast<std::size_t>(leaf);
    const auto begin = static_cast<std::size_t>(offsets[k]);
    const auto end = static_cast<std::size_t>(offsets[k + 1]);
    if (begin == end) return value;
    double sum = intercept[k];
    for (std::size_t i = begin; i < end; ++i)
      sum += coefficient[i] * static_cast<double>(X(row, column[i]));
    return std::isfinite(sum) ? std::clamp(sum, lower[k], upper[k]) : value;
  }

  // scores[row] += scale times what the leaf gives.
  void add(std::int64_t leaf, double value, const AnyDense& X, std::span<const std::uint32_t> rows,
           double scale, std::span<double> scores) const;
};

}  // namespace gramian::tree
