// Columns in bins: numbers between thresholds, or levels one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"

namespace gramian::tree {

// What the bins of one column mean. The one behind the last is for missing values.
struct Bins {
  std::uint32_t n_bins = 0;
  bool has_missing = false;
  bool are_levels = false;
  // Numbers: the largest code of each bin but the last, and the threshold behind it.
  std::vector<std::uint32_t> last_codes;
  std::vector<double> thresholds;
};

// The bins of each column (Form::sorted). Numbers get a bin for every distinct value if these are
// at most max_bins, otherwise bins of like weight. `weight`, by row, are whole numbers; empty: all
// one. The bins are the same for any order of the rows.
std::vector<Bins> bins_of(const Columns& columns, std::span<const double> weight,
                          std::int64_t max_bins, const Context& ctx);

// Writes the bin of each row.
template <class Code>
void write_bins(const Bins& bins, std::span<const Record> records, std::uint32_t missing_code,
                Code* out) {
  std::uint32_t bin = 0;
  for (const Record& record : records) {
    if (bins.are_levels) {
      bin = record.code;
    } else if (record.code == missing_code) {
      bin = bins.n_bins;
    } else if (bin < bins.last_codes.size() && record.code > bins.last_codes[bin]) {
      ++bin;
    }
    out[record.row] = static_cast<Code>(bin);
  }
}

}  // namespace gramian::tree
