// Classes with a table of probabilities for the levels of each column.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "bayes/posterior.hpp"

namespace gramian::bayes {

// The levels of all columns one after the other: those of column j from first[j] on. A code below 0
// is a missing value, whose factor is left out; others than levels of the column throw.
struct LevelRows {
  MatrixView<const std::int32_t> codes;
  std::span<const std::int64_t> first;  // n_cols + 1 entries
};

// counts(level, c) = weight of the rows of class c with that level (C order). Columns are the
// tasks.
void level_counts(const LevelRows& rows, std::span<const std::int64_t> classes,
                  std::span<const double> weight, MatrixView<double> counts, const Context& ctx);

// log P(c, x) = constant_c + sum_j table(level of x_j, c); table in C order.
void level_answers(const LevelRows& rows, MatrixView<const double> table,
                   std::span<const double> constant, const Asked<double>& asked,
                   const Context& ctx);

}  // namespace gramian::bayes
