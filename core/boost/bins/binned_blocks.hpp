// The bins of rows that come in blocks: the numbers of a block are cut and forgotten.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "boost/bins/column_reader.hpp"
#include "boost/bins/feature.hpp"

namespace gramian::boost {

// One byte for each row and column until they become `Bins`, which have those of the same table in
// memory.
class BinnedBlocks {
 public:
  // Chooses the bins of a table of n_rows rows from its rows of `sample_rows`, which `sample` holds
  // in that order; the weights of the plan are theirs.
  BinnedBlocks(const AnyDense& sample, const BinPlan& plan, std::int64_t n_rows,
               const Context& ctx);
  // For n_rows rows in bins that were chosen before. Columns that are not `wanted` are left empty.
  BinnedBlocks(std::vector<Feature> features, std::vector<std::int32_t> usual,
               std::vector<std::uint8_t> wanted, bool is_double, std::int64_t n_rows);
  BinnedBlocks(const BinnedBlocks&) = delete;
  BinnedBlocks& operator=(const BinnedBlocks&) = delete;
  BinnedBlocks(BinnedBlocks&&) = default;

  // Cuts rows of the block, the i-th of which is row places[i] of the table.
  void write(const AnyDense& block, std::span<const std::int64_t> rows,
             std::span<const std::int64_t> places, const Context& ctx);

  std::int64_t n_rows() const { return n_rows_; }
  std::int64_t n_features() const { return static_cast<std::int64_t>(features_.size()); }
  bool is_double() const { return is_double_; }
  std::vector<Feature> features() const { return features_; }
  // The columns, which are here no longer.
  std::vector<BinnedColumn> take_columns(const Context& ctx);

 private:
  void allocate();
  template <class T>
  void write_rows(const MatrixView<const T>& block, std::span<const std::int64_t> rows,
                  std::span<const std::int64_t> places, const Context& ctx);

  std::vector<Feature> features_;
  std::vector<std::int32_t> usual_;
  std::vector<std::uint8_t> wanted_;
  bool is_double_;
  std::int64_t n_rows_, n_written_ = 0;
  std::vector<Buffer<std::uint8_t>> bins_;  // of each column
  std::vector<std::uint8_t> has_missing_;
};

}  // namespace gramian::boost
