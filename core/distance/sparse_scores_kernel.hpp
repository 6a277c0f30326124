// Scores of some sparse queries against sparse rows, of which only the low ones are kept.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::distance {

inline constexpr int kSparseQueries = 16;

// Queries side by side: the entry of query q in column c stands at
// entries[slots[c] * kSparseQueries + q]. Columns that no query has share slot 0, of zeros.
struct SparseQueries {
  const double* entries;
  const std::int32_t* slots;
  const double* norms;   // ||x||^2
  const double* limits;  // NaN where there is no query
};

struct LowScore {
  std::int64_t row;
  std::int32_t query;
  double score;
};

}  // namespace gramian::distance

namespace gramian {

// The pairs of rows first .. last of a CSR matrix and queries whose score ||x||^2 + ||y||^2 - 2 x'y
// is at most the query's limit, row by row; how many. There must be room for all pairs.
GRAMIAN_DECLARE_KERNEL(std::int64_t find_low_scores(
    const distance::SparseQueries& queries, const double* values, const std::int32_t* indices,
    const std::int32_t* indptr, const double* norms, std::int64_t first, std::int64_t last,
    distance::LowScore* found))
GRAMIAN_DECLARE_KERNEL(std::int64_t find_low_scores(
    const distance::SparseQueries& queries, const double* values, const std::int64_t* indices,
    const std::int64_t* indptr, const double* norms, std::int64_t first, std::int64_t last,
    distance::LowScore* found))

}  // namespace gramian
