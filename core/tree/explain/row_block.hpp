// Up to 64 rows, column by column, and what they do at splits as bits of a word.
#pragma once

#include <cstdint>
#include <vector>

#include "base/views.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

class RowBlock {
 public:
  static constexpr std::int64_t kRows = 64;

  explicit RowBlock(const TreesView& trees);

  // Takes the rows of X, 64 at most. Values are rounded to float where the trees ask for it;
  // numbers that are no level of a categorical column count as missing.
  template <class T>
  void load(MatrixView<const T> X);

  // Bit i tells whether row i goes left at a split, by its number among those of all trees.
  std::uint64_t goes_left(std::int64_t split, std::int64_t column) const;

 private:
  std::uint64_t levels_left(std::int64_t column, std::int64_t first_word) const;

  const TreesView& trees_;
  std::vector<double> values_;          // 64 of each column
  std::vector<std::uint64_t> missing_;  // of each column
};

}  // namespace gramian::tree
