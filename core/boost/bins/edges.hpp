// Where to cut the values of a column into bins of nearly equal weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gramian::boost {

struct Distinct {
  double value;
  double weight;
};

// Edges between neighbouring bins, at most max_bins - 1 of them, each half-way between two values.
// `values` ascend; a value is never cut apart, and one as heavy as a bin gets a bin of its own.
std::vector<double> choose_edges(std::span<const Distinct> values, std::int32_t max_bins);

// Bin of each level, the heaviest levels first as far as bins go; the others share the last bin.
// Levels of no weight are in the last bin too. Returns the number of bins.
std::int32_t choose_level_bins(std::span<const double> weight, std::int32_t max_bins,
                               std::vector<std::uint8_t>& bin_of_level);

}  // namespace gramian::boost
