#include "tree/columns/bins.hpp"

#include <algorithm>
#include <numeric>

#include "parallel/parallel_for.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {
namespace {

// The last codes of bins of like weight.
std::vector<std::uint32_t> cuts_of(std::span<const Record> records, std::uint32_t n_codes,
                                   std::span<const double> weight, std::int64_t max_bins) {
  std::vector<std::uint32_t> cuts;
  if (n_codes <= max_bins) {
    cuts.resize(std::max<std::uint32_t>(n_codes, 1) - 1);
    std::iota(cuts.begin(), cuts.end(), 0u);
    return cuts;
  }
  std::vector<double> below(n_codes, 0.0);  // the weight of a code and those below it
  for (const Record& record : records)
    if (record.code < n_codes) below[record.code] += weight.empty() ? 1.0 : weight[record.row];
  std::partial_sum(below.begin(), below.end(), below.begin());
  auto found = below.begin();
  for (std::int64_t k = 1; k < max_bins; ++k) {
    const double wanted = below.back() * static_cast<double>(k) / static_cast<double>(max_bins);
    found = std::lower_bound(found, below.end(), wanted);
    const auto code = std::min(static_cast<std::uint32_t>(found - below.begin()), n_codes - 2);
    if (cuts.empty() || cuts.back() != code) cuts.push_back(code);
  }
  return cuts;
}

Bins number_bins(const Columns& columns, std::int64_t feature, std::span<const double> weight,
                 std::int64_t max_bins) {
  const std::span<const Record> records = columns.sorted(feature);
  Bins bins;
  bins.last_codes = cuts_of(records, columns[feature].missing_code, weight, max_bins);
  bins.n_bins = static_cast<std::uint32_t>(bins.last_codes.size()) + 1;
  for (const std::uint32_t last : bins.last_codes) {
    const auto next = std::partition_point(records.begin(), records.end(),
                                           [&](const Record& r) { return r.code <= last; });
    bins.thresholds.push_back(threshold_between(columns.value((next - 1)->row, feature),
                                                columns.value(next->row, feature)));
  }
  return bins;
}

}  // namespace

std::vector<Bins> bins_of(const Columns& columns, std::span<const double> weight,
                          std::int64_t max_bins, const Context& ctx) {
  std::vector<Bins> bins(static_cast<std::size_t>(columns.n_features()));
  const double cost = 2.0 * static_cast<double>(columns.n_rows() * columns.n_features());
  parallel_for(ctx, columns.n_features(), cost, [&](std::int64_t f) {
    Bins& own = bins[static_cast<std::size_t>(f)];
    const Column& column = columns[f];
    if (column.n_levels > 0) {
      own.n_bins = static_cast<std::uint32_t>(column.n_levels);
      own.are_levels = true;
    } else {
      own = number_bins(columns, f, weight, max_bins);
    }
    own.has_missing = column.has_missing;
  });
  return bins;
}

}  // namespace gramian::tree
