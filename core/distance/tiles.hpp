// Distances between the rows of X and those of Y, tile by tile, without the matrix of all of them.
//
// Y is packed once, O(n p) doubles; the rows of X are packed in chunks of kChunkRows, one task
// each. A task computes tiles of kTileRows x kTileCols, which stay in the L1 cache, and shows each
// to its visitor: all tiles of one row go to the same visitor, in the order of the columns. Neither
// the distances nor that order depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/tile_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {

inline constexpr std::int64_t kChunkRows = 128;  // a multiple of kTileRows

struct Measure {
  Metric metric = Metric::euclidean;
  double power = 2.0;  // of minkowski, at least 1
};

// Distances of the rows first_row .. and the columns first_col ..; row i starts at
// values + i * kTileCols.
struct Tile {
  const double* values;
  std::int64_t first_row;
  std::int64_t n_rows;
  std::int64_t first_col;
  std::int64_t n_cols;
};

// The rows of Y in panels, with their squared norms where the metric uses them.
class PackedRows {
 public:
  template <class T>
  PackedRows(const Measure& measure, MatrixView<const T> Y, const Context& ctx);

  const Measure& measure() const { return measure_; }
  std::int64_t n_rows() const { return n_rows_; }
  std::int64_t n_features() const { return n_features_; }

  // What a tile of kTileRows rows of X at x, of squared norms x_norms, and the columns from
  // first_col on is computed from.
  TileOperands operands(const double* x, const double* x_norms, std::int64_t first_col) const;

 private:
  Measure measure_;
  std::int64_t n_rows_;
  std::int64_t n_features_;
  bool uses_norms_;
  Buffer<double> panels_;
  Buffer<double> norms_;
};

// A chunk of the rows of X, padded with zeros to whole tiles.
class ChunkOfRows {
 public:
  template <class T>
  ChunkOfRows(const Measure& measure, MatrixView<const T> rows);

  const double* row(std::int64_t i) const { return values_.data() + i * n_features_; }
  const double* norm(std::int64_t i) const { return norms_.data() + i; }

 private:
  std::int64_t n_features_;
  Buffer<double> values_;
  Buffer<double> norms_;
};

double tiles_cost_ns(const PackedRows& Y, std::int64_t n_rows);

// make_visitor(first_row, last_row) for each chunk of rows; then visitor.add(tile) for its tiles,
// and visitor.finish().
template <class T, class MakeVisitor>
void for_each_tile(MatrixView<const T> X, const PackedRows& Y, const Context& ctx,
                   MakeVisitor&& make_visitor) {
  const Chunks chunks = Chunks::of_rows(X.n_rows, kChunkRows);
  parallel_for(ctx, chunks.count(), tiles_cost_ns(Y, X.n_rows), [&](std::int64_t task) {
    const std::int64_t first = chunks.begin(task);
    const std::int64_t last = chunks.end(task);
    const ChunkOfRows chunk(Y.measure(), X.rows(first, last));
    auto visitor = make_visitor(first, last);
    alignas(kCacheLine) double values[kTileRows * kTileCols];
    for (std::int64_t col = 0; col < Y.n_rows(); col += kTileCols) {
      ctx.check();
      for (std::int64_t row = first; row < last; row += kTileRows) {
        const std::int64_t i = row - first;
        const TileOperands operands = Y.operands(chunk.row(i), chunk.norm(i), col);
        GRAMIAN_DISPATCH(compute_tile, operands, values);
        visitor.add(Tile{values, row, std::min<std::int64_t>(kTileRows, last - row), col,
                         std::min<std::int64_t>(kTileCols, Y.n_rows() - col)});
      }
    }
    visitor.finish();
  });
}

}  // namespace gramian::distance
