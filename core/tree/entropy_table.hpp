// Terms of the entropy for whole numbers.
#pragma once

#include <cmath>
#include <vector>

#include "tree/target.hpp"

namespace gramian::tree {

// c log2 c of every whole number up to the total weight, if all weights are whole and that is few.
inline std::vector<double> entropy_table(const Sample& sample) {
  constexpr double kLargest = 1 << 17;  // a megabyte: what a core's own cache holds
  if (sample.total_weight > kLargest || !sample.has_whole_weights()) return {};
  std::vector<double> table(static_cast<std::size_t>(sample.total_weight) + 1);
  for (std::size_t c = 1; c < table.size(); ++c)
    table[c] = static_cast<double>(c) * std::log2(static_cast<double>(c));
  return table;
}

}  // namespace gramian::tree
