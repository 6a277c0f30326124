#include "manifold/smacof.hpp"

#include "base/buffer.hpp"
#include "manifold/smacof_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kTileRows = 16;

Buffer<double> planes_of(MatrixView<const double> X, std::int64_t ld) {
  auto planes = Buffer<double>::zeros(X.n_cols * ld);
  for (std::int64_t c = 0; c < X.n_cols; ++c)
    for (std::int64_t i = 0; i < X.n_rows; ++i) planes[c * ld + i] = X(i, c);
  return planes;
}

}  // namespace

Stress smacof_pass(MatrixView<const double> disparities, MatrixView<const double> X,
                   MatrixView<double> next, MatrixView<double> distances, const Context& ctx) {
  const std::int64_t n = X.n_rows, n_planes = X.n_cols, ld = (n + kLanes - 1) / kLanes * kLanes;
  const Buffer<double> planes = planes_of(X, ld);
  const SmacofPoints points{planes.data(), ld, n_planes, n};
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  const auto of_rows = [&](std::int64_t begin, std::int64_t end) {
    Buffer<double> sums(n_planes * (kLanes + 1));
    Stress stress;
    for (std::int64_t i = begin; i < end; ++i) {
      double* row = distances.data ? &distances(i, 0) : nullptr;
      const SmacofSums found = GRAMIAN_DISPATCH(smacof_row, points, i, &disparities(i, 0),
                                                sums.data() + n_planes * kLanes, row, sums.data());
      for (std::int64_t c = 0; c < n_planes; ++c)
        next(i, c) = sums[n_planes * kLanes + c] / static_cast<double>(n);
      stress.raw += found.stress;
      stress.squares += found.squares;
    }
    return stress;
  };
  const auto add = [](Stress& total, const Stress& more) {
    total.raw += more.raw;
    total.squares += more.squares;
  };
  const double cost_ns = pairs * (1.5 + 0.3 * static_cast<double>(n_planes));
  const Stress both = parallel_reduce(ctx, Tiles::of_rows(n, kTileRows), cost_ns, of_rows, add);
  return {0.5 * both.raw, 0.5 * both.squares};
}

}  // namespace gramian::manifold
