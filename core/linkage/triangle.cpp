#include "linkage/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "linkage/few_rows.hpp"
#include "linkage/linkage_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linkage {
namespace {

struct StoreTile {
  Triangle* out;

  void add(const distance::Tile& tile) const {
    for (std::int64_t i = 0; i < tile.n_rows; ++i) {
      const std::int64_t row = tile.first_row + i;
      const std::int64_t n = std::min(tile.n_cols, row - tile.first_col + 1);
      const double* values = tile.values + i * distance::kTileCols;
      for (std::int64_t j = 0; j < n; ++j) (*out)(row, tile.first_col + j) = values[j];
    }
  }
  void finish() const {}
};

template <class T>
void fill_of_few_rows(MatrixView<const T> X, bool takes_roots, Triangle& out, const Context& ctx) {
  const std::vector<double> squares = squares_of_pairs(X, ctx);
  for (std::int64_t i = 0; i < X.n_rows; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      const double square = squares[at(i * X.n_rows + j)];
      out(i, j) = takes_roots ? std::sqrt(square) : square;
    }
}

}  // namespace

void Triangle::read_row(std::int64_t i, double* out) const {
  const std::int64_t I = i / kTile, row = i % kTile;
  for (std::int64_t J = 0; J <= I; ++J) {
    const double* tile = place(i, J * kTile);
    std::copy_n(tile, J < I ? kTile : row + 1, out + J * kTile);
  }
  for (std::int64_t j = i + 1; j < n_;) {
    const std::int64_t end = std::min((j / kTile + 1) * kTile, n_);
    const double* column = place(j, i);
    for (; j < end; ++j, column += kTile) out[j] = *column;
  }
}

void Triangle::write_row(std::int64_t i, const double* values) const {
  const std::int64_t I = i / kTile, row = i % kTile;
  for (std::int64_t J = 0; J <= I; ++J)
    std::copy_n(values + J * kTile, J < I ? kTile : row + 1, place(i, J * kTile));
  for (std::int64_t j = i + 1; j < n_;) {
    const std::int64_t end = std::min((j / kTile + 1) * kTile, n_);
    double* column = place(j, i);
    for (; j < end; ++j, column += kTile) *column = values[j];
  }
}

// In the order of the new places no entry is overwritten before it was moved: slots only decrease.
void Triangle::keep(std::span<const std::int64_t> slots, const Context& ctx) {
  const auto m = static_cast<std::int64_t>(slots.size());
  std::vector<std::int64_t> offsets(slots.size());  // of the columns, from the start of a row
  for (std::size_t j = 0; j < slots.size(); ++j)
    offsets[j] = slots[j] / kTile * kTile * kTile + slots[j] % kTile;
  for (std::int64_t i = 0; i < m; ++i) {
    ctx.check();
    const double* from = place(slots[at(i)], 0);
    double* to = place(i, 0);
    for (std::int64_t j = 0; j <= i; to += kTile * kTile) {
      const std::int64_t n = std::min(kTile, i + 1 - j);
      for (std::int64_t k = 0; k < n; ++k, ++j) to[k] = from[offsets[at(j)]];
    }
  }
  n_ = m;
}

void Triangle::nearest_of_all(std::span<std::int64_t> nearest, std::span<double> least,
                              const Context& ctx) const {
  std::vector<double> row(at(n_));
  for (std::int64_t i = 0; i < n_; ++i) {
    ctx.check();
    const std::int64_t I = i / kTile;
    for (std::int64_t J = 0; J <= I; ++J)
      std::copy_n(place(i, J * kTile), J < I ? kTile : i % kTile + 1, row.data() + J * kTile);
    double least_of_row = std::numeric_limits<double>::infinity();
    const std::int64_t found = GRAMIAN_DISPATCH(least_entry, row.data(), i, &least_of_row);
    nearest[at(i)] = found < i ? found : -1;
    least[at(i)] = least_of_row;
    for (std::int64_t j = 0; j < i; ++j) {
      if (!(row[at(j)] < least[at(j)])) continue;
      least[at(j)] = row[at(j)];
      nearest[at(j)] = i;
    }
  }
}

template <class T>
void fill_triangle(const distance::Measure& measure, MatrixView<const T> X, Triangle& out,
                   const Context& ctx) {
  using distance::Metric;
  const bool is_euclidean = measure.metric == Metric::euclidean;
  if (X.n_rows <= kFewRows && (is_euclidean || measure.metric == Metric::sqeuclidean))
    return fill_of_few_rows(X, is_euclidean, out, ctx);
  // Strips of rows against the rows up to them: half of all pairs.
  constexpr std::int64_t kStrip = 2048;
  for (std::int64_t first = 0; first < X.n_rows; first += kStrip) {
    const std::int64_t last = std::min(first + kStrip, X.n_rows);
    const distance::PackedRows columns(measure, X.rows(0, last), ctx);
    struct Shifted {
      StoreTile store;
      std::int64_t first;
      void add(distance::Tile tile) const {
        tile.first_row += first;
        store.add(tile);
      }
      void finish() const {}
    };
    distance::for_each_tile(X.rows(first, last), columns, ctx,
                            [&](std::int64_t, std::int64_t) { return Shifted{{&out}, first}; });
  }
}

template <class T>
void fill_triangle_rows(MatrixView<const T> block, std::int64_t first, bool squares, Triangle& out,
                        const Context& ctx) {
  const Chunks chunks = Chunks::of_rows(block.n_rows, 32);
  const double cost_ns = 1.0 * static_cast<double>(block.n_rows * block.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      for (std::int64_t j = first + i; j < block.n_cols; ++j) {
        const auto value = static_cast<double>(block(i, j));
        out(j, first + i) = squares ? value * value : value;
      }
    }
  });
}

void fill_triangle_condensed(std::span<const double> condensed, bool squares, Triangle& out,
                             const Context& ctx) {
  const double* value = condensed.data();
  for (std::int64_t i = 0; i < out.n(); ++i) {
    ctx.check();
    for (std::int64_t j = i + 1; j < out.n(); ++j, ++value)
      out(j, i) = squares ? *value * *value : *value;
  }
}

#define GRAMIAN_INSTANTIATE(T)                                                          \
  template void fill_triangle(const distance::Measure&, MatrixView<const T>, Triangle&, \
                              const Context&);                                          \
  template void fill_triangle_rows(MatrixView<const T>, std::int64_t, bool, Triangle&,  \
                                   const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linkage
