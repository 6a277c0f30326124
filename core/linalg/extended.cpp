#include "linalg/extended.hpp"

#include <algorithm>
#include <vector>

#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kTileRows = 1024;
constexpr double kEntryNs = 4.0;

struct Sums {
  std::vector<double> high, low;
};

void add(Sums& total, const Sums& next) {
  for (std::size_t j = 0; j < next.high.size(); ++j) {
    const double sum = total.high[j] + next.high[j];
    const double part = sum - total.high[j];
    total.low[j] += (total.high[j] - (sum - part)) + (next.high[j] - part) + next.low[j];
    total.high[j] = sum;
  }
}

}  // namespace

void extended_residuals(const ExtendedRows& rows, double* f, double* g, const Context& ctx) {
  const std::int64_t n = rows.X.n_rows;
  const auto size = static_cast<std::size_t>(rows.X.n_cols + 1);
  const double cost = kEntryNs * static_cast<double>(n) * static_cast<double>(size);
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    Sums sums{std::vector<double>(size), std::vector<double>(size)};
    constexpr std::int64_t kPollRows = 64;
    for (std::int64_t first = begin; first < end; first += kPollRows) {
      ctx.check();
      const std::int64_t last = std::min(first + kPollRows, end);
      GRAMIAN_DISPATCH(extended_primal, rows, first, last, f);
      GRAMIAN_DISPATCH(extended_adjoint, rows, first, last, sums.high.data(), sums.low.data());
    }
    return sums;
  };
  const Sums total = parallel_reduce(ctx, Tiles::of_rows(n, kTileRows), cost, of_tile, add);
  for (std::size_t j = 0; j < size; ++j) g[j] = -(total.high[j] + total.low[j]);
}

}  // namespace gramian::linalg
