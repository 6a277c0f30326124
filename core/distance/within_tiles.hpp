// All pairs of rows within a radius, by the float32 filter, with what is done with them left to a
// sink. If the sink needs no distances, pairs that are surely within are not summed again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "distance/filter_tiles.hpp"
#include "distance/neighbours.hpp"
#include "distance/true_distances.hpp"

namespace gramian::distance {

inline constexpr std::int64_t kWithinCapacity = 512;
inline constexpr std::int64_t kFewRowsToFilter = 2;
inline constexpr double kRadiusRounding = 0x1p-50;  // of a squared radius and its root

template <class T, class Sink>
class WithinTiles {
 public:
  WithinTiles(MatrixView<const T> X, const FilterRows<T>& Y, double radius, Self self, Sink sink,
              std::int64_t first, std::vector<double> norms)
      : X_(X),
        Y_(Y),
        radius_(radius),
        self_(self),
        sink_(std::move(sink)),
        first_(first),
        norms_(std::move(norms)),
        table_(whole_tiles(n_rows()), kWithinCapacity + kSurvivorRoom),
        exact_(Y.rows()) {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      sink_.begin(first_ + i);
      if (std::isfinite(norms_[at(i)])) table_[i].limit = rounded_up_to_float(limit(i, 1.0));
    }
  }

  Survivors& survivors(std::int64_t i) { return table_[i]; }

  void settle(std::int64_t i) {
    if (table_[i].count > kWithinCapacity) judge(i);
  }

  void finish(const Context& ctx) {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      ctx.check();
      if (std::isfinite(norms_[at(i)]))
        judge(i);
      else
        judge_all(i, ctx);
      sink_.end(first_ + i);
    }
  }

 private:
  std::int64_t n_rows() const { return static_cast<std::int64_t>(norms_.size()); }

  // Of a score, such that above it (side 1) all rows are beyond the radius, or below it (side -1),
  // with the slack added, all are within.
  double limit(std::int64_t i, double side) const {
    const double scaled = radius_ * Y_.scale();
    return 0.5 * scaled * scaled * (1.0 + side * kRadiusRounding) -
           0.5 * norms_[at(i)] * (1.0 - side * Y_.beta()) + side * 2.0 * Y_.tiny_loss();
  }

  void judge(std::int64_t i) {
    Survivors& row = table_[i];
    std::int32_t n = row.count;
    if constexpr (!Sink::kNeedsDistances) {
      const double sure = limit(i, -1.0);
      n = 0;
      for (std::int32_t c = 0; c < row.count; ++c) {
        const std::int32_t column = row.columns[c];
        if (static_cast<double>(row.scores[c]) + Y_.slack(column) < sure && !is_self(i, column))
          sink_.add(first_ + i, column);
        else
          row.columns[n++] = column;
      }
    }
    squares_.resize(at(n));
    exact_.set_row(X_, first_ + i);
    exact_.squared(row.columns, n, squares_.data());
    for (std::int32_t c = 0; c < n; ++c) take(i, row.columns[c], squares_[at(c)]);
    row.count = 0;
  }

  void judge_all(std::int64_t i, const Context& ctx) {
    squares_.resize(at(kWithinCapacity));
    exact_.set_row(X_, first_ + i);
    for (std::int64_t col = 0; col < Y_.n_rows(); col += kWithinCapacity) {
      ctx.check();
      const std::int64_t n = std::min(kWithinCapacity, Y_.n_rows() - col);
      exact_.squared(col, n, squares_.data());
      for (std::int64_t c = 0; c < n; ++c)
        take(i, static_cast<std::int32_t>(col + c), squares_[at(c)]);
    }
  }

  bool is_self(std::int64_t i, std::int32_t column) const {
    return self_ == Self::is_left_out && column == first_ + i;
  }

  void take(std::int64_t i, std::int32_t column, double square) {
    const double distance = std::sqrt(square);
    if (distance <= radius_ && !is_self(i, column)) sink_.add(first_ + i, column, distance);
  }

  MatrixView<const T> X_;
  const FilterRows<T>& Y_;
  double radius_;
  Self self_;
  Sink sink_;
  std::int64_t first_;
  std::vector<double> norms_;
  SurvivorTable table_;
  TrueDistances<T> exact_;
  std::vector<double> squares_;
};

// Shows every pair of rows within the radius to a copy of the sink, one for each chunk of X:
// begin(i) for its rows in order, add(i, j) or add(i, j, distance) for their pairs, end(i) after
// the last.
template <class T, class Sink>
void for_each_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                     const Sink& sink, const Context& ctx) {
  const FilterRows<T> rows(Y, X.n_rows <= kFewRowsToFilter ? Filter::off : Filter::on, ctx);
  for_each_filter_tile(X, rows, chunk_rows(Y.n_cols, kWithinCapacity + kSurvivorRoom), ctx,
                       [&](std::int64_t first, std::int64_t, std::vector<double>& norms) {
                         return WithinTiles<T, Sink>(X, rows, radius, self, sink, first,
                                                     std::move(norms));
                       });
}

}  // namespace gramian::distance
