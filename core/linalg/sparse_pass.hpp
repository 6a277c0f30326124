// One pass over sparse rows: scores [X, 1] V of a block of rows, which the caller turns into
// numbers r of its own, then the sums [X, 1]' R.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/spare_buffers.hpp"
#include "base/views.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

// Tiles of sparse rows whose sums are `size` numbers: of so many rows that to clear and to add the
// sums costs less than the entries, however few they are.
inline Tiles sparse_tiles(std::int64_t n_rows, std::int64_t size) {
  constexpr std::int64_t kLeastRows = 1024, kNumbersPerRow = 4;
  const auto rows = static_cast<std::uint64_t>(std::max(kLeastRows, size / kNumbersPerRow));
  return Tiles::of_rows(n_rows, static_cast<std::int64_t>(std::bit_ceil(rows)));
}

// Wide matrices have few tiles, or one: threads then share each, and every thread adds up a slice
// of the columns. That changes no bits.
inline std::int64_t n_slices(const Tiles& tiles, double cost_ns, const Context& ctx) {
  const int n_threads = useful_threads(ctx, ctx.n_threads, cost_ns);
  return tiles.count() < 2 * n_threads ? n_threads : 1;
}

template <class Own>
struct SparseSums {
  Buffer<double> products;  // (p + 1) x ld: X' R, and in the last row the sums of R
  Own own;                  // of the caller
};

template <class T, class Index>
class SparsePass {
 public:
  // V is (p + 1) x ld, row-major, the constants in its last row.
  SparsePass(CsrView<T, Index> X, const double* V, std::int64_t ld) : X_(X), V_(V), ld_(ld) {}

  // on_block(begin, end, z, own) replaces the scores z, ld for each row, and adds to `own`, which
  // begins as `zero` and has a function add.
  template <class Own, class OnBlock>
  SparseSums<Own> sums(const Own& zero, double cost_ns, const OnBlock& on_block,
                       const Context& ctx) const {
    const Tiles tiles = sparse_tiles(X_.n_rows(), size());
    const std::int64_t slices = X_.n_cols > 0 ? n_slices(tiles, cost_ns, ctx) : 1;
    SpareBuffers<double> spare;
    const auto of_tile = [&](std::int64_t first, std::int64_t last) {
      SparseSums<Own> sums{spare.take_zeros(size()), zero};
      sums.own = slices > 1 ? share_tile(first, last, slices, zero, cost_ns, on_block, sums, ctx)
                            : sum_tile(first, last, zero, on_block, sums, ctx);
      return sums;
    };
    const auto combine = [&](SparseSums<Own>& total, SparseSums<Own>&& next) {
      add_each(total.products, next.products);
      total.own.add(next.own);
      spare.give_back(std::move(next.products));
    };
    return parallel_reduce(ctx, tiles, slices > 1 ? 0.0 : cost_ns, of_tile, combine);
  }

 private:
  static constexpr std::int64_t kBlock = 64;      // rows that stay in cache between their two uses
  static constexpr std::int64_t kOwnRows = 1024;  // tiles of the caller's sums

  std::int64_t size() const { return (X_.n_cols + 1) * ld_; }

  template <class Own, class OnBlock>
  Own sum_tile(std::int64_t first, std::int64_t last, const Own& zero, const OnBlock& on_block,
               SparseSums<Own>& sums, const Context& ctx) const {
    Buffer<double> z(kBlock * ld_);
    const auto of_rows = [&](std::int64_t begin, std::int64_t end) {
      Own own = zero;
      for_blocks(first + begin, first + end, ctx, [&](std::int64_t from, std::int64_t to) {
        score(from, to, z.data());
        on_block(from, to, z.data(), own);
        add_products<true>(from, to, z.data(), 0, X_.n_cols, sums.products.data());
      });
      return own;
    };
    return own_sums(last - first, 0.0, of_rows, ctx);
  }

  // All scores first, then the columns in slices.
  template <class Own, class OnBlock>
  Own share_tile(std::int64_t first, std::int64_t last, std::int64_t slices, const Own& zero,
                 double cost_ns, const OnBlock& on_block, SparseSums<Own>& sums,
                 const Context& ctx) const {
    Buffer<double> z((last - first) * ld_);
    const auto of_rows = [&](std::int64_t begin, std::int64_t end) {
      Own own = zero;
      for_blocks(first + begin, first + end, ctx, [&](std::int64_t from, std::int64_t to) {
        double* scores = z.data() + (from - first) * ld_;
        score(from, to, scores);
        on_block(from, to, scores, own);
      });
      return own;
    };
    Own own = own_sums(last - first, cost_ns, of_rows, ctx);
    const Chunks columns = Chunks::of_rows(X_.n_cols, (X_.n_cols + slices - 1) / slices);
    parallel_for(ctx, columns.count(), cost_ns, [&](std::int64_t slice) {
      for_blocks(first, last, ctx, [&](std::int64_t from, std::int64_t to) {
        add_products<false>(from, to, z.data() + (from - first) * ld_, columns.begin(slice),
                            columns.end(slice), sums.products.data());
      });
    });
    return own;
  }

  template <class OfRows>
  static auto own_sums(std::int64_t n, double cost_ns, const OfRows& of_rows, const Context& ctx) {
    return parallel_reduce(ctx, Tiles::of_rows(n, kOwnRows), cost_ns, of_rows,
                           [](auto& total, const auto& next) { total.add(next); });
  }

  template <class Use>
  static void for_blocks(std::int64_t first, std::int64_t last, const Context& ctx,
                         const Use& use) {
    for (std::int64_t begin = first; begin < last; begin += kBlock) {
      ctx.check();
      use(begin, std::min(begin + kBlock, last));
    }
  }

  // sum += x row, of ld numbers; one number needs no loop.
  void add_times(double x, const double* row, double* sum) const {
    if (ld_ == 1)
      *sum += x * *row;
    else
      for (std::int64_t c = 0; c < ld_; ++c) sum[c] += x * row[c];
  }

  void score(std::int64_t begin, std::int64_t end, double* z) const {
    for (std::int64_t i = begin; i < end; ++i, z += ld_) {
      std::copy_n(V_ + X_.n_cols * ld_, ld_, z);
      const auto row = X_.row(i);
      double sum = *z;  // of one output, in a register
      for (std::size_t e = 0; e < row.cols.size(); ++e) {
        const auto x = static_cast<double>(row.values[e]);
        add_times(x, V_ + row.cols[e] * ld_, ld_ == 1 ? &sum : z);
      }
      if (ld_ == 1) *z = sum;
    }
  }

  // The sums of the columns first .. last; the sums of r go with the last column.
  template <bool kAll>
  void add_products(std::int64_t begin, std::int64_t end, const double* r, std::int64_t first,
                    std::int64_t last, double* products) const {
    for (std::int64_t i = begin; i < end; ++i, r += ld_) {
      const auto row = X_.row(i);
      for (std::size_t e = 0; e < row.cols.size(); ++e) {
        const auto j = static_cast<std::int64_t>(row.cols[e]);
        if (!kAll && (j < first || j >= last)) continue;
        add_times(static_cast<double>(row.values[e]), r, products + j * ld_);
      }
      if (last < X_.n_cols) continue;
      add_times(1.0, r, products + X_.n_cols * ld_);
    }
  }

  CsrView<T, Index> X_;
  const double* V_;
  std::int64_t ld_;
};

}  // namespace gramian::linalg
