// How the values of a column fall into bins, and where its bins stand in the tracks (see bins.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace gramian::boost {

inline constexpr std::int32_t kMaxBins = 255;  // of a feature, without that of missing values
inline constexpr std::int32_t kMaxCodes = 256;

struct Feature {
  std::vector<double> edges;  // numeric: x <= edges[b] are in the bins up to b; n_bins - 1 of them
  std::vector<std::uint8_t> bin_of_level;  // categorical
  std::int32_t n_levels = 0;               // 0: numeric
  std::int32_t n_bins = 1;
  bool has_missing = false;
  std::int32_t track = -1;       // -1: none, as the column has one bin only
  std::int32_t first_code = 0;   // of a bundled feature
  std::int32_t usual_bin = -1;   // of a bundled feature, else -1
  std::int32_t code_stride = 0;  // of a packed feature, else 0: its bin is code / stride % n_cells
  std::int64_t first_cell = 0;   // of its histogram, if it is not bundled

  bool is_categorical() const { return n_levels > 0; }
  bool is_bundled() const { return usual_bin >= 0; }
  bool is_packed() const { return code_stride > 0; }
  bool is_alone() const { return !is_bundled() && !is_packed(); }
  std::int32_t n_cells() const { return n_bins + (has_missing ? 1 : 0); }

  // Code of a bin in the feature's bundle: for its usual bin the 0 that it shares.
  std::int32_t bundle_code(std::int32_t bin) const {
    return bin == usual_bin ? 0 : first_code + bin - (bin > usual_bin ? 1 : 0);
  }

  // The bin of the feature where its track has this code.
  std::int32_t bin_of(std::int32_t code) const {
    if (is_packed()) return code / code_stride % n_cells();
    if (!is_bundled()) return code < n_bins ? code : n_bins;
    const std::int32_t other = code - first_code;
    if (other < 0 || other >= n_cells() - 1) return usual_bin;
    return other < usual_bin ? other : other + 1;
  }
};

}  // namespace gramian::boost
