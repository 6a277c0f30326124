// Terms of the entropy for whole numbers.
#pragma once

#include <cmath>
#include <vector>

#include "tree/format/target.hpp"

namespace gramian::tree {

// c log2 c of every whole number up to the total weight, if that is few; all weights are whole.
inline std::vector<double> entropy_table(double total_weight) {
  constexpr double kLargest = 1 << 17;  // a megabyte: what a core's own cache holds
  if (total_weight > kLargest) return {};
  std::vector<double> table(static_cast<std::size_t>(total_weight) + 1);
  for (std::size_t c = 1; c < table.size(); ++c)
    table[c] = static_cast<double>(c) * std::log2(static_cast<double>(c));
  return table;
}

// The same for a sample; empty, too, unless its weights are whole.
inline std::vector<double> entropy_table(const Sample& sample) {
  return sample.has_whole_weights() ? entropy_table(sample.total_weight) : std::vector<double>{};
}

}  // namespace gramian::tree
