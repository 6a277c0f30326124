// The tiles of a float32 filter: chunks of the rows of X against all rows of Y.
//
// A visitor holds the survivors of its chunk's rows. After each tile it may take them away, and
// must where there is no room for those of the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/filter.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {

inline constexpr float kNoLimit = std::numeric_limits<float>::max();
inline constexpr float kNothingPasses = -kNoLimit;

// The survivors of some rows, with room for the same number each.
class SurvivorTable {
 public:
  SurvivorTable(std::int64_t n_rows, std::int64_t room)
      : scores_(n_rows * room), columns_(n_rows * room) {
    for (std::int64_t i = 0; i < n_rows; ++i)
      rows_.push_back({kNothingPasses, 0, scores_.data() + i * room, columns_.data() + i * room});
  }
  Survivors& operator[](std::int64_t i) { return rows_[at(i)]; }

 private:
  Buffer<float> scores_;
  Buffer<std::int32_t> columns_;
  std::vector<Survivors> rows_;
};

inline std::int64_t whole_tiles(std::int64_t n_rows) {
  return (n_rows + kFilterRows - 1) / kFilterRows * kFilterRows;
}

// As many rows as keep a task's share of the cache, and of memory, small.
inline std::int64_t chunk_rows(std::int64_t n_features, std::int64_t room) {
  constexpr std::int64_t kBytes = 1 << 19, kSurvivorBytes = 1 << 22, kMostRows = 128;
  const std::int64_t by_cache = kBytes / (4 * std::max<std::int64_t>(n_features, 1));
  const std::int64_t by_memory = kSurvivorBytes / (8 * room);
  const std::int64_t rows = std::min({by_cache, by_memory, kMostRows});
  return std::max<std::int64_t>(rows / kFilterRows, 1) * kFilterRows;
}

// make_visitor(first, last, squared_norms) for each chunk; then for each tile of its rows
// visitor.settle(i) for the rows i of the chunk it had, and at last visitor.finish(). A norm is
// infinite where the filter says nothing of a row.
template <class T, class MakeVisitor>
void for_each_filter_tile(MatrixView<const T> X, const FilterRows<T>& Y, std::int64_t rows_at_once,
                          const Context& ctx, MakeVisitor&& make_visitor) {
  const Chunks chunks = Chunks::of_rows(X.n_rows, rows_at_once);
  const double cost_ns = static_cast<double>(X.n_rows) * static_cast<double>(Y.n_rows()) *
                         (0.2 + 0.02 * static_cast<double>(Y.n_features()));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    const std::int64_t first = chunks.begin(task), n = chunks.end(task) - first;
    const std::int64_t p = Y.n_features();
    auto x = Buffer<float>::zeros(whole_tiles(n) * p);
    std::vector<double> norms(at(n));
    for (std::int64_t i = 0; i < n; ++i) norms[at(i)] = Y.pack(X, first + i, x.data() + i * p);
    auto visitor = make_visitor(first, first + n, norms);
    const std::int64_t n_cols = Y.is_usable() ? Y.n_rows() : 0;
    for (std::int64_t col = 0; col < n_cols; col += Y.block_cols(col)) {
      ctx.check();
      for (std::int64_t i = 0; i < n; i += kFilterRows) {
        GRAMIAN_DISPATCH(filter_tile, Y.operands(x.data() + i * p, col), &visitor.survivors(i));
        for (std::int64_t r = i; r < std::min(i + kFilterRows, n); ++r) visitor.settle(r);
      }
    }
    visitor.finish(ctx);
  });
}

}  // namespace gramian::distance
