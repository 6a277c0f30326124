// The distances of all pairs, each held once: tiles of kTile x kTile doubles below the diagonal of
// the square matrix and on it. Row i is read as the rows of the tiles left of the diagonal and the
// columns of those below it; a column of a tile lies in few pages, other than one of a condensed
// matrix.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/tiles.hpp"

namespace gramian::linkage {

class Triangle {
 public:
  static constexpr std::int64_t kTile = 32;

  Triangle(double* values, std::int64_t n) : values_(values), n_(n) {}

  static std::int64_t size_for(std::int64_t n) {
    const std::int64_t tiles = (n + kTile - 1) / kTile;
    return tiles * (tiles + 1) / 2 * kTile * kTile;
  }

  std::int64_t n() const { return n_; }
  double& operator()(std::int64_t i, std::int64_t j) const {
    return i >= j ? *place(i, j) : *place(j, i);
  }

  void read_row(std::int64_t i, double* out) const;
  void write_row(std::int64_t i, const double* values) const;

  // For each row the nearest other one, the first of several, and its distance, in one pass; -1 if
  // all are infinite.
  void nearest_of_all(std::span<std::int64_t> nearest, std::span<double> least,
                      const Context& ctx) const;

  // Keeps the rows and columns of these slots, which ascend, as the first ones.
  void keep(std::span<const std::int64_t> slots, const Context& ctx);

 private:
  double* place(std::int64_t i, std::int64_t j) const {  // i >= j
    const std::int64_t I = i / kTile, J = j / kTile;
    return values_ + ((I * (I + 1) / 2 + J) * kTile + i % kTile) * kTile + j % kTile;
  }

  double* values_;
  std::int64_t n_;
};

// All distances between the rows; Metric::sqeuclidean for ward, centroid and median.
template <class T>
void fill_triangle(const distance::Measure& measure, MatrixView<const T> X, Triangle& out,
                   const Context& ctx);

// The rows first .. of a square matrix of distances, of which the entries right of the diagonal
// count. With `squares` their squares are kept.
template <class T>
void fill_triangle_rows(MatrixView<const T> block, std::int64_t first, bool squares, Triangle& out,
                        const Context& ctx);

// The same of the entries right of the diagonal, row by row.
void fill_triangle_condensed(std::span<const double> condensed, bool squares, Triangle& out,
                             const Context& ctx);

}  // namespace gramian::linkage
