// Dense moments: O(n p^2) in register tiles over packed blocks of rows.
//
// Work is cut into (slice of rows) x (tile of columns) by the shape of the data alone; each task
// sums its rows in order, and the slices of a tile are added in order: the same bits for any number
// of threads. Scratch: at most kScratchDoubles for the partial sums, or one Gram matrix if that is
// more.
#include <algorithm>
#include <cmath>

#include "linalg/moments.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kTileCols = 256;       // a tile's packed block stays in the L2 cache
constexpr std::int64_t kMinSliceRows = 4096;  // below, a slice is not worth its own partial sum
constexpr std::int64_t kMaxSlices = 16;
constexpr std::int64_t kScratchDoubles = std::int64_t{1} << 22;  // 32 MiB

// Measured on one core with AVX-512: about 45 flops and 3 packed bytes per nanosecond.
double gram_cost_ns(std::int64_t n, std::int64_t p) {
  const auto rows = static_cast<double>(n);
  const auto cols = static_cast<double>(p);
  return rows * cols * (cols / 45.0 + 0.5);
}

std::int64_t padded(std::int64_t n_cols) { return n_panels(n_cols) * kLanes; }

// The lower triangle of tiles, and the slices of rows, of one Gram product.
struct Plan {
  struct Tile {
    std::int64_t i, j;    // first column of either side, i >= j
    std::int64_t ni, nj;  // number of columns
    std::int64_t offset;  // of its accumulator within a slice's scratch
  };
  std::int64_t n_cols;
  std::vector<Tile> tiles;
  std::int64_t slice_size = 0;  // doubles of scratch per slice
  Chunks slices;

  Plan(std::int64_t n, std::int64_t p) : n_cols(p), slices(Chunks::of_rows(0, 1)) {
    const Chunks columns = Chunks::of_rows(n_panels(p), kTileCols / kLanes);
    const auto first = [&](std::int64_t c) { return std::min(columns.begin(c) * kLanes, p); };
    for (std::int64_t a = 0; a < columns.count(); ++a)
      for (std::int64_t b = 0; b <= a; ++b) {
        const Tile tile{first(a), first(b), first(a + 1) - first(a), first(b + 1) - first(b),
                        slice_size};
        slice_size += padded(tile.ni) * padded(tile.nj);
        tiles.push_back(tile);
      }
    const std::int64_t affordable = std::max<std::int64_t>(kScratchDoubles / slice_size, 1);
    const std::int64_t wanted = std::clamp<std::int64_t>(n / kMinSliceRows, 1, kMaxSlices);
    const std::int64_t count = std::min(affordable, wanted);
    slices = Chunks::of_rows(n, (n + count - 1) / count);
  }

  std::int64_t n_tasks() const { return slices.count() * static_cast<std::int64_t>(tiles.size()); }
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

// Copies tile sums, slice by slice in order, into both halves of `out`.
void collect_tile(const Plan& plan, const Plan::Tile& tile, const double* scratch, double* out) {
  const std::int64_t n = plan.n_cols;
  const std::int64_t ld = padded(tile.ni);
  for (std::int64_t j = 0; j < tile.nj; ++j)
    for (std::int64_t i = tile.i == tile.j ? j : 0; i < tile.ni; ++i) {
      double sum = 0.0;
      for (std::int64_t s = 0; s < plan.slices.count(); ++s)
        sum += scratch[s * plan.slice_size + tile.offset + j * ld + i];
      out[(tile.i + i) * n + tile.j + j] = sum;
      out[(tile.j + j) * n + tile.i + i] = sum;
    }
}

// out = the Gram matrix of what `pack` packs; `with_diagonal` sees every packed block of the tiles
// on the diagonal, that is every row and column once.
template <class Pack, class WithDiagonal>
void multiply_tiles(const Plan& plan, double cost_ns, const Pack& pack,
                    const WithDiagonal& with_diagonal, double* out, const Context& ctx) {
  auto scratch = Buffer<double>::zeros(plan.slices.count() * plan.slice_size);
  parallel_for(ctx, plan.n_tasks(), cost_ns, [&](std::int64_t task) {
    const std::int64_t s = task % plan.slices.count();
    const auto& tile = plan.tiles[static_cast<std::size_t>(task / plan.slices.count())];
    const bool is_diagonal = tile.i == tile.j;
    Buffer<double> left(n_panels(tile.ni) * kPanelStride);
    Buffer<double> right(is_diagonal ? 0 : n_panels(tile.nj) * kPanelStride);
    double* acc = scratch.data() + s * plan.slice_size + tile.offset;
    for (std::int64_t begin = plan.slices.begin(s); begin < plan.slices.end(s);
         begin += kBlockRows) {
      ctx.check();
      const std::int64_t end = std::min(begin + kBlockRows, plan.slices.end(s));
      const Block block{begin, end, tile.i, tile.ni};
      pack(block, left.data());
      if (is_diagonal) {
        GRAMIAN_DISPATCH(add_gram, left.data(), n_panels(tile.ni), end - begin, acc,
                         padded(tile.ni));
        with_diagonal(block, s, left.data());
      } else {
        pack(Block{begin, end, tile.j, tile.nj}, right.data());
        GRAMIAN_DISPATCH(add_product, left.data(), n_panels(tile.ni), right.data(),
                         n_panels(tile.nj), end - begin, acc, padded(tile.ni));
      }
    }
  });
  const auto collect_ns = static_cast<double>(scratch.size());
  parallel_for(ctx, static_cast<std::int64_t>(plan.tiles.size()), collect_ns, [&](std::int64_t k) {
    collect_tile(plan, plan.tiles[static_cast<std::size_t>(k)], scratch.data(), out);
  });
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
    std::fill_n(panels, n_panels(n_cols_) * kPanelStride, 0.0);
    for (std::int64_t i = begin; i < end; ++i) {
      const double scale = root_weight_.empty() ? 1.0 : root_weight_[static_cast<std::size_t>(i)];
      for (std::int64_t c = 0; c < Y_.n_cols; ++c)
        at(panels, i - begin, c) = scale * (Y_(i, c) - shift_[static_cast<std::size_t>(c)]);
      at(panels, i - begin, Y_.n_cols) = scale;
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

void add_target_moments(MatrixView<const double> Y, std::span<const double> shift,
                        std::span<const double> weight, Moments& out) {
  for (std::int64_t i = 0; i < Y.n_rows; ++i) {
    const double w = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
    out.weight += w;
    for (std::int64_t c = 0; c < Y.n_cols; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const double y = Y(i, c) - shift[k];
      out.sum_y[k] += w * y;
      out.yy[k] += w * y * y;
    }
  }
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
  Moments out(p, Y_.n_cols);
  const Plan plan(X_.n_rows, p);
  const Targets targets(Y_, shift_y, root_weight_);
  const std::int64_t ld = padded(p);
  const std::int64_t n_narrow = targets.n_cols();
  std::vector<double> padded_shift(static_cast<std::size_t>(ld), 0.0);
  std::copy(shift_x.begin(), shift_x.end(), padded_shift.begin());
  auto narrow = Buffer<double>::zeros(plan.slices.count() * n_narrow * ld);

  const auto pack = [&](const Block& block, double* panels) {
    auto source = source_of(X_, block);
    source.col_shift = padded_shift.data() + block.first_col;
    if (!root_weight_.empty()) source.row_scale = root_weight_.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto add_targets = [&](const Block& block, std::int64_t slice, const double* panels) {
    Buffer<double> packed(n_panels(n_narrow) * kPanelStride);
    targets.pack(block.begin, block.end, packed.data());
    GRAMIAN_DISPATCH(add_narrow_product, panels, n_panels(block.n_cols), packed.data(), n_narrow,
                     block.end - block.begin,
                     narrow.data() + slice * n_narrow * ld + block.first_col, ld);
  };
  multiply_tiles(plan, gram_cost_ns(X_.n_rows, p), pack, add_targets, out.gram.data(), ctx);

  for (std::int64_t j = 0; j < p; ++j)
    for (std::int64_t c = 0; c <= Y_.n_cols; ++c) {
      double sum = 0.0;
      for (std::int64_t s = 0; s < plan.slices.count(); ++s)
        sum += narrow[(s * n_narrow + c) * ld + j];
      (c < Y_.n_cols ? out.cross[j * Y_.n_cols + c] : out.sum_x[static_cast<std::size_t>(j)]) = sum;
    }
  add_target_moments(Y_, shift_y, weight_, out);
  return out;
}

template <class T>
void centred_gram(MatrixView<const T> Z, std::span<const double> row_shift, double* out,
                  const Context& ctx) {
  const Plan plan(Z.n_rows, Z.n_cols);
  const auto pack = [&](const Block& block, double* panels) {
    auto source = source_of(Z, block);
    source.row_shift = row_shift.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto nothing = [](const Block&, std::int64_t, const double*) {};
  multiply_tiles(plan, gram_cost_ns(Z.n_rows, Z.n_cols), pack, nothing, out, ctx);
}

template DenseDesign<float>::DenseDesign(MatrixView<const float>, MatrixView<const double>,
                                         std::span<const double>);
template DenseDesign<double>::DenseDesign(MatrixView<const double>, MatrixView<const double>,
                                          std::span<const double>);
template Moments DenseDesign<float>::moments(std::span<const double>, std::span<const double>,
                                             const Context&) const;
template Moments DenseDesign<double>::moments(std::span<const double>, std::span<const double>,
                                              const Context&) const;
template void centred_gram(MatrixView<const float>, std::span<const double>, double*,
                           const Context&);
template void centred_gram(MatrixView<const double>, std::span<const double>, double*,
                           const Context&);

}  // namespace gramian::linalg
