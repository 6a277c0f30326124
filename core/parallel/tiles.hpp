// Sums of floating-point numbers over rows, in an order that the numbers of the rows decide alone.
//
// Rows are cut into tiles of a fixed size by their number, and the tiles' sums are combined up a
// binary tree: node (level, i) = node (level - 1, 2 i) + node (level - 1, 2 i + 1), where a node
// without a right sibling passes up unchanged. The bits then depend neither on the number of
// threads nor on how rows arrive: blocks of 2^k tiles give nodes of level k.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parallel/parallel_for.hpp"

namespace gramian {

// n rows in tiles of a fixed power of two, the last of them shorter.
class Tiles {
 public:
  static Tiles of_rows(std::int64_t n_rows, std::int64_t tile_rows) {
    assert(tile_rows > 0 && std::has_single_bit(static_cast<std::uint64_t>(tile_rows)));
    return {n_rows, tile_rows};
  }

  std::int64_t count() const { return (n_rows_ + tile_rows_ - 1) / tile_rows_; }
  std::int64_t tile_rows() const { return tile_rows_; }
  std::int64_t begin(std::int64_t i) const { return i * tile_rows_; }
  std::int64_t end(std::int64_t i) const { return std::min((i + 1) * tile_rows_, n_rows_); }

 private:
  Tiles(std::int64_t n_rows, std::int64_t tile_rows) : n_rows_(n_rows), tile_rows_(tile_rows) {}

  std::int64_t n_rows_;
  std::int64_t tile_rows_;
};

// The largest power of two up to `rows`, at least `least` and at most `most`: for tiles whose size
// follows from the columns. Never pass what depends on the number of rows.
inline std::int64_t tile_size(std::int64_t rows, std::int64_t least, std::int64_t most) {
  const auto clamped = static_cast<std::uint64_t>(std::clamp(rows, least, most));
  return static_cast<std::int64_t>(std::bit_floor(clamped));
}

// Combines partial results up the tree while they arrive in any order. The thread that brings the
// second of two siblings combines them, outside the lock. Where the tiles come nearly in order,
// about log2(count) partials wait.
template <class Partial, class Combine>
class TreeFold {
 public:
  TreeFold(std::int64_t count, Combine& combine) : count_(count), combine_(combine) {}

  void add(std::int64_t i, Partial&& partial) {
    int level = 0;
    for (std::int64_t width = count_; width > 1; width = (width + 1) / 2, i /= 2, ++level) {
      if ((i ^ 1) >= width) continue;  // no right sibling
      std::optional<Partial> sibling = exchange(level, i, partial);
      if (!sibling) return;
      if (i % 2 == 0) {
        combine_(partial, std::move(*sibling));
      } else {
        combine_(*sibling, std::move(partial));
        partial = std::move(*sibling);
      }
    }
    total_.emplace(std::move(partial));
  }

  Partial take() { return std::move(*total_); }

 private:
  struct Waiting {
    int level;
    std::int64_t place;
    Partial partial;
  };

  // The sibling of node (level, i) if it is there; else the partial waits for it.
  std::optional<Partial> exchange(int level, std::int64_t i, Partial& partial) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& other) {
      return other.level == level && other.place == (i ^ 1);
    });
    if (found == waiting_.end()) {
      waiting_.push_back({level, i, std::move(partial)});
      return std::nullopt;
    }
    std::optional<Partial> sibling(std::move(found->partial));
    if (found != waiting_.end() - 1) *found = std::move(waiting_.back());
    waiting_.pop_back();
    return sibling;
  }

  const std::int64_t count_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  std::optional<Partial> total_;
  Combine& combine_;
};

namespace internal {

template <class Pieces, class MakePartial, class Combine>
auto reduce_pieces(const Context& ctx, const Pieces& pieces, double cost_ns,
                   MakePartial& make_partial, Combine& combine) {
  using Partial = decltype(make_partial(std::int64_t{0}, std::int64_t{0}));
  if (pieces.count() == 0) return make_partial(std::int64_t{0}, std::int64_t{0});
  TreeFold<Partial, Combine> fold(pieces.count(), combine);
  parallel_for(ctx, pieces.count(), cost_ns,
               [&](std::int64_t i) { fold.add(i, make_partial(pieces.begin(i), pieces.end(i))); });
  return fold.take();
}

}  // namespace internal

// make_partial(begin, end) for every tile, then combine(left, right) up the tree. No rows at all
// give make_partial(0, 0).
template <class MakePartial, class Combine>
auto parallel_reduce(const Context& ctx, const Tiles& tiles, double cost_ns,
                     MakePartial&& make_partial, Combine&& combine) {
  return internal::reduce_pieces(ctx, tiles, cost_ns, make_partial, combine);
}

// For results that are the same however the rows are grouped, and for them only: whole numbers,
// smallest and largest values, truth values.
template <class MakePartial, class Combine>
auto parallel_reduce_exact(const Context& ctx, const Chunks& chunks, double cost_ns,
                           MakePartial&& make_partial, Combine&& combine) {
  return internal::reduce_pieces(ctx, chunks, cost_ns, make_partial, combine);
}

// The same tree for sums that one thread takes tile by tile; tiles without rows may be left out.
template <class Sum>
class TreeSums {
 public:
  // The sum of one tile; tiles come in ascending order.
  void add(std::int64_t tile, Sum sum) {
    if (size_ > 0) merge_below(top_bit(tile ^ tile_));
    tile_ = tile;
    values_[size_++] = std::move(sum);
  }

  Sum total() {
    merge_below(kDepth);
    return size_ > 0 ? std::move(values_[0]) : Sum{};
  }

 private:
  static int top_bit(std::int64_t difference) {
    return 63 - std::countl_zero(static_cast<std::uint64_t>(difference));
  }

  // Combines the waiting nodes that have their common ancestor below a level; the next node is
  // parted from them there.
  void merge_below(int level) {
    while (size_ > 1 && parted_[size_ - 2] < level) {
      values_[size_ - 2] += values_[size_ - 1];
      --size_;
    }
    if (size_ > 0) parted_[size_ - 1] = level;
  }

  static constexpr int kDepth = 40;  // more tiles than memory has rows

  std::array<Sum, kDepth> values_;
  std::array<int, kDepth> parted_;  // parted_[k]: the level at which node k and the next one meet
  std::size_t size_ = 0;
  std::int64_t tile_ = 0;
};

using TreeSum = TreeSums<double>;

// The sum of of_tile(begin, end) over the tiles, by one thread.
template <class OfTile>
double sum_tiles(const Tiles& tiles, const OfTile& of_tile) {
  if (tiles.count() == 1) return of_tile(tiles.begin(0), tiles.end(0));
  TreeSum sum;
  for (std::int64_t i = 0; i < tiles.count(); ++i)
    sum.add(i, of_tile(tiles.begin(i), tiles.end(i)));
  return sum.total();
}

// The sum of a number for each row, by one thread. Small tiles, so that rounding stays small, and
// in each several sums side by side, which do not wait for each other.
inline double sum_of_rows(std::span<const double> values) {
  constexpr std::int64_t kTileRows = 256, kSums = 8;
  const Tiles tiles = Tiles::of_rows(static_cast<std::int64_t>(values.size()), kTileRows);
  return sum_tiles(tiles, [&](std::int64_t begin, std::int64_t end) {
    const double* tile = values.data() + begin;
    std::array<double, kSums> sums{};
    std::int64_t i = 0;
    for (; i + kSums <= end - begin; i += kSums)
      for (std::int64_t lane = 0; lane < kSums; ++lane)
        sums[static_cast<std::size_t>(lane)] += tile[i + lane];
    for (; i < end - begin; ++i) sums[static_cast<std::size_t>(i % kSums)] += tile[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  });
}

// total[k] += next[k], of arrays of one size.
template <class Total, class Next>
void add_each(Total& total, const Next& next) {
  auto* sums = total.data();
  const auto* addends = next.data();
  const auto size = static_cast<std::int64_t>(next.size());
  for (std::int64_t k = 0; k < size; ++k) sums[k] += addends[k];
}

}  // namespace gramian
