// Gram matrices of many rows: O(n p^2) in register tiles over packed blocks of rows.
//
// Work is cut into (block of the matrix) x (tile of rows). Each task sums its rows in order, entry
// by entry, so that the bits depend on the tiles of rows only: blocks may be as small as the number
// of threads wants. Scratch: for each thread a block's sums and its packed rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/spare_buffers.hpp"
#include "base/views.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

inline constexpr std::int64_t kTileCols = 256;  // a tile's packed block stays in the L2 cache
inline constexpr std::int64_t kLeastTileCols = 32;
inline constexpr double kRowTileNs =
    2e5;  // work below which a tile of rows is not worth its own sum

// Measured on one core with AVX-512: about 45 flops and 3 packed bytes per nanosecond.
inline double gram_cost_ns(std::int64_t n, std::int64_t p) {
  const auto rows = static_cast<double>(n);
  const auto cols = static_cast<double>(p);
  return rows * cols * (cols / 45.0 + 0.5);
}

inline std::int64_t row_tile_size(std::int64_t p) {
  const double rows = kRowTileNs / std::max(gram_cost_ns(1, p), 1.0);
  return tile_size(static_cast<std::int64_t>(rows), 2048, 8192);
}

inline std::int64_t n_pairs(std::int64_t p, std::int64_t cols) {
  const std::int64_t count = (p + cols - 1) / cols;
  return count * (count + 1) / 2;
}

// Few rows are shared among threads by smaller blocks of the matrix.
inline std::int64_t tile_cols(std::int64_t p, std::int64_t n_row_tiles, int n_threads) {
  std::int64_t cols = kTileCols;
  while (n_threads > 1 && cols > kLeastTileCols && n_row_tiles * n_pairs(p, cols) < 2 * n_threads)
    cols /= 2;
  return cols;
}

// The lower triangle of blocks, and the tiles of rows, of one Gram product.
struct GramPlan {
  struct Tile {
    std::int64_t i, j;    // first column of either side, i >= j
    std::int64_t ni, nj;  // number of columns
    bool is_diagonal() const { return i == j; }
  };
  std::int64_t n_cols;
  std::vector<Tile> tiles;
  Tiles rows;
  double cost_ns;

  GramPlan(std::int64_t n, std::int64_t p, const Context& ctx)
      : n_cols(p), rows(Tiles::of_rows(n, row_tile_size(p))), cost_ns(gram_cost_ns(n, p)) {
    const int n_threads = useful_threads(ctx, ctx.n_threads, cost_ns);
    const std::int64_t cols = tile_cols(p, std::max<std::int64_t>(rows.count(), 1), n_threads);
    const Chunks columns = Chunks::of_rows(n_panels(p), cols / kLanes);
    const auto first = [&](std::int64_t c) { return std::min(columns.begin(c) * kLanes, p); };
    for (std::int64_t a = 0; a < columns.count(); ++a)
      for (std::int64_t b = 0; b <= a; ++b)
        tiles.push_back({first(a), first(b), first(a + 1) - first(a), first(b + 1) - first(b)});
  }
};

// Sums of one tile over some rows: its part of the Gram matrix, column-major with whole panels, and
// on the diagonal the products of its columns with `n_narrow` others.
struct GramSums {
  Buffer<double> gram;
  Buffer<double> narrow;

  void add(const GramSums& next) {
    add_each(gram, next.gram);
    add_each(narrow, next.narrow);
  }
};

// Rows begin .. end of columns first_col .. first_col + n_cols.
struct GramBlock {
  std::int64_t begin, end;
  std::int64_t first_col, n_cols;
};

template <class T>
PackSource<T> source_of(MatrixView<const T> X, const GramBlock& block) {
  return {&X(block.begin, block.first_col), X.row_stride, X.col_stride, block.end - block.begin,
          block.n_cols};
}

using GramScratch = SpareBuffers<double>;

// Copies a tile into both halves of the n x n matrix `out`.
inline void write_tile(const GramPlan::Tile& tile, const GramSums& sums, std::int64_t n,
                       double* out) {
  const std::int64_t ld = padded(tile.ni);
  for (std::int64_t j = 0; j < tile.nj; ++j)
    for (std::int64_t i = tile.is_diagonal() ? j : 0; i < tile.ni; ++i) {
      out[(tile.i + i) * n + tile.j + j] = sums.gram[j * ld + i];
      out[(tile.j + j) * n + tile.i + i] = sums.gram[j * ld + i];
    }
}

// Sums of one tile over the rows first .. last. `with_diagonal` sees every packed block of the
// tiles on the diagonal, that is every row and column once.
template <class Pack, class WithDiagonal>
GramSums sum_rows(std::int64_t first, std::int64_t last, const GramPlan::Tile& tile,
                  std::int64_t n_narrow, const Pack& pack, const WithDiagonal& with_diagonal,
                  GramScratch& scratch, const Context& ctx) {
  const bool is_diagonal = tile.is_diagonal();
  GramSums sums{scratch.take_zeros(padded(tile.ni) * padded(tile.nj)),
                scratch.take_zeros(is_diagonal ? padded(tile.ni) * n_narrow : 0)};
  Buffer<double> left = scratch.take(n_panels(tile.ni) * kPanelStride);
  Buffer<double> right = scratch.take(is_diagonal ? 0 : n_panels(tile.nj) * kPanelStride);
  for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
    ctx.check();
    const std::int64_t end = std::min(begin + kBlockRows, last);
    const GramBlock block{begin, end, tile.i, tile.ni};
    pack(block, left.data());
    if (is_diagonal) {
      GRAMIAN_DISPATCH(add_gram, left.data(), n_panels(tile.ni), end - begin, sums.gram.data(),
                       padded(tile.ni));
      with_diagonal(block, left.data(), sums.narrow.data());
    } else {
      pack(GramBlock{begin, end, tile.j, tile.nj}, right.data());
      GRAMIAN_DISPATCH(add_product, left.data(), n_panels(tile.ni), right.data(), n_panels(tile.nj),
                       end - begin, sums.gram.data(), padded(tile.ni));
    }
  }
  scratch.give_back(std::move(left));
  scratch.give_back(std::move(right));
  return sums;
}

// gram = the Gram matrix of what `pack` packs; `finish` receives the narrow sums of each tile on
// the diagonal.
template <class Pack, class WithDiagonal, class Finish>
void multiply_tiles(const GramPlan& plan, std::int64_t n_narrow, const Pack& pack,
                    const WithDiagonal& with_diagonal, const Finish& finish, double* gram,
                    const Context& ctx) {
  GramScratch scratch;
  const auto combine = [&](GramSums& total, GramSums&& next) {
    total.add(next);
    scratch.give_back(std::move(next.gram));
    scratch.give_back(std::move(next.narrow));
  };
  const auto sums_of = [&](std::int64_t first, std::int64_t last, const GramPlan::Tile& tile) {
    return sum_rows(first, last, tile, n_narrow, pack, with_diagonal, scratch, ctx);
  };
  std::deque<TreeFold<GramSums, decltype(combine)>> folds;
  for (std::size_t k = 0; k < plan.tiles.size(); ++k)
    folds.emplace_back(plan.rows.count(), combine);
  const std::int64_t n_tasks = plan.rows.count() * static_cast<std::int64_t>(folds.size());
  parallel_for(ctx, n_tasks, plan.cost_ns, [&](std::int64_t task) {
    const auto k = static_cast<std::size_t>(task / plan.rows.count());
    const std::int64_t i = task % plan.rows.count();
    folds[k].add(i, sums_of(plan.rows.begin(i), plan.rows.end(i), plan.tiles[k]));
  });
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const GramSums sums = n_tasks > 0 ? folds[k].take() : sums_of(0, 0, plan.tiles[k]);
    write_tile(plan.tiles[k], sums, plan.n_cols, gram);
    if (plan.tiles[k].is_diagonal()) finish(plan.tiles[k], sums.narrow.data());
  }
}

}  // namespace gramian::linalg
