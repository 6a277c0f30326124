#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/neighbours.hpp"
#include "distance/tiles.hpp"

namespace gramian::distance {
namespace {

constexpr double kNanosecondsOfChoice = 5.0;  // for each distance that the k-th is chosen from

// The squared distances of a tile's rows to all rows of Y, adjacent for each.
void fill_rows(const ChunkOfRows& chunk, const PackedRows& Y, Buffer<double>& squares,
               const Context& ctx) {
  alignas(kCacheLine) double tile[kTileRows * kTileCols];
  for (std::int64_t col = 0; col < Y.n_rows(); col += kTileCols) {
    ctx.check();
    const TileOperands operands = Y.operands(chunk.row(0), chunk.norm(0), col);
    GRAMIAN_DISPATCH(compute_tile, operands, tile);
    const std::int64_t n = std::min<std::int64_t>(kTileCols, Y.n_rows() - col);
    for (std::int64_t i = 0; i < kTileRows; ++i)
      std::copy_n(tile + i * kTileCols, n, squares.data() + i * Y.n_rows() + col);
  }
}

}  // namespace

template <class T>
void kth_distances(MatrixView<const T> X, std::int64_t k, std::span<double> out,
                   const Context& ctx) {
  if (k < 1 || k > X.n_rows) throw InvalidArgument("k must be between 1 and the number of rows");
  const Measure measure{Metric::sqeuclidean};
  const PackedRows Y(measure, X, ctx);
  const std::int64_t n_tasks = (X.n_rows + kTileRows - 1) / kTileRows;
  const double pairs = static_cast<double>(X.n_rows) * static_cast<double>(X.n_rows);
  const double cost_ns = tiles_cost_ns(Y, X.n_rows) + kNanosecondsOfChoice * pairs;
  parallel_for(ctx, n_tasks, cost_ns, [&](std::int64_t task) {
    const std::int64_t first = task * kTileRows, last = std::min(first + kTileRows, X.n_rows);
    const ChunkOfRows chunk(measure, X.rows(first, last));
    Buffer<double> squares(kTileRows * X.n_rows);
    fill_rows(chunk, Y, squares, ctx);
    for (std::int64_t i = first; i < last; ++i) {
      ctx.check();
      double* begin = squares.data() + (i - first) * X.n_rows;
      std::nth_element(begin, begin + k - 1, begin + X.n_rows);
      out[at(i)] = std::sqrt(begin[k - 1]);
    }
  });
}

template void kth_distances(MatrixView<const float>, std::int64_t, std::span<double>,
                            const Context&);
template void kth_distances(MatrixView<const double>, std::int64_t, std::span<double>,
                            const Context&);

}  // namespace gramian::distance
