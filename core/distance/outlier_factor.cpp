#include "distance/outlier_factor.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr double kLeastDistance = 1e-10;
constexpr std::int64_t kRowsPerTask = 512;

// function(i) for each row of a matrix of neighbours, which it reads once.
template <class Function>
void for_each_row(MatrixView<const std::int64_t> index, const Context& ctx,
                  const Function& function) {
  const Chunks chunks = Chunks::of_rows(index.n_rows, kRowsPerTask);
  const double cost_ns = 3.0 * static_cast<double>(index.n_rows * index.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) function(i);
  });
}

}  // namespace

void reachability_density(MatrixView<const double> distance, MatrixView<const std::int64_t> index,
                          std::span<const double> k_distance, std::span<double> density,
                          const Context& ctx) {
  const auto k = static_cast<double>(index.n_cols);
  for_each_row(index, ctx, [&](std::int64_t i) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < index.n_cols; ++c)
      sum += std::max(distance(i, c), k_distance[at(index(i, c))]);
    density[at(i)] = 1.0 / (sum / k + kLeastDistance);
  });
}

void outlier_factors(MatrixView<const std::int64_t> index, std::span<const double> density,
                     std::span<const double> own_density, std::span<double> factor,
                     const Context& ctx) {
  const auto k = static_cast<double>(index.n_cols);
  for_each_row(index, ctx, [&](std::int64_t i) {
    double sum = 0.0;
    for (std::int64_t c = 0; c < index.n_cols; ++c) sum += density[at(index(i, c))];
    factor[at(i)] = sum / k / own_density[at(i)];
  });
}

}  // namespace gramian::distance
