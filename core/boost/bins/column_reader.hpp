// The columns of a table, dense or sparse, cut into bins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "boost/bins/feature.hpp"

namespace gramian::boost {

// How bins are chosen.
struct BinPlan {
  std::span<const std::int32_t> n_levels;  // of each column, 0 for numbers; empty: all numbers
  std::int32_t max_bins = kMaxBins;  // of numbers, or of levels: the rarest share the last one
  std::span<const double> weight;    // of rows; empty: one each
  std::span<const std::int32_t> column_bins{};  // max_bins by column; empty: the same for all
  bool absent_is_missing = false;  // whether what sparse tables do not store is, instead of 0

  std::int32_t most_bins(std::int64_t column) const {
    return column_bins.empty() ? max_bins : column_bins[static_cast<std::size_t>(column)];
  }
};

// The bins of one column: of all rows, or of those only that are away from its usual bin.
struct BinnedColumn {
  std::int32_t usual = -1;          // -1: the bins of all rows are listed
  Buffer<std::uint8_t> bins;        // of all rows
  std::vector<std::uint32_t> rows;  // those away from the usual bin, ascending
  std::vector<std::uint8_t> away;   // their bins
  bool has_missing = false;
};

// The bins of all rows.
Buffer<std::uint8_t> expand(BinnedColumn&& column, std::int64_t n_rows);

class ColumnReader {
 public:
  virtual ~ColumnReader() = default;

  // Chooses the bins of all columns from a sample of the rows. Returns the usual bin of each
  // column, which at least half of the rows are in, or -1.
  virtual std::vector<std::int32_t> choose_bins(const BinPlan& plan, std::span<Feature> features,
                                                const Context& ctx) const = 0;

  // The bins of all columns, for those with a usual bin >= 0 of the rows away from it. Columns that
  // are not `wanted` are left empty.
  virtual std::vector<BinnedColumn> read_bins(std::span<const Feature> features,
                                              std::span<const std::int32_t> usual,
                                              std::span<const std::uint8_t> wanted,
                                              const Context& ctx) const = 0;
};

// In a sparse table what is not stored is 0, or missing, and no place is stored twice.
std::unique_ptr<ColumnReader> column_reader(const AnyMatrix& X, bool absent_is_missing,
                                            const Context& ctx);

// What it chooses from; the sparse ones sort the stored values by columns first.
std::unique_ptr<ColumnReader> dense_reader(const MatrixView<const float>& X);
std::unique_ptr<ColumnReader> dense_reader(const MatrixView<const double>& X);
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<float, std::int32_t>& X,
                                            bool absent_is_missing, const Context& ctx);
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<float, std::int64_t>& X,
                                            bool absent_is_missing, const Context& ctx);
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<double, std::int32_t>& X,
                                            bool absent_is_missing, const Context& ctx);
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<double, std::int64_t>& X,
                                            bool absent_is_missing, const Context& ctx);

}  // namespace gramian::boost
