// Random cuts of all columns of a node at a time: see cuts_kernel.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/search/cuts_kernel.hpp"
#include "tree/search/not_above.hpp"

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
    places_.resize(n);
    thresholds_.resize(n);
    compared_.resize(n);
    counts_.resize(n);
    left_weights_.resize(n);
    left_sums_.resize(n);
    scores_.resize(n);
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
    std::fill(places_.begin(), places_.end(), std::numeric_limits<double>::quiet_NaN());
  }

  T lowest(std::int64_t feature) const { return lowest_[index(feature)]; }
  T highest(std::int64_t feature) const { return highest_[index(feature)]; }

  // Where a column's range is to be cut, from 0 to 1.
  void set_place(std::int64_t feature, double place) { places_[index(feature)] = place; }

  // Makes the cuts.
  void add_left() {
    GRAMIAN_DISPATCH(row_thresholds, table_, lowest_.data(), highest_.data(), places_.data(),
                     thresholds_.data(), compared_.data());
    GRAMIAN_DISPATCH(row_sums, table_, rows_, compared_.data(), left());
  }

  double threshold(std::int64_t feature) const { return thresholds_[index(feature)]; }

  // Scores all cuts by the squared error; returns the highest score.
  double score(const MomentNode& node) {
    return GRAMIAN_DISPATCH(score_cuts, node, left(), rows_.weights != nullptr, table_.n_features,
                            scores_.data());
  }
  double score(std::int64_t feature) const { return scores_[index(feature)]; }

  // Of the rows that the cut of a column sends left.
  std::int64_t count(std::int64_t feature) const { return counts_[index(feature)]; }
  double weight(std::int64_t feature) const {
    return rows_.weights != nullptr ? left_weights_[index(feature)] : counts_[index(feature)];
  }
  double sum(std::int64_t feature) const { return left_sums_[index(feature)]; }

 private:
  static std::size_t index(std::int64_t feature) { return static_cast<std::size_t>(feature); }

  LeftSums left() { return {counts_.data(), left_weights_.data(), left_sums_.data()}; }

  RowTable<T> table_;
  NodeRows rows_{};
  std::vector<T> lowest_, highest_, compared_;  // compared: the thresholds, rounded down
  std::vector<double> places_, thresholds_;
  std::vector<std::int32_t> counts_;
  std::vector<double> left_weights_, left_sums_, scores_;
};

}  // namespace gramian::tree
