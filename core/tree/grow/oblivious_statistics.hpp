// What the search for the conditions of an oblivious tree sums over rows, and the score of a leaf
// from its sums: the larger, the purer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/criterion/criterion_moments.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/oblivious.hpp"

namespace gramian::tree {

// The sums are the weights of the classes.
template <class Terms>
struct ClassScore {
  CountTerms<Terms> terms;
  std::size_t n_classes;

  double weight(const double* sums) const {
    double total = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) total += sums[k];
    return total;
  }
  double operator()(const double* sums) const {
    const double total = weight(sums);
    return total > 0.0 ? terms.of({sums, n_classes}, total) : 0.0;
  }
};

// The sums are the weight and the sum of the target.
template <class Error>
struct MomentScore {
  double weight(const double* sums) const { return sums[0]; }
  double operator()(const double* sums) const {
    if (sums[0] <= 0.0) return 0.0;
    if (!Error::is_centred && sums[1] <= 0.0)
      return -std::numeric_limits<double>::infinity();  // a mean must be positive
    return Error::node(sums[1], sums[0]);
  }
};

// Moves entries to their new places: the one at source[i] goes to i.
template <class T>
void regroup(std::span<const std::uint32_t> source, T* values, T* scratch) {
  for (std::size_t i = 0; i < source.size(); ++i) scratch[i] = values[source[i]];
  std::copy_n(scratch, source.size(), values);
}

// What the criterion sums, for each row, leaf after leaf. The sums of some rows are those of the
// score and, where there are weights, the number of rows behind them.
class RowStatistics {
 public:
  explicit RowStatistics(const ObliviousTask& task)
      : labels_(task.target.labels.begin(), task.target.labels.end()),
        values_(task.target.values.begin(), task.target.values.end()),
        sums_(task.sums.begin(), task.sums.end()),
        weight_(task.weight.begin(), task.weight.end()),
        n_scored_(static_cast<std::size_t>(labels_.empty() ? 2 : task.target.width())) {}

  std::size_t width() const { return n_scored_ + (is_weighted() ? 1 : 0); }
  bool is_weighted() const { return !weight_.empty(); }
  double weight(std::int64_t i) const { return is_weighted() ? weight_[at(i)] : 1.0; }

  // The number of rows, from their sums.
  template <class AnyScore>
  double n_rows(const AnyScore& score, const double* sums) const {
    return is_weighted() ? sums[n_scored_] : score.weight(sums);
  }

  // Adds the sums of some rows to those of their cells.
  template <class CellAt>
  void add(std::int64_t begin, std::int64_t end, const CellAt& cell_at, double* sums) const {
    const std::size_t size = width();
    const auto each = [&](const auto& add_row) {
      for (std::int64_t i = begin; i < end; ++i) add_row(sums + cell_at(i) * size, at(i));
    };
    if (!labels_.empty() && !is_weighted())
      return each([&](double* cell, std::size_t i) { cell[labels_[i]] += 1.0; });
    if (!labels_.empty())
      return each([&](double* cell, std::size_t i) {
        cell[labels_[i]] += weight_[i];
        cell[n_scored_] += 1.0;
      });
    if (!is_weighted())
      return each([&](double* cell, std::size_t i) {
        cell[0] += 1.0;
        cell[1] += sums_[i];
      });
    each([&](double* cell, std::size_t i) {
      cell[0] += weight_[i];
      cell[1] += sums_[i];
      cell[2] += 1.0;
    });
  }

  // Whether rows are of one class, or have one value.
  bool is_pure(std::int64_t begin, std::int64_t end) const {
    const auto is_one = [&](const auto& all) {
      return std::all_of(all.begin() + begin, all.begin() + end,
                         [&](const auto& value) { return value == all[at(begin)]; });
    };
    return labels_.empty() ? is_one(values_) : is_one(labels_);
  }

  void move(std::span<const std::uint32_t> source) {
    const auto move_all = [&](auto& values) {
      auto scratch = values;
      if (!values.empty()) regroup(source, values.data(), scratch.data());
    };
    move_all(labels_);
    move_all(values_);
    move_all(sums_);
    move_all(weight_);
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::vector<std::uint32_t> labels_;
  std::vector<double> values_, sums_, weight_;
  std::size_t n_scored_;
};

}  // namespace gramian::tree
