// Which columns may share a track: exclusive ones, and small ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/bins/column_reader.hpp"
#include "boost/bins/feature.hpp"

namespace gramian::boost {

// A column in which few rows are away from the usual bin.
struct SparseColumn {
  std::int32_t feature;
  std::int32_t n_codes;                 // bins other than the usual one
  std::span<const std::uint32_t> rows;  // away from the usual bin
};

// Sets of columns of which hardly two are away from their usual bins in the same row: in no row, or
// in `max_conflicts` rows of a set. Greedy: the fullest columns come first, and each one joins the
// first set that takes it (Ke et al., 2017). Columns that fit nowhere are sets of their own. The
// search of a column is bounded, so that ten thousand columns and more are no trouble.
std::vector<std::vector<std::int32_t>> exclusive_sets(std::vector<SparseColumn> columns,
                                                      std::int64_t n_rows,
                                                      std::int64_t max_conflicts,
                                                      const Context& ctx);

// Sets of two or more columns of few bins whose combinations are at most kMaxCodes; columns that
// are in no set are left out.
std::vector<std::vector<std::int32_t>> small_sets(std::span<const std::int32_t> columns,
                                                  std::span<const Feature> features);

}  // namespace gramian::boost
