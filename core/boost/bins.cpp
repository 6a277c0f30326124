#include "boost/bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/ordered_bits.hpp"
#include "boost/edges.hpp"
#include "boost/quantise_kernel.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kSampleRows = 200'000;  // edges come from so many rows
constexpr std::int64_t kBatch = 8;             // columns whose samples are read together
constexpr std::int64_t kCodeRows = 256;        // rows whose codes are written together
constexpr std::uint16_t kSamplePurpose = 10;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// One row out of each of equally many neighbours; all rows if they are few. Rows of no weight do
// not count.
std::vector<std::uint32_t> sample_rows(std::int64_t n_rows, std::span<const double> weight) {
  std::vector<std::uint32_t> rows;
  const std::int64_t m = std::min(n_rows, kSampleRows);
  Stream stream(0, 0, kSamplePurpose);
  for (std::int64_t i = 0; i < m; ++i) {
    const std::int64_t first = i * n_rows / m, next = (i + 1) * n_rows / m;
    const std::int64_t row = m == n_rows ? i
                                         : first + static_cast<std::int64_t>(stream.below(
                                                       static_cast<std::uint64_t>(next - first)));
    if (weight.empty() || weight[at(row)] > 0.0) rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

template <class Key>
struct Weighted {
  Key key;
  double weight;
};

// The distinct numbers among the sampled values, ascending, with their weights.
template <class T>
std::vector<Distinct> distinct_values(std::span<const T> values, std::span<const double> weight,
                                      const Context& ctx) {
  using Key = decltype(ordered_bits(T{}));
  std::vector<Weighted<Key>> records;
  records.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]))
      records.push_back({ordered_bits(values[i]), weight.empty() ? 1.0 : weight[i]});
  std::vector<Weighted<Key>> scratch(records.size());
  const auto key_of = [](const Weighted<Key>& record) { return record.key; };
  const metrics::RadixSort<Weighted<Key>, decltype(key_of)> sort(key_of, ctx);
  sort(records.data(), scratch.data(), static_cast<std::int64_t>(records.size()),
       std::numeric_limits<Key>::digits);
  std::vector<Distinct> distinct;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i == 0 || records[i].key != records[i - 1].key)
      distinct.push_back({static_cast<double>(from_ordered_bits(records[i].key)), 0.0});
    distinct.back().weight += records[i].weight;
  }
  return distinct;
}

template <class T>
bool is_level(T value, std::int32_t n_levels) {
  return value >= T{0} && value < static_cast<T>(n_levels);
}

template <class T>
void bin_levels(std::span<const T> values, std::span<const double> weight, std::int32_t max_bins,
                Feature& feature) {
  std::vector<double> sums(at(feature.n_levels));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_level(values[i], feature.n_levels))
      sums[static_cast<std::size_t>(values[i])] += weight.empty() ? 1.0 : weight[i];
  feature.n_bins = choose_level_bins(sums, max_bins, feature.bin_of_level);
}

// The table of edges of one column for write_bins.
template <class T>
std::array<T, kEdgeTable> edge_table(const Feature& feature) {
  std::array<T, kEdgeTable> table;
  table.fill(std::numeric_limits<T>::infinity());
  for (std::size_t i = 0; i < feature.edges.size(); ++i) {
    auto edge = static_cast<T>(feature.edges[i]);
    // x <= edge for a float x if x is not above the largest float that is not above the edge.
    if (static_cast<double>(edge) > feature.edges[i])
      edge = std::nextafter(edge, -std::numeric_limits<T>::infinity());
    table[i] = edge;
  }
  return table;
}

// Writes the codes of a column for a block of rows.
template <class T>
class CodeWriter {
 public:
  explicit CodeWriter(const Feature& feature) : feature_(feature), table_(edge_table<T>(feature)) {
    for (std::int32_t bin = 0; bin <= feature.n_bins; ++bin)
      code_of_bin_[at(bin)] = static_cast<std::uint8_t>(feature.code_of(bin));
  }

  // `values` are those of n <= kCodeRows rows; whether one of them is missing.
  bool write(const T* values, std::int64_t n, std::uint8_t* codes) const {
    std::array<std::uint8_t, kCodeRows> bins;
    const auto missing = static_cast<std::uint8_t>(feature_.n_bins);
    if (feature_.is_categorical()) {
      for (std::int64_t i = 0; i < n; ++i)
        bins[at(i)] = is_level(values[i], feature_.n_levels)
                          ? feature_.bin_of_level[static_cast<std::size_t>(values[i])]
                          : missing;
    } else {
      GRAMIAN_DISPATCH(write_bins, values, n, table_.data(),
                       static_cast<int>(feature_.edges.size()), missing, bins.data());
    }
    bool has_missing = false;
    for (std::int64_t i = 0; i < n; ++i) has_missing |= bins[at(i)] == missing;
    if (!feature_.is_bundled()) {
      for (std::int64_t i = 0; i < n; ++i) codes[i] = bins[at(i)];
    } else {
      for (std::int64_t i = 0; i < n; ++i)
        if (bins[at(i)] != feature_.usual_bin) codes[i] = code_of_bin_[bins[at(i)]];
    }
    return has_missing;
  }

 private:
  const Feature& feature_;
  std::array<T, kEdgeTable> table_;
  std::array<std::uint8_t, kMaxCodes> code_of_bin_{};
};

}  // namespace

Bins::Bins(const Features& X, std::span<const std::int32_t> n_levels, std::int32_t max_bins,
           std::span<const double> weight, const Context& ctx) {
  std::visit(
      [&]<class T>(const MatrixView<const T>& matrix) {
        n_rows_ = matrix.n_rows;
        is_double_ = std::is_same_v<T, double>;
        features_.resize(at(matrix.n_cols));
        const std::vector<std::uint32_t> rows = sample_rows(n_rows_, weight);
        std::vector<double> sample_weight;
        if (!weight.empty())
          for (const std::uint32_t row : rows) sample_weight.push_back(weight[row]);
        const Chunks batches = Chunks::of_rows(matrix.n_cols, kBatch);
        const double cost =
            40.0 * static_cast<double>(rows.size()) * static_cast<double>(matrix.n_cols);
        parallel_for(ctx, batches.count(), cost, [&](std::int64_t batch) {
          const std::int64_t first = batches.begin(batch), n = batches.end(batch) - first;
          std::vector<T> values(rows.size() * at(n));
          for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::int64_t j = 0; j < n; ++j)
              values[at(j) * rows.size() + i] = matrix(rows[i], first + j);
          for (std::int64_t j = 0; j < n; ++j) {
            Feature& feature = features_[at(first + j)];
            feature.n_levels = n_levels.empty() ? 0 : n_levels[at(first + j)];
            const std::span<const T> column{values.data() + at(j) * rows.size(), rows.size()};
            if (feature.is_categorical()) {
              bin_levels(column, sample_weight, max_bins, feature);
            } else {
              feature.edges = choose_edges(distinct_values(column, sample_weight, ctx), max_bins);
              feature.n_bins = static_cast<std::int32_t>(feature.edges.size()) + 1;
            }
          }
        });
      },
      X);
  if (n_rows_ >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("boosting takes fewer than 2^31 rows");
  place_tracks();
  write_codes(X, ctx);
}

Bins::Bins(const Bins& like, const Features& X, const Context& ctx)
    : is_double_(like.is_double_),
      features_(like.features_),
      n_codes_(like.n_codes_),
      first_cells_(like.first_cells_) {
  std::visit([&](const auto& matrix) { n_rows_ = matrix.n_rows; }, X);
  write_codes(X, ctx);
}

void Bins::place_tracks() {
  for (Feature& feature : features_) {
    feature.track = static_cast<std::int32_t>(n_codes_.size());
    n_codes_.push_back(feature.n_bins + 1);
  }
  first_cells_.assign(1, 0);
  for (const std::int32_t n_codes : n_codes_)
    first_cells_.push_back(first_cells_.back() + (n_codes + 7) / 8 * 8);
}

void Bins::write_codes(const Features& X, const Context& ctx) {
  for (std::int64_t group = 0; group < n_groups(); ++group)
    codes_.emplace_back(n_rows_ * group_stride(group));
  columns_ = Buffer<std::uint8_t>::zeros(n_tracks() * n_rows_);
  std::visit(
      [&]<class T>(const MatrixView<const T>& matrix) {
        std::vector<CodeWriter<T>> writers;
        for (const Feature& feature : features_) writers.emplace_back(feature);
        const Chunks blocks = Chunks::of_rows(n_rows_, kCodeRows);
        const double cost = 4.0 * static_cast<double>(n_rows_) * static_cast<double>(n_features());
        std::vector<std::vector<std::uint8_t>> missing(at(blocks.count()));
        parallel_for(ctx, blocks.count(), cost, [&](std::int64_t block) {
          const std::int64_t first = blocks.begin(block), n = blocks.end(block) - first;
          auto& found = missing[at(block)];
          found.resize(features_.size());
          std::array<T, kCodeRows> values;
          for (std::int64_t f = 0; f < n_features(); ++f) {
            for (std::int64_t i = 0; i < n; ++i) values[at(i)] = matrix(first + i, f);
            std::uint8_t* codes = columns_.data() + features_[at(f)].track * n_rows_ + first;
            found[at(f)] = writers[at(f)].write(values.data(), n, codes);
          }
          copy_to_groups(first, n);
        });
        for (const auto& found : missing)
          for (std::size_t f = 0; f < found.size(); ++f)
            features_[f].has_missing = features_[f].has_missing || found[f] != 0;
      },
      X);
}

// From tracks to rows of groups, whose bytes beyond the last track are zero.
void Bins::copy_to_groups(std::int64_t first, std::int64_t n) {
  for (std::int64_t group = 0; group < n_groups(); ++group) {
    const std::int64_t stride = group_stride(group);
    std::uint8_t* rows = codes_[at(group)].data() + first * stride;
    for (std::int64_t k = 0; k < stride; ++k) {
      const bool is_there = k < group_tracks(group);
      const std::int64_t track = group * kGroupTracks + (is_there ? k : 0);
      const std::uint8_t* codes = columns_.data() + track * n_rows_ + first;
      for (std::int64_t i = 0; i < n; ++i) rows[i * stride + k] = is_there ? codes[i] : 0;
    }
  }
}

}  // namespace gramian::boost
