#include "bayes/levels.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"

namespace gramian::bayes {
namespace {

// The row of a table of all levels, or -1 for a missing value.
std::int64_t place_of(const LevelRows& rows, std::int64_t i, std::int64_t j) {
  const std::int32_t code = rows.codes(i, j);
  const std::int64_t begin = rows.first[at(j)];
  if (code >= rows.first[at(j + 1)] - begin)
    throw InvalidArgument("a code is no level of its column");
  return code < 0 ? -1 : begin + code;
}

}  // namespace

void level_counts(const LevelRows& rows, std::span<const std::int64_t> classes,
                  std::span<const double> weight, MatrixView<double> counts, const Context& ctx) {
  constexpr std::int64_t kRowsBetweenChecks = 1 << 16;
  const std::int64_t n = rows.codes.n_rows, k = counts.n_cols;
  for (const std::int64_t code : classes)
    if (code < 0 || code >= k) throw InvalidArgument("the codes must be numbers of classes");
  std::fill_n(counts.data, counts.n_rows * k, 0.0);
  const double cost_ns = 2.0 * static_cast<double>(n * rows.codes.n_cols);
  parallel_for(ctx, rows.codes.n_cols, cost_ns, [&](std::int64_t j) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % kRowsBetweenChecks == 0) ctx.check();
      const std::int64_t level = place_of(rows, i, j);
      if (level >= 0) counts(level, classes[at(i)]) += weight.empty() ? 1.0 : weight[at(i)];
    }
  });
}

void level_answers(const LevelRows& rows, MatrixView<const double> table,
                   std::span<const double> constant, const Asked<double>& asked,
                   const Context& ctx) {
  const std::int64_t k = table.n_cols;
  const double cost_ns = static_cast<double>(rows.codes.n_rows * rows.codes.n_cols) *
                         (1.0 + 0.3 * static_cast<double>(k));
  const auto make_reader = [&] {
    return [&, sums = Buffer<double>(JointBlock::kMostRows * k)](
               std::int64_t begin, std::int64_t end, double* joint) mutable {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::int64_t j = 0; j < rows.codes.n_cols; ++j)
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t level = place_of(rows, i, j);
          if (level < 0) continue;
          double* sum = sums.data() + (i - begin) * k;
          const double* terms = &table(level, 0);
          for (std::int64_t c = 0; c < k; ++c) sum[c] += terms[c];
        }
      for (std::int64_t i = 0; i < end - begin; ++i)
        for (std::int64_t c = 0; c < k; ++c)
          joint[c * JointBlock::kMostRows + i] = sums[i * k + c] + constant[at(c)];
    };
  };
  answer_rows(rows.codes.n_rows, asked, cost_ns, ctx, make_reader);
}

}  // namespace gramian::bayes
