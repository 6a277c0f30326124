// The values of a node's rows in one column: how they are read and parted. All of this knows no
// criterion, and is compiled once.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"
#include "tree/search/row_cuts.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {

template <class T>
bool value_goes_left(const Split& split, T value) {
  if (std::isnan(value)) return split.missing_left;
  if (split.is_categorical()) {
    const auto level = static_cast<std::size_t>(value);
    return (split.levels[level / 64] >> (level % 64) & 1) != 0;
  }
  return static_cast<double>(value) <= split.threshold;
}

class NodeValues {
 public:
  // may_read_rows: whether the search can read all columns of a row at a time.
  NodeValues(const Columns& columns, bool may_read_rows, std::int64_t max_features,
             const Context& ctx);

  // Whether nodes read all columns row by row.
  bool reads_rows() const { return reads_rows_; }
  // Has no values where rows are not in one piece.
  template <class T>
  const RowTable<T>& table() const {
    return std::get<RowTable<T>>(tables_);
  }

  // The values of rows in a column; T is that of the columns.
  void read(std::span<const std::uint32_t> rows, std::int64_t feature, float* values) const;
  void read(std::span<const std::uint32_t> rows, std::int64_t feature, double* values) const;

  // Parts the rows of a node by a split.
  void part(const Split& split, std::span<std::uint32_t> rows,
            std::vector<std::uint32_t>& scratch) const;

 private:
  template <class T>
  bool take_table(bool may_read_rows, std::int64_t max_features);
  template <class T, class Function>
  void visit(std::size_t n_rows, std::int64_t feature, const Function& function) const;
  template <class T>
  void part_as(const Split& split, std::span<std::uint32_t> rows,
               std::vector<std::uint32_t>& scratch) const;

  const Columns& columns_;
  std::tuple<RowTable<float>, RowTable<double>> tables_;
  bool reads_rows_;
};

}  // namespace gramian::tree
