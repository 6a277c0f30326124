// Random cuts of all columns of a node at a time: see cuts_kernel.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/cuts_kernel.hpp"
#include "tree/not_above.hpp"

namespace gramian::tree {

// What the rows of a node add to their side, by row of the node.
class Addends {
 public:
  template <class Criterion>
  void enter(std::span<const std::uint32_t> rows, const Criterion& criterion, bool has_weights) {
    if (addends_.size() < rows.size()) addends_.resize(rows.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) addends_[i] = criterion.addend(i);
    if (has_weights) {
      if (weights_.size() < rows.size()) weights_.resize(rows.size());
      for (std::uint32_t i = 0; i < rows.size(); ++i) weights_[i] = criterion.weight_of(i);
    }
    rows_ = {rows.data(), static_cast<std::int64_t>(rows.size()),
             has_weights ? weights_.data() : nullptr, addends_.data()};
  }
  const NodeRows& rows() const { return rows_; }

 private:
  NodeRows rows_{};
  std::vector<double> weights_, addends_;
};

// A node's ranges and cuts, by column.
template <class T>
class RowCuts {
 public:
  explicit RowCuts(const RowTable<T>& table) : table_(table) {
    const auto n = static_cast<std::size_t>(table.n_lanes());
    lowest_.resize(n);
    highest_.resize(n);
    thresholds_.resize(n);
    counts_.resize(n);
    left_weights_.resize(n);
    left_sums_.resize(n);
  }

  // Whether reading whole rows is faster than the columns that a node looks at: in profiles a
  // vector of a row costs as much as four values of columns.
  static bool pays(const RowTable<T>& table, std::int64_t max_features) {
    return table.values != nullptr && 4 * table.n_vectors() <= max_features;
  }

  // Reads a node's rows; no column is cut yet.
  void enter(const NodeRows& rows) {
    rows_ = rows;
    GRAMIAN_DISPATCH(row_ranges, table_, rows_, lowest_.data(), highest_.data());
    std::fill(thresholds_.begin(), thresholds_.end(), -std::numeric_limits<T>::infinity());
  }

  T lowest(std::int64_t feature) const { return lowest_[index(feature)]; }
  T highest(std::int64_t feature) const { return highest_[index(feature)]; }

  void set_threshold(std::int64_t feature, double threshold) {
    thresholds_[index(feature)] = not_above(threshold, T{});
  }

  void add_left() {
    const LeftSums left{counts_.data(), left_weights_.data(), left_sums_.data()};
    GRAMIAN_DISPATCH(row_sums, table_, rows_, thresholds_.data(), left);
  }

  // Of the rows that the cut of a column sends left.
  std::int64_t count(std::int64_t feature) const { return counts_[index(feature)]; }
  double weight(std::int64_t feature) const {
    return rows_.weights != nullptr ? left_weights_[index(feature)] : counts_[index(feature)];
  }
  double sum(std::int64_t feature) const { return left_sums_[index(feature)]; }

 private:
  static std::size_t index(std::int64_t feature) { return static_cast<std::size_t>(feature); }

  RowTable<T> table_;
  NodeRows rows_{};
  std::vector<T> lowest_, highest_, thresholds_;
  std::vector<std::int32_t> counts_;
  std::vector<double> left_weights_, left_sums_;
};

}  // namespace gramian::tree
