#include "solve/nmf/sweeps.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "parallel/tiles.hpp"
#include "solve/nmf/sweep_kernel.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kTileRows = 256;

}  // namespace

double sweep_rows(MatrixView<const double> gram, MatrixView<const double> cross,
                  std::span<const std::int64_t> order, std::int64_t n_sweeps, double shrink,
                  MatrixView<double> factor, const Context& ctx) {
  const std::int64_t k = gram.n_rows;
  Buffer<double> dense(k * k), inverse(k);
  for (std::int64_t t = 0; t < k; ++t) {
    for (std::int64_t r = 0; r < k; ++r) dense[t * k + r] = gram(t, r);
    inverse[t] = gram(t, t) != 0.0 ? 1.0 / gram(t, t) : 0.0;
  }
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    double violation = 0.0;
    auto right = Buffer<double>::zeros(k * kSweepRows),
         rows = Buffer<double>::zeros(k * kSweepRows);
    for (std::int64_t begin = first; begin < last; begin += kSweepRows) {
      ctx.check();
      const std::int64_t n = std::min(kSweepRows, last - begin);
      // Lanes without a row have c = w = 0: they stay there.
      if (n < kSweepRows) {
        std::fill_n(right.data(), k * kSweepRows, 0.0);
        std::fill_n(rows.data(), k * kSweepRows, 0.0);
      }
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t t = 0; t < k; ++t) {
          right[t * kSweepRows + i] = cross(begin + i, t);
          rows[t * kSweepRows + i] = factor(begin + i, t);
        }
      SweepBlock block{k,      dense.data(), inverse.data(), order.data(), n_sweeps,
                       shrink, right.data(), rows.data(),    0.0};
      GRAMIAN_DISPATCH(sweep_block, block);
      violation += block.violation;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t t = 0; t < k; ++t) factor(begin + i, t) = rows[t * kSweepRows + i];
    }
    return violation;
  };
  const double cost_ns = static_cast<double>(factor.n_rows) * static_cast<double>(k) *
                         (2.0 + 0.1 * static_cast<double>(k * n_sweeps));
  return parallel_reduce(ctx, Tiles::of_rows(factor.n_rows, kTileRows), cost_ns, of_tile,
                         [](double& total, double next) { total += next; });
}

}  // namespace gramian::solve
