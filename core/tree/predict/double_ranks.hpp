// The thresholds of columns that are compared in double: their ranks, and a table to search.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/format/tree_groups.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/rank_table.hpp"

namespace gramian::tree {

class DoubleRanks {
 public:
  // is_ranked: of each column, 1 or 0. `trees` must be there as long as this is.
  DoubleRanks(const TreesView& trees, const std::vector<std::uint8_t>& is_ranked,
              const Context& ctx);

  // The different thresholds of a column; none if it is not ranked.
  DoubleTable take_table(std::int64_t column) {
    return std::move(tables_[static_cast<std::size_t>(column)]);
  }

  // Of a split of the forest, on a ranked column: how many of the column's different thresholds
  // are below its own.
  std::uint32_t rank(std::int64_t split) const { return ranks_[split]; }

 private:
  void find_places(const Context& ctx);
  // function(split, place) for the splits of a group of trees, from their first places on.
  template <class Function>
  void each_split(std::int64_t group, std::vector<std::int64_t> places,
                  const Function& function) const;

  const TreesView& trees_;
  TreeGroups groups_;
  std::vector<std::uint8_t> steps_;  // of a leaf, and of each column: whether it is ranked
  // Thresholds stand column by column, and in each in the order of the splits.
  std::vector<std::vector<std::int64_t>> places_;
  std::vector<std::int64_t> first_;
  std::int64_t n_places_ = 0;
  std::vector<DoubleTable> tables_;
  Buffer<std::uint32_t> ranks_;
};

}  // namespace gramian::tree
