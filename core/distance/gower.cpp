#include "distance/gower.hpp"

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/gower_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kRowsOfPanel = 1024;  // of Y at a time: they stay in the cache

}  // namespace

void gower(MatrixView<const double> X, MatrixView<const double> Y,
           std::span<const std::uint8_t> is_level, MatrixView<double> out, const Context& ctx) {
  const std::int64_t p = Y.n_cols;
  const Chunks chunks = Chunks::of_rows(Y.n_rows, kRowsOfPanel);
  const double cost_ns = (1.0 + static_cast<double>(p)) * 0.6 * static_cast<double>(X.n_rows) *
                         static_cast<double>(Y.n_rows);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task), n = chunks.end(task) - begin;
    const std::int64_t stride = (n + kLanes - 1) / kLanes * kLanes;
    Buffer<double> entries = Buffer<double>::zeros(p * stride);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k < p; ++k) entries[k * stride + j] = Y(begin + j, k);
    const GowerRows rows{entries.data(), is_level.data(), p, stride};
    std::vector<double> x(at(p)), distances(at(stride));
    for (std::int64_t i = 0; i < X.n_rows; ++i) {
      ctx.check();
      for (std::int64_t k = 0; k < p; ++k) x[at(k)] = X(i, k);
      GRAMIAN_DISPATCH(gower_distances, rows, x.data(), distances.data());
      for (std::int64_t j = 0; j < n; ++j) out(i, begin + j) = distances[at(j)];
    }
  });
}

}  // namespace gramian::distance
