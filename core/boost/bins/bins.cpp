#include "boost/bins/bins.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "boost/bins/bundles.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kCopyRows = 256;  // rows that are copied to the groups together
constexpr std::int64_t kLeanRunRows = std::int64_t{1} << 18;

// Gives back the memory of whole pages among some bytes that are read no more; their buffer is
// freed later. Where the system does not take it, it stays until then.
void forget_pages([[maybe_unused]] std::uint8_t* bytes, [[maybe_unused]] std::int64_t n) {
#if defined(__linux__)
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 16;  // a multiple of any page's size
  const auto begin = (reinterpret_cast<std::uintptr_t>(bytes) + kPage - 1) / kPage * kPage;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(bytes) + static_cast<std::uintptr_t>(n)) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

// Adds the digits of a column of a pack to the codes.
void add_digits(const BinnedColumn& column, std::int32_t stride, Buffer<std::uint8_t>& codes) {
  const std::int64_t n = codes.size();
  std::uint8_t* out = codes.data();
  if (column.usual < 0) {
    const std::uint8_t* bins = column.bins.data();
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = static_cast<std::uint8_t>(out[i] + bins[i] * stride);
    return;
  }
  const auto base = static_cast<std::uint8_t>(column.usual * stride);
  if (base != 0)
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(out[i] + base);
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    std::uint8_t& code = out[column.rows[i]];
    code = static_cast<std::uint8_t>(code + (column.away[i] - column.usual) * stride);
  }
}

// Writes the codes of a column of a bundle where there is none yet; whether there was one.
bool write_away(const Feature& feature, const BinnedColumn& column, Buffer<std::uint8_t>& codes) {
  bool has_conflict = false;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    std::uint8_t& code = codes[column.rows[i]];
    if (code == 0)
      code = static_cast<std::uint8_t>(feature.bundle_code(column.away[i]));
    else
      has_conflict = true;
  }
  return has_conflict;
}

}  // namespace

Bins::Bins(const AnyMatrix& X, const BinPlan& plan, Sharing sharing, double max_conflict_rate,
           const Context& ctx)
    : n_rows_(n_rows_of(X)),
      is_double_(holds_doubles(X)),
      keeps_conflicts_(max_conflict_rate > 0.0),
      absent_is_missing_(plan.absent_is_missing),
      features_(at(n_cols_of(X))) {
  const std::unique_ptr<ColumnReader> reader = column_reader(X, absent_is_missing_, ctx);
  const std::vector<std::int32_t> usual = reader->choose_bins(plan, features_, ctx);
  const std::vector<std::uint8_t> wanted(features_.size(), 1);
  build(reader->read_bins(features_, usual, wanted, ctx), sharing, max_conflict_rate, ctx);
}

Bins::Bins(BinnedBlocks& blocks, Sharing sharing, double max_conflict_rate, const Context& ctx,
           bool is_lean)
    : n_rows_(blocks.n_rows()),
      is_double_(blocks.is_double()),
      keeps_conflicts_(max_conflict_rate > 0.0),
      is_lean_(is_lean),
      features_(blocks.features()) {
  build(blocks.take_columns(ctx), sharing, max_conflict_rate, ctx);
}

Bins::Bins(const Bins& like, const AnyMatrix& X, const Context& ctx)
    : n_rows_(n_rows_of(X)),
      is_double_(like.is_double_),
      keeps_conflicts_(like.keeps_conflicts_),
      is_lean_(like.is_lean_),
      absent_is_missing_(like.absent_is_missing_),
      features_(like.features_),
      n_codes_(like.n_codes_),
      first_cells_(like.first_cells_) {
  const std::unique_ptr<ColumnReader> reader = column_reader(X, absent_is_missing_, ctx);
  write_tracks(reader->read_bins(features_, usual_bins(), wanted(), ctx), ctx);
}

Bins::Bins(const Bins& like, BinnedBlocks& blocks, const Context& ctx)
    : n_rows_(blocks.n_rows()),
      is_double_(like.is_double_),
      keeps_conflicts_(like.keeps_conflicts_),
      is_lean_(like.is_lean_),
      absent_is_missing_(like.absent_is_missing_),
      features_(like.features_),
      n_codes_(like.n_codes_),
      first_cells_(like.first_cells_) {
  write_tracks(blocks.take_columns(ctx), ctx);
}

BinnedBlocks Bins::blocks_like(std::int64_t n_rows) const {
  return {features_, usual_bins(), wanted(), is_double_, n_rows};
}

std::vector<std::int32_t> Bins::usual_bins() const {
  std::vector<std::int32_t> usual;
  for (const Feature& feature : features_) usual.push_back(feature.usual_bin);
  return usual;
}

std::vector<std::uint8_t> Bins::wanted() const {
  std::vector<std::uint8_t> wanted;
  for (const Feature& feature : features_) wanted.push_back(feature.track >= 0 ? 1 : 0);
  return wanted;
}

void Bins::build(std::vector<BinnedColumn> columns, Sharing sharing, double max_conflict_rate,
                 const Context& ctx) {
  for (std::size_t f = 0; f < columns.size(); ++f)
    features_[f].has_missing = columns[f].has_missing;
  place_tracks(columns, sharing,
               static_cast<std::int64_t>(max_conflict_rate * static_cast<double>(n_rows_)), ctx);
  write_tracks(std::move(columns), ctx);
}

void Bins::place_tracks(std::span<const BinnedColumn> columns, Sharing sharing,
                        std::int64_t max_conflicts, const Context& ctx) {
  std::vector<std::int32_t> alone;
  std::vector<SparseColumn> sparse;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    const Feature& feature = features_[f];
    const auto number = static_cast<std::int32_t>(f);
    if (feature.n_cells() == 1) continue;
    if (columns[f].usual < 0 || sharing == Sharing::none)
      alone.push_back(number);
    else
      sparse.push_back({number, feature.n_cells() - 1, columns[f].rows});
  }
  for (const auto& set : exclusive_sets(std::move(sparse), n_rows_, max_conflicts, ctx)) {
    if (set.size() > 1)
      place_bundle(set, columns);
    else
      alone.push_back(set.front());
  }
  std::sort(alone.begin(), alone.end());
  if (sharing == Sharing::all)
    for (const auto& set : small_sets(alone, features_)) place_small(set);
  for (const std::int32_t f : alone)
    if (features_[at(f)].track < 0) features_[at(f)].track = add_track(features_[at(f)].n_bins + 1);
}

std::int32_t Bins::add_track(std::int32_t n_codes) {
  n_codes_.push_back(n_codes);
  first_cells_.push_back(first_cells_.back() + (n_codes + 7) / 8 * 8);
  return static_cast<std::int32_t>(n_tracks()) - 1;
}

void Bins::place_bundle(std::span<const std::int32_t> set, std::span<const BinnedColumn> columns) {
  std::int32_t n_codes = 1;
  for (const std::int32_t f : set) {
    Feature& feature = features_[at(f)];
    feature.track = static_cast<std::int32_t>(n_tracks());
    feature.usual_bin = columns[at(f)].usual;
    feature.first_code = n_codes;
    n_codes += feature.n_cells() - 1;
  }
  add_track(n_codes);
}

void Bins::place_small(std::span<const std::int32_t> set) {
  std::int32_t n_codes = 1;
  for (const std::int32_t f : set) {
    Feature& feature = features_[at(f)];
    feature.track = static_cast<std::int32_t>(n_tracks());
    feature.code_stride = n_codes;
    n_codes *= feature.n_cells();
  }
  add_track(n_codes);
}

// Where the histograms of features start that have cells of their own.
void Bins::place_cells() {
  packed_.clear();
  n_packed_cells_ = 0;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    Feature& feature = features_[f];
    if (feature.track < 0 || feature.is_bundled()) continue;
    feature.first_cell = feature.is_packed() ? n_cells() : first_cell(feature.track);
    if (!feature.is_packed()) continue;
    packed_.push_back(static_cast<std::int32_t>(f));
    n_packed_cells_ += feature.n_cells();
  }
  std::sort(packed_.begin(), packed_.end(), [&](std::int32_t a, std::int32_t b) {
    const Feature &left = features_[at(a)], &right = features_[at(b)];
    return left.track != right.track ? left.track < right.track
                                     : left.code_stride > right.code_stride;
  });
}

// Digit by digit, each of which is then summed away.
void Bins::sum_packed(std::int64_t* cells) const {
  std::array<std::int64_t, kMaxCodes> rest;
  std::int32_t track = -1;
  for (const std::int32_t f : packed_) {
    const Feature& feature = features_[at(f)];
    if (feature.track != track) {
      track = feature.track;
      std::copy_n(cells + first_cell(track), n_codes(track), rest.begin());
    }
    const std::int64_t stride = feature.code_stride;
    std::int64_t* own = cells + feature.first_cell;
    for (std::int64_t bin = 0; bin < feature.n_cells(); ++bin) {
      const std::int64_t* block = rest.data() + bin * stride;
      own[bin] = std::reduce(block, block + stride);
      if (bin > 0)
        for (std::int64_t i = 0; i < stride; ++i) rest[at(i)] += block[i];
    }
  }
}

void Bins::write_tracks(std::vector<BinnedColumn> columns, const Context& ctx) {
  std::vector<std::vector<std::int32_t>> sets(n_codes_.size());
  std::vector<std::uint8_t> is_out(features_.size());
  for (std::size_t f = 0; f < features_.size(); ++f) {
    Feature& feature = features_[f];
    if (feature.track < 0) continue;
    sets[at(feature.track)].push_back(static_cast<std::int32_t>(f));
    // Nothing in a shared track stands for missing values that the training rows did not have.
    is_out[f] = columns[f].has_missing && !feature.has_missing && !feature.is_alone() ? 1 : 0;
  }
  columns_.resize(sets.size());
  const double cost = static_cast<double>(n_rows_) * static_cast<double>(sets.size());
  parallel_for(ctx, n_tracks(), cost, [&](std::int64_t track) {
    const auto& set = sets[at(track)];
    columns_[at(track)] = features_[at(set.front())].is_alone()
                              ? expand(std::move(columns[at(set.front())]), n_rows_)
                              : shared_codes(set, columns, is_out);
  });
  for (std::size_t f = 0; f < features_.size(); ++f) {
    Feature& feature = features_[f];
    if (feature.track < 0) continue;
    feature.has_missing = feature.has_missing || columns[f].has_missing;
    if (is_out[f] == 0) continue;
    feature.track = add_track(feature.n_bins + 1);
    feature.first_code = feature.code_stride = 0;
    feature.usual_bin = -1;
    columns_.push_back(expand(std::move(columns[f]), n_rows_));
  }
  place_cells();
  write_groups(ctx);
}

// Columns that do not fit are marked, and kept for a track of their own.
Buffer<std::uint8_t> Bins::shared_codes(std::span<const std::int32_t> set,
                                        std::span<BinnedColumn> columns,
                                        std::span<std::uint8_t> is_out) const {
  auto codes = Buffer<std::uint8_t>::zeros(n_rows_);
  for (const std::int32_t f : set) {
    if (is_out[at(f)] != 0) continue;
    const Feature& feature = features_[at(f)];
    BinnedColumn& column = columns[at(f)];
    if (feature.is_packed())
      add_digits(column, feature.code_stride, codes);
    else if (write_away(feature, column, codes) && !keeps_conflicts_)
      is_out[at(f)] = 1;
    if (is_out[at(f)] == 0) column.bins = Buffer<std::uint8_t>();
  }
  return codes;
}

// Run after run of rows; lean bins give the memory of a run of their tracks back before the next.
void Bins::write_groups(const Context& ctx) {
  for (std::int64_t group = 0; group < n_groups(); ++group)
    codes_.emplace_back(n_rows_ * group_stride(group));
  const std::int64_t run_rows = is_lean_ ? kLeanRunRows : std::max<std::int64_t>(n_rows_, 1);
  for (std::int64_t first = 0; first < n_rows_; first += run_rows) {
    const std::int64_t n = std::min(run_rows, n_rows_ - first);
    const Chunks blocks = Chunks::of_rows(n, kCopyRows);
    const double cost = static_cast<double>(n) * static_cast<double>(n_tracks());
    parallel_for(ctx, blocks.count(), cost, [&](std::int64_t block) {
      for (std::int64_t group = 0; group < n_groups(); ++group)
        copy_to_group(group, first + blocks.begin(block), blocks.end(block) - blocks.begin(block));
    });
    for (std::size_t track = 0; is_lean_ && track < columns_.size(); ++track)
      forget_pages(columns_[track].data() + first, n);
  }
  if (is_lean_) columns_.clear();
}

// From tracks to rows of a group, whose bytes beyond the last track are zero.
void Bins::copy_to_group(std::int64_t group, std::int64_t first, std::int64_t n) {
  const std::int64_t stride = group_stride(group);
  std::uint8_t* rows = codes_[at(group)].data() + first * stride;
  for (std::int64_t k = 0; k < stride; ++k) {
    const bool is_there = k < group_tracks(group);
    const std::int64_t track = group * kGroupTracks + (is_there ? k : 0);
    const std::uint8_t* codes = columns_[at(track)].data() + first;
    for (std::int64_t i = 0; i < n; ++i) rows[i * stride + k] = is_there ? codes[i] : 0;
  }
}

}  // namespace gramian::boost
