// Categorical columns as numbers: what the target was on the rows of the same level.
//
// A row that counts itself in the mean of its level tells the model its own target. Ordered target
// statistics (Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features", 2018)
// put the rows in a random order, and each sees those before it only:
//   statistic = (sum of w y before + strength * prior) / (sum of w before + strength).
// New rows see all rows. A level is a number from 0 on; cell n_levels is that of missing values, a
// level like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::boost {

struct Smoothing {
  double prior = 0.0;
  double strength = 1.0;  // rows that the prior counts for; above 0
};

// Rows with their levels, column after column, and what is averaged.
struct LevelRows {
  MatrixView<const std::int32_t> codes;    // columns x rows, from 0 to n_levels
  std::span<const std::int32_t> n_levels;  // of each column
  std::span<const double> target;
  std::span<const double> weight;  // may be empty

  std::int64_t n_rows() const { return codes.n_cols; }
  std::int64_t n_columns() const { return codes.n_rows; }
  double weight_of(std::size_t row) const { return weight.empty() ? 1.0 : weight[row]; }
};

// Row numbers in a random order, a function of n and the seed.
std::vector<std::uint32_t> random_order(std::int64_t n, std::uint64_t seed);

// out: columns x rows; a row that is not in the order keeps what is there. O(n) for each column.
template <class T>
void ordered_statistics(const LevelRows& rows, std::span<const std::uint32_t> order,
                        const Smoothing& smoothing, MatrixView<T> out, const Context& ctx);

// Sum of w (y - ordered statistic)^2 of each column over the rows of the order.
std::vector<double> ordered_errors(const LevelRows& rows, std::span<const std::uint32_t> order,
                                   const Smoothing& smoothing, const Context& ctx);

// The pairs of levels that occur in two columns, as keys first * (n_second + 1) + second,
// ascending.
std::vector<std::int64_t> pair_keys(std::span<const std::int32_t> first,
                                    std::span<const std::int32_t> second, std::int32_t n_first,
                                    std::int32_t n_second);

// The place of each row's pair among the keys, which ascend; their number where it is none of them.
void pair_codes(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                std::int32_t n_second, std::span<const std::int64_t> keys,
                std::span<std::int32_t> codes);

}  // namespace gramian::boost
