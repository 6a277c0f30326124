// A table cut into bins, as boosting reads it: one byte for each row and track.
//
// A feature's values fall into bins 0 .. n_bins - 1, missing values into bin n_bins. A track is a
// byte column; it holds the bins of one feature, or those of several features that are hardly ever
// away from their most frequent bin at the same time (exclusive feature bundling; Ke et al., 2017).
// In such a bundle code 0 says that every feature is in its most frequent bin, and each feature
// owns the codes first_code .. for its other bins.
//
// Tracks stand side by side in groups of up to 64, row after row: a row of a group is one cache
// line, so that building the histograms of a node touches few lines even where its rows are far
// apart. A second copy, track after track, serves to part the rows of a node, which looks at one
// track only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::boost {

inline constexpr std::int32_t kMaxBins = 255;  // of a feature, without that of missing values
inline constexpr std::int32_t kMaxCodes = 256;
inline constexpr std::int64_t kGroupTracks = 64;

using Features = std::variant<MatrixView<const float>, MatrixView<const double>>;

struct Feature {
  std::vector<double> edges;  // numeric: x <= edges[b] are in the bins up to b; n_bins - 1 of them
  std::vector<std::uint8_t> bin_of_level;  // categorical
  std::int32_t n_levels = 0;               // 0: numeric
  std::int32_t n_bins = 1;
  bool has_missing = false;
  std::int32_t track = 0;
  std::int32_t first_code = 0;
  std::int32_t usual_bin = -1;  // of a bundled feature; -1: alone in its track

  bool is_categorical() const { return n_levels > 0; }
  bool is_bundled() const { return usual_bin >= 0; }
  std::int32_t n_cells() const { return n_bins + (has_missing ? 1 : 0); }
  // Code of a bin; for a bundled feature's usual bin the 0 that it shares.
  std::int32_t code_of(std::int32_t bin) const {
    if (!is_bundled()) return bin;
    if (bin == usual_bin) return 0;
    return first_code + bin - (bin > usual_bin ? 1 : 0);
  }
};

// Which codes of a track go left.
using CodeSet = std::array<std::uint8_t, kMaxCodes>;

class Bins {
 public:
  // `max_bins` counts the bins of numbers, or of levels, of which the rarest share the last one.
  // `n_levels` of each column, 0 for numbers; may be empty.
  Bins(const Features& X, std::span<const std::int32_t> n_levels, std::int32_t max_bins,
       std::span<const double> weight, const Context& ctx);
  Bins(const Bins&) = delete;
  Bins& operator=(const Bins&) = delete;
  // The same bins for other rows, such as those of a validation set.
  Bins(const Bins& like, const Features& X, const Context& ctx);

  std::int64_t n_rows() const { return n_rows_; }
  std::int64_t n_features() const { return static_cast<std::int64_t>(features_.size()); }
  const Feature& operator[](std::int64_t feature) const {
    return features_[static_cast<std::size_t>(feature)];
  }
  bool is_double() const { return is_double_; }

  std::int64_t n_tracks() const { return static_cast<std::int64_t>(n_codes_.size()); }
  std::int64_t n_groups() const { return (n_tracks() + kGroupTracks - 1) / kGroupTracks; }
  std::int64_t group_tracks(std::int64_t group) const {
    return std::min(kGroupTracks, n_tracks() - group * kGroupTracks);
  }
  std::int64_t group_stride(std::int64_t group) const { return (group_tracks(group) + 7) / 8 * 8; }
  const std::uint8_t* group_codes(std::int64_t group) const {
    return codes_[static_cast<std::size_t>(group)].data();
  }
  // The codes of a track, by row.
  std::span<const std::uint8_t> track_codes(std::int64_t track) const {
    return {columns_.data() + track * n_rows_, static_cast<std::size_t>(n_rows_)};
  }

  // Histograms: the cells of a track start here; those of all tracks together are n_cells().
  std::int64_t first_cell(std::int64_t track) const {
    return first_cells_[static_cast<std::size_t>(track)];
  }
  std::span<const std::int64_t> first_cells() const { return first_cells_; }
  std::int64_t n_cells() const { return first_cells_.back(); }

 private:
  void place_tracks();
  void write_codes(const Features& X, const Context& ctx);
  void copy_to_groups(std::int64_t first, std::int64_t n);

  std::int64_t n_rows_ = 0;
  bool is_double_ = false;
  std::vector<Feature> features_;
  std::vector<std::int32_t> n_codes_;  // of each track
  std::vector<std::int64_t> first_cells_;
  std::vector<Buffer<std::uint8_t>> codes_;  // of each group: rows x stride
  Buffer<std::uint8_t> columns_;             // tracks x rows
};

}  // namespace gramian::boost
