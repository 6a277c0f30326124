#include "boost/bins/binned_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "boost/bins/quantiser.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kBatchRows = 256;  // rows whose bins are found together

AnyMatrix any_of(const AnyDense& X) {
  return std::visit([](const auto& view) { return AnyMatrix(view); }, X);
}

// Lists the rows away from the usual bin, and forgets the others.
BinnedColumn listed(const Buffer<std::uint8_t>& bins, std::int32_t usual) {
  BinnedColumn column;
  column.usual = usual;
  const std::uint8_t* all = bins.data();
  const auto n_away =
      bins.size() - std::count(all, all + bins.size(), static_cast<std::uint8_t>(usual));
  column.rows.reserve(at(n_away));
  column.away.reserve(at(n_away));
  for (std::int64_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == usual) continue;
    column.rows.push_back(static_cast<std::uint32_t>(i));
    column.away.push_back(bins[i]);
  }
  return column;
}

}  // namespace

BinnedBlocks::BinnedBlocks(const AnyDense& sample, const BinPlan& plan, std::int64_t n_rows,
                           const Context& ctx)
    : features_(at(n_cols_of(sample))),
      wanted_(features_.size(), 1),
      is_double_(gramian::holds_doubles(sample)),
      n_rows_(n_rows) {
  usual_ =
      column_reader(any_of(sample), plan.absent_is_missing, ctx)->choose_bins(plan, features_, ctx);
  allocate();
}

BinnedBlocks::BinnedBlocks(std::vector<Feature> features, std::vector<std::int32_t> usual,
                           std::vector<std::uint8_t> wanted, bool is_double, std::int64_t n_rows)
    : features_(std::move(features)),
      usual_(std::move(usual)),
      wanted_(std::move(wanted)),
      is_double_(is_double),
      n_rows_(n_rows) {
  allocate();
}

void BinnedBlocks::allocate() {
  bins_.resize(features_.size());
  has_missing_.resize(features_.size());
  for (std::size_t f = 0; f < features_.size(); ++f)
    if (wanted_[f] != 0) bins_[f] = Buffer<std::uint8_t>::zeros(n_rows_);
}

void BinnedBlocks::write(const AnyDense& block, std::span<const std::int64_t> rows,
                         std::span<const std::int64_t> places, const Context& ctx) {
  n_written_ += static_cast<std::int64_t>(places.size());
  std::visit([&](const auto& view) { write_rows(view, rows, places, ctx); }, block);
}

template <class T>
void BinnedBlocks::write_rows(const MatrixView<const T>& block, std::span<const std::int64_t> rows,
                              std::span<const std::int64_t> places, const Context& ctx) {
  const auto n = static_cast<std::int64_t>(rows.size());
  const double cost = 5.0 * static_cast<double>(n) * static_cast<double>(features_.size());
  // A column is one thread's: rows may be written at any places.
  parallel_for(ctx, static_cast<std::int64_t>(features_.size()), cost, [&](std::int64_t f) {
    if (wanted_[at(f)] == 0) return;
    const Quantiser<T> quantiser(features_[at(f)]);
    std::uint8_t* bins = bins_[at(f)].data();
    std::array<T, kBatchRows> values;
    std::array<std::uint8_t, kBatchRows> found;
    bool has_missing = false;
    for (std::int64_t begin = 0; begin < n; begin += kBatchRows) {
      if (begin % (kBatchRows << 6) == 0) ctx.check();
      const std::int64_t m = std::min(kBatchRows, n - begin);
      for (std::int64_t i = 0; i < m; ++i) values[at(i)] = block(rows[at(begin + i)], f);
      has_missing |= quantiser.write(values.data(), m, found.data());
      for (std::int64_t i = 0; i < m; ++i) bins[places[at(begin + i)]] = found[at(i)];
    }
    if (has_missing) has_missing_[at(f)] = 1;
  });
}

std::vector<BinnedColumn> BinnedBlocks::take_columns(const Context& ctx) {
  if (n_written_ != n_rows_)
    throw InvalidArgument("not all rows were cut into bins, or some twice");
  std::vector<BinnedColumn> columns(features_.size());
  const double cost = static_cast<double>(n_rows_) * static_cast<double>(features_.size());
  parallel_for(ctx, static_cast<std::int64_t>(features_.size()), cost, [&](std::int64_t f) {
    if (wanted_[at(f)] == 0) return;
    BinnedColumn& column = columns[at(f)];
    Buffer<std::uint8_t> bins = std::move(bins_[at(f)]);
    if (usual_[at(f)] >= 0)
      column = listed(bins, usual_[at(f)]);
    else
      column.bins = std::move(bins);
    column.has_missing = has_missing_[at(f)] != 0;
  });
  return columns;
}

}  // namespace gramian::boost
