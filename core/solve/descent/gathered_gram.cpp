#include "solve/descent/gathered_gram.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kGroupDoubles = 1 << 23;  // gathered columns: 64 MiB at a time
constexpr std::int64_t kMostTileBlocks = 32;     // blocks of rows in a tile
constexpr std::int64_t kPairPanels = 24;         // columns of either side in a task, by eight
constexpr double kGatherNs = 2.0, kProductNs = 0.05;

// Panels that meet in a task. `right` counts from the first new one.
struct Pair {
  std::int64_t left, n_left, right, n_right;
};

// Old with new, and new with new once.
std::vector<Pair> pairs_of(std::int64_t n_old, std::int64_t n_new) {
  const Chunks olds = Chunks::of_rows(n_old, kPairPanels);
  const Chunks news = Chunks::of_rows(n_new, kPairPanels);
  std::vector<Pair> pairs;
  const auto add = [&](const Chunks& lefts, std::int64_t l, std::int64_t first, std::int64_t r) {
    pairs.push_back({first + lefts.begin(l), lefts.end(l) - lefts.begin(l), news.begin(r),
                     news.end(r) - news.begin(r)});
  };
  for (std::int64_t r = 0; r < news.count(); ++r) {
    for (std::int64_t l = 0; l < olds.count(); ++l) add(olds, l, 0, r);
    for (std::int64_t l = r; l < news.count(); ++l) add(news, l, n_old, r);
  }
  return pairs;
}

struct Products {
  Buffer<double> sums;
  Products& operator+=(const Products& next) {
    add_each(sums, next.sums);
    return *this;
  }
};

// Some tiles of rows at a time: gathered, then multiplied, one sum for each tile.
class GatheredGram {
 public:
  explicit GatheredGram(const GatheredColumns& columns)
      : columns_(columns),
        n_old_(n_panels(columns.n_old)),
        n_new_(n_panels(columns.n_new)),
        stride_((n_old_ + n_new_) * kPanelStride),
        tile_blocks_(tile_size(kGroupDoubles / stride_, 1, kMostTileBlocks)),
        tiles_(Tiles::of_rows(columns.n_rows, tile_blocks_ * kBlockRows)),
        at_once_(std::clamp<std::int64_t>(kGroupDoubles / (stride_ * tile_blocks_), 1,
                                          std::max<std::int64_t>(tiles_.count(), 1))),
        pairs_(pairs_of(n_old_, n_new_)),
        panels_(at_once_ * tile_blocks_ * stride_) {}

  Buffer<double> sums(const Context& ctx) {
    if (tiles_.count() == 0) return zeros();
    TreeSums<Products> total;
    for (std::int64_t start = 0; start < tiles_.count(); start += at_once_) {
      const std::int64_t end = std::min(start + at_once_, tiles_.count());
      gather(tiles_.begin(start), tiles_.end(end - 1), ctx);
      std::vector<Buffer<double>> products =
          multiply(tiles_.begin(start), tiles_.end(end - 1), ctx);
      for (std::int64_t i = start; i < end; ++i) total.add(i, {std::move(products[at(i - start)])});
    }
    return total.total().sums;
  }

 private:
  std::int64_t ld() const { return (n_old_ + n_new_) * kLanes; }
  Buffer<double> zeros() const { return Buffer<double>::zeros(ld() * n_new_ * kLanes); }
  double n_entries(std::int64_t n_rows) const {
    return static_cast<double>(n_rows * (columns_.n_old + columns_.n_new));
  }

  void gather(std::int64_t first, std::int64_t last, const Context& ctx) {
    const Tiles blocks = Tiles::of_rows(last - first, kBlockRows);
    parallel_for(ctx, blocks.count(), kGatherNs * n_entries(last - first), [&](std::int64_t b) {
      columns_.gather(first + blocks.begin(b), first + blocks.end(b), panels_.data() + b * stride_);
    });
  }

  std::vector<Buffer<double>> multiply(std::int64_t first, std::int64_t last, const Context& ctx) {
    const Tiles blocks = Tiles::of_rows(last - first, kBlockRows);
    const Tiles tiles = Tiles::of_rows(last - first, tiles_.tile_rows());
    std::vector<Buffer<double>> sums;
    for (std::int64_t i = 0; i < tiles.count(); ++i) sums.push_back(zeros());
    const auto n_pairs = static_cast<std::int64_t>(pairs_.size());
    const double cost = kProductNs * n_entries(last - first) * static_cast<double>(columns_.n_new);
    parallel_for(ctx, tiles.count() * n_pairs, cost, [&](std::int64_t task) {
      const std::int64_t tile = task / n_pairs;
      const Pair& pair = pairs_[at(task % n_pairs)];
      double* out = sums[at(tile)].data() + pair.right * kLanes * ld() + pair.left * kLanes;
      const std::int64_t end = std::min((tile + 1) * tile_blocks_, blocks.count());
      for (std::int64_t b = tile * tile_blocks_; b < end; ++b) {
        ctx.check();
        const double* block = panels_.data() + b * stride_;
        GRAMIAN_DISPATCH(add_product, block + pair.left * kPanelStride, pair.n_left,
                         block + (n_old_ + pair.right) * kPanelStride, pair.n_right,
                         blocks.end(b) - blocks.begin(b), out, ld());
      }
    });
    return sums;
  }

  const GatheredColumns& columns_;
  const std::int64_t n_old_, n_new_;  // panels
  const std::int64_t stride_;         // of a block of rows, in doubles
  const std::int64_t tile_blocks_;    // blocks of a tile
  const Tiles tiles_;
  const std::int64_t at_once_;  // tiles
  const std::vector<Pair> pairs_;
  Buffer<double> panels_;
};

}  // namespace

Buffer<double> gathered_gram(const GatheredColumns& columns, const Context& ctx) {
  return GatheredGram(columns).sums(ctx);
}

}  // namespace gramian::solve
