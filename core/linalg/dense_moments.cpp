// Dense moments: O(n p^2) in register tiles over packed blocks of rows.
//
// Work is cut into (block of the matrix) x (tile of rows). Each task sums its rows in order, entry
// by entry, so that the bits depend on the tiles of rows only: blocks may be as small as the number
// of threads wants. Scratch: for each thread a block's sums and its packed rows.
#include <algorithm>
#include <cmath>
#include <deque>

#include "base/instantiate.hpp"
#include "base/spare_buffers.hpp"
#include "linalg/moments.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kTileCols = 256;  // a tile's packed block stays in the L2 cache
constexpr std::int64_t kLeastTileCols = 32;
constexpr double kRowTileNs = 2e5;  // work below which a tile of rows is not worth its own sum

// Measured on one core with AVX-512: about 45 flops and 3 packed bytes per nanosecond.
double gram_cost_ns(std::int64_t n, std::int64_t p) {
  const auto rows = static_cast<double>(n);
  const auto cols = static_cast<double>(p);
  return rows * cols * (cols / 45.0 + 0.5);
}

std::int64_t row_tile_size(std::int64_t p) {
  const double rows = kRowTileNs / std::max(gram_cost_ns(1, p), 1.0);
  return tile_size(static_cast<std::int64_t>(rows), 2048, 8192);
}

std::int64_t n_pairs(std::int64_t p, std::int64_t cols) {
  const std::int64_t count = (p + cols - 1) / cols;
  return count * (count + 1) / 2;
}

// Few rows are shared among threads by smaller blocks of the matrix.
std::int64_t tile_cols(std::int64_t p, std::int64_t n_row_tiles, int n_threads) {
  std::int64_t cols = kTileCols;
  while (n_threads > 1 && cols > kLeastTileCols && n_row_tiles * n_pairs(p, cols) < 2 * n_threads)
    cols /= 2;
  return cols;
}

std::int64_t padded(std::int64_t n_cols) { return n_panels(n_cols) * kLanes; }

// The lower triangle of blocks, and the tiles of rows, of one Gram product.
struct Plan {
  struct Tile {
    std::int64_t i, j;    // first column of either side, i >= j
    std::int64_t ni, nj;  // number of columns
    bool is_diagonal() const { return i == j; }
  };
  std::int64_t n_cols;
  std::vector<Tile> tiles;
  Tiles rows;
  double cost_ns;

  Plan(std::int64_t n, std::int64_t p, const Context& ctx)
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
struct TileSums {
  Buffer<double> gram;
  Buffer<double> narrow;

  void add(const TileSums& next) {
    add_each(gram, next.gram);
    add_each(narrow, next.narrow);
  }
};

// Rows begin .. end of columns first_col .. first_col + n_cols.
struct Block {
  std::int64_t begin, end;
  std::int64_t first_col, n_cols;
};

template <class T>
PackSource<T> source_of(MatrixView<const T> X, const Block& block) {
  return {&X(block.begin, block.first_col), X.row_stride, X.col_stride, block.end - block.begin,
          block.n_cols};
}

using Scratch = SpareBuffers<double>;

// Copies a tile into both halves of the n x n matrix `out`.
void write_tile(const Plan::Tile& tile, const TileSums& sums, std::int64_t n, double* out) {
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
TileSums sum_rows(std::int64_t first, std::int64_t last, const Plan::Tile& tile,
                  std::int64_t n_narrow, const Pack& pack, const WithDiagonal& with_diagonal,
                  Scratch& scratch, const Context& ctx) {
  const bool is_diagonal = tile.is_diagonal();
  TileSums sums{scratch.take_zeros(padded(tile.ni) * padded(tile.nj)),
                scratch.take_zeros(is_diagonal ? padded(tile.ni) * n_narrow : 0)};
  Buffer<double> left = scratch.take(n_panels(tile.ni) * kPanelStride);
  Buffer<double> right = scratch.take(is_diagonal ? 0 : n_panels(tile.nj) * kPanelStride);
  for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
    ctx.check();
    const std::int64_t end = std::min(begin + kBlockRows, last);
    const Block block{begin, end, tile.i, tile.ni};
    pack(block, left.data());
    if (is_diagonal) {
      GRAMIAN_DISPATCH(add_gram, left.data(), n_panels(tile.ni), end - begin, sums.gram.data(),
                       padded(tile.ni));
      with_diagonal(block, left.data(), sums.narrow.data());
    } else {
      pack(Block{begin, end, tile.j, tile.nj}, right.data());
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
void multiply_tiles(const Plan& plan, std::int64_t n_narrow, const Pack& pack,
                    const WithDiagonal& with_diagonal, const Finish& finish, double* gram,
                    const Context& ctx) {
  Scratch scratch;
  const auto combine = [&](TileSums& total, TileSums&& next) {
    total.add(next);
    scratch.give_back(std::move(next.gram));
    scratch.give_back(std::move(next.narrow));
  };
  const auto sums_of = [&](std::int64_t first, std::int64_t last, const Plan::Tile& tile) {
    return sum_rows(first, last, tile, n_narrow, pack, with_diagonal, scratch, ctx);
  };
  std::deque<TreeFold<TileSums, decltype(combine)>> folds;
  for (std::size_t k = 0; k < plan.tiles.size(); ++k)
    folds.emplace_back(plan.rows.count(), combine);
  const std::int64_t n_tasks = plan.rows.count() * static_cast<std::int64_t>(folds.size());
  parallel_for(ctx, n_tasks, plan.cost_ns, [&](std::int64_t task) {
    const auto k = static_cast<std::size_t>(task / plan.rows.count());
    const std::int64_t i = task % plan.rows.count();
    folds[k].add(i, sums_of(plan.rows.begin(i), plan.rows.end(i), plan.tiles[k]));
  });
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const TileSums sums = n_tasks > 0 ? folds[k].take() : sums_of(0, 0, plan.tiles[k]);
    write_tile(plan.tiles[k], sums, plan.n_cols, gram);
    if (plan.tiles[k].is_diagonal()) finish(plan.tiles[k], sums.narrow.data());
  }
}

// Blocks of [Y - b, 1] times the square root of the weights, packed like the columns of X. With the
// column of ones the narrow product X' [Y, 1] gives the sums of the columns too.
class Targets {
 public:
  Targets(MatrixView<const double> Y, std::span<const double> shift,
          std::span<const double> root_weight)
      : Y_(Y), shift_(shift), root_weight_(root_weight), n_cols_((Y.n_cols + 2) / 2 * 2) {}

  std::int64_t n_cols() const { return n_cols_; }  // targets and ones, filled up to an even number

  void pack(std::int64_t begin, std::int64_t end, double* panels) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const double scale = root_weight_.empty() ? 1.0 : root_weight_[static_cast<std::size_t>(i)];
      for (std::int64_t c = 0; c < Y_.n_cols; ++c)
        at(panels, i - begin, c) = scale * (Y_(i, c) - shift_[static_cast<std::size_t>(c)]);
      at(panels, i - begin, Y_.n_cols) = scale;
      for (std::int64_t c = Y_.n_cols + 1; c < n_cols_; ++c) at(panels, i - begin, c) = 0.0;
    }
  }

  static double& at(double* panels, std::int64_t row, std::int64_t col) {
    return panels[(col / kLanes) * kPanelStride + row * kLanes + col % kLanes];
  }

 private:
  MatrixView<const double> Y_;
  std::span<const double> shift_;
  std::span<const double> root_weight_;
  std::int64_t n_cols_;
};

}  // namespace

TargetMoments target_moments(MatrixView<const double> Y, std::span<const double> shift,
                             std::span<const double> weight, const Context& ctx) {
  constexpr double kEntryNs = 1.0;
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    TargetMoments out{0.0, std::vector<double>(shift.size()), std::vector<double>(shift.size())};
    for (std::int64_t i = begin; i < end; ++i) {
      const double w = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
      out.weight += w;
      for (std::int64_t c = 0; c < Y.n_cols; ++c) {
        const auto k = static_cast<std::size_t>(c);
        const double y = Y(i, c) - shift[k];
        out.sum[k] += w * y;
        out.squares[k] += w * y * y;
      }
    }
    return out;
  };
  const auto combine = [](TargetMoments& total, const TargetMoments& next) {
    total.weight += next.weight;
    add_each(total.sum, next.sum);
    add_each(total.squares, next.squares);
  };
  const double cost_ns = kEntryNs * static_cast<double>(Y.n_rows * (Y.n_cols + 1));
  return parallel_reduce(ctx, Tiles::of_rows(Y.n_rows, 8192), cost_ns, of_tile, combine);
}

void Moments::set_targets(TargetMoments&& targets) {
  weight = targets.weight;
  sum_y = std::move(targets.sum);
  yy = std::move(targets.squares);
}

Moments::Moments(std::int64_t n_features, std::int64_t n_targets)
    : p(n_features),
      t(n_targets),
      gram(n_features * n_features),
      cross(n_features * n_targets),
      sum_x(static_cast<std::size_t>(n_features)),
      sum_y(static_cast<std::size_t>(n_targets)),
      yy(static_cast<std::size_t>(n_targets)) {}

template <class T>
DenseDesign<T>::DenseDesign(MatrixView<const T> X, MatrixView<const double> Y,
                            std::span<const double> weight)
    : X_(X), Y_(Y), weight_(weight), root_weight_(weight.begin(), weight.end()) {
  for (double& w : root_weight_) w = std::sqrt(w);
}

template <class T>
Moments DenseDesign<T>::moments(std::span<const double> shift_x, std::span<const double> shift_y,
                                const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  Moments out(p, t);
  const Plan plan(X_.n_rows, p, ctx);
  const Targets targets(Y_, shift_y, root_weight_);
  std::vector<double> padded_shift(static_cast<std::size_t>(padded(p)), 0.0);
  std::copy(shift_x.begin(), shift_x.end(), padded_shift.begin());

  const auto pack = [&](const Block& block, double* panels) {
    auto source = source_of(X_, block);
    source.col_shift = padded_shift.data() + block.first_col;
    if (!root_weight_.empty()) source.row_scale = root_weight_.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto add_targets = [&](const Block& block, const double* panels, double* narrow) {
    Buffer<double> packed(n_panels(targets.n_cols()) * kPanelStride);
    targets.pack(block.begin, block.end, packed.data());
    GRAMIAN_DISPATCH(add_narrow_product, panels, n_panels(block.n_cols), packed.data(),
                     targets.n_cols(), block.end - block.begin, narrow, padded(block.n_cols));
  };
  const auto finish = [&](const Plan::Tile& tile, const double* narrow) {
    for (std::int64_t j = 0; j < tile.ni; ++j) {
      const double* sums = narrow + j;  // column c of the narrow product is padded(ni) further on
      for (std::int64_t c = 0; c < t; ++c)
        out.cross[(tile.i + j) * t + c] = sums[c * padded(tile.ni)];
      out.sum_x[static_cast<std::size_t>(tile.i + j)] = sums[t * padded(tile.ni)];
    }
  };
  multiply_tiles(plan, targets.n_cols(), pack, add_targets, finish, out.gram.data(), ctx);
  out.set_targets(target_moments(Y_, shift_y, weight_, ctx));
  return out;
}

template <class T>
void centred_gram(MatrixView<const T> Z, std::span<const double> row_shift, double* out,
                  const Context& ctx) {
  const Plan plan(Z.n_rows, Z.n_cols, ctx);
  const auto pack = [&](const Block& block, double* panels) {
    auto source = source_of(Z, block);
    source.row_shift = row_shift.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto no_targets = [](const Block&, const double*, double*) {};
  const auto no_finish = [](const Plan::Tile&, const double*) {};
  multiply_tiles(plan, 0, pack, no_targets, no_finish, out, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                               \
  template DenseDesign<T>::DenseDesign(MatrixView<const T>, MatrixView<const double>,        \
                                       std::span<const double>);                             \
  template Moments DenseDesign<T>::moments(std::span<const double>, std::span<const double>, \
                                           const Context&) const;                            \
  template void centred_gram(MatrixView<const T>, std::span<const double>, double*, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
