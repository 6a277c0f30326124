// A table cut into bins, as boosting reads it: one byte for each row and track.
//
// A feature's values fall into bins 0 .. n_bins - 1, missing values into bin n_bins. A track is a
// byte column; it holds the bins of
//   - one feature; or
//   - a bundle of features of which no two are away from their usual bins in the same row
//   (exclusive
//     feature bundling; Ke et al., 2017): code 0 says that every feature is in its usual bin, and
//     each feature owns the codes first_code .. for its other bins; or
//   - a pack of features of few bins: the code is their bins, read as the digits of one number, and
//     a feature's histogram is the sum of the track's over the other digits.
// A column that has one bin only has no track.
//
// Tracks stand side by side in groups of up to 64, row after row: a row of a group is one cache
// line, so that building the histograms of a node touches few lines even where its rows are far
// apart. A second copy, track after track, serves to part the rows of a node, which looks at one
// track only; lean bins do without it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "boost/bins/binned_blocks.hpp"
#include "boost/bins/column_reader.hpp"
#include "boost/bins/feature.hpp"

namespace gramian::boost {

inline constexpr std::int64_t kGroupTracks = 64;

// Which codes of a track go left.
using CodeSet = std::array<std::uint8_t, kMaxCodes>;

// The codes of a track, by row.
struct TrackCodes {
  const std::uint8_t* data;
  std::int64_t stride;  // bytes from row to row; 1 but for lean bins
  std::int64_t n_rows;

  std::uint8_t operator[](std::size_t row) const {
    return data[static_cast<std::int64_t>(row) * stride];
  }
};

// Which columns share tracks.
enum class Sharing { none, exclusive, all };

class Bins {
 public:
  // A bundle may have `max_conflict_rate` times the rows in which two of its columns are away from
  // their usual bins, of which only the first counts. At 0 the trees are those of no sharing.
  Bins(const AnyMatrix& X, const BinPlan& plan, Sharing sharing, double max_conflict_rate,
       const Context& ctx);
  Bins(const Bins&) = delete;
  Bins& operator=(const Bins&) = delete;
  // The same bins for other rows, such as those of a validation set. A column that these rows do
  // not let share a track gets one of its own, so that tracks are those of `like` or come after
  // them.
  Bins(const Bins& like, const AnyMatrix& X, const Context& ctx);
  // Both of rows that came in blocks, which all are written; for other rows they are cut into
  // `blocks_like`. The bins move over.
  Bins(BinnedBlocks& blocks, Sharing sharing, double max_conflict_rate, const Context& ctx,
       bool is_lean = false);
  Bins(const Bins& like, BinnedBlocks& blocks, const Context& ctx);
  BinnedBlocks blocks_like(std::int64_t n_rows) const;

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
  TrackCodes track_codes(std::int64_t track) const {
    if (!is_lean_) return {columns_[static_cast<std::size_t>(track)].data(), 1, n_rows_};
    const std::int64_t group = track / kGroupTracks;
    return {group_codes(group) + track % kGroupTracks, group_stride(group), n_rows_};
  }

  // Histograms: the cells of the tracks, one after the other, and then those of packed features,
  // which are sums of their tracks' cells.
  std::int64_t first_cell(std::int64_t track) const {
    return first_cells_[static_cast<std::size_t>(track)];
  }
  std::span<const std::int64_t> first_cells() const { return first_cells_; }
  std::int64_t n_track_cells() const { return first_cells_.back(); }
  std::int64_t n_cells() const { return first_cells_.back() + n_packed_cells_; }
  void sum_packed(std::int64_t* cells) const;
  std::int32_t n_codes(std::int64_t track) const {
    return n_codes_[static_cast<std::size_t>(track)];
  }

 private:
  // Sets the tracks of new bins.
  void build(std::vector<BinnedColumn> columns, Sharing sharing, double max_conflict_rate,
             const Context& ctx);
  // Of each feature for other rows: its usual bin where these are bundled, and whether it is read.
  std::vector<std::int32_t> usual_bins() const;
  std::vector<std::uint8_t> wanted() const;
  void place_tracks(std::span<const BinnedColumn> columns, Sharing sharing,
                    std::int64_t max_conflicts, const Context& ctx);
  std::int32_t add_track(std::int32_t n_codes);
  void place_bundle(std::span<const std::int32_t> set, std::span<const BinnedColumn> columns);
  void place_small(std::span<const std::int32_t> set);
  void place_cells();
  // Writes the codes of the tracks; columns that do not fit into theirs get one of their own.
  void write_tracks(std::vector<BinnedColumn> columns, const Context& ctx);
  Buffer<std::uint8_t> shared_codes(std::span<const std::int32_t> set,
                                    std::span<BinnedColumn> columns,
                                    std::span<std::uint8_t> is_out) const;
  void write_groups(const Context& ctx);
  void copy_to_group(std::int64_t group, std::int64_t first, std::int64_t n);

  std::int64_t n_rows_ = 0;
  bool is_double_ = false;
  bool keeps_conflicts_ = false;
  bool is_lean_ = false;
  bool absent_is_missing_ = false;
  std::vector<Feature> features_;
  std::vector<std::int32_t> n_codes_;  // of each track
  std::vector<std::int64_t> first_cells_{0};
  std::int64_t n_packed_cells_ = 0;
  std::vector<std::int32_t> packed_;         // packed features, by track and from the last digit on
  std::vector<Buffer<std::uint8_t>> codes_;  // of each group: rows x stride
  std::vector<Buffer<std::uint8_t>> columns_;  // of each track; none of lean bins
};

}  // namespace gramian::boost
