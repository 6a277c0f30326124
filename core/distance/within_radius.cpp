#include <algorithm>
#include <cmath>
#include <utility>

#include "distance/filter_tiles.hpp"
#include "distance/neighbours.hpp"
#include "distance/true_distances.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kCapacity = 512;
constexpr std::int64_t kFewRows = 2;
constexpr double kRounding = 0x1p-50;  // of a squared radius and its root

struct Counts {
  static constexpr bool kNeedsDistances = false;
  std::span<std::int64_t> counts;

  void begin(std::int64_t row) const { counts[at(row)] = 0; }
  void add(std::int64_t row, std::int32_t) const { ++counts[at(row)]; }
  void add(std::int64_t row, std::int32_t column, double) const { add(row, column); }
  void end(std::int64_t) const {}
};

struct Lists {
  static constexpr bool kNeedsDistances = true;
  std::span<const std::int64_t> starts;
  std::span<std::int64_t> index;
  std::span<double> distance;
  Order order;
  std::vector<std::int64_t> places{};  // of the next entry of each row of the chunk
  std::int64_t first = 0;

  void begin(std::int64_t row) {
    if (places.empty()) first = row;
    places.push_back(starts[at(row)]);
  }
  void add(std::int64_t, std::int32_t) const {}
  void add(std::int64_t row, std::int32_t column, double value) {
    const std::int64_t place = places[at(row - first)]++;
    index[at(place)] = column;
    distance[at(place)] = value;
  }
  void end(std::int64_t row) const {
    if (order == Order::by_number) return;
    const std::size_t begin = at(starts[at(row)]), n = at(starts[at(row + 1)]) - begin;
    std::vector<std::pair<double, std::int64_t>> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = {distance[begin + i], index[begin + i]};
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < n; ++i) std::tie(distance[begin + i], index[begin + i]) = sorted[i];
  }
};

template <class T, class Sink>
class Within {
 public:
  Within(MatrixView<const T> X, const FilterRows<T>& Y, double radius, Self self, Sink sink,
         std::int64_t first, std::vector<double> norms)
      : X_(X),
        Y_(Y),
        radius_(radius),
        self_(self),
        sink_(std::move(sink)),
        first_(first),
        norms_(std::move(norms)),
        table_(whole_tiles(n_rows()), kCapacity + kSurvivorRoom),
        exact_(Y.rows()) {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      sink_.begin(first_ + i);
      if (std::isfinite(norms_[at(i)])) table_[i].limit = rounded_up_to_float(limit(i, 1.0));
    }
  }

  Survivors& survivors(std::int64_t i) { return table_[i]; }

  void settle(std::int64_t i) {
    if (table_[i].count > kCapacity) judge(i);
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
    return 0.5 * scaled * scaled * (1.0 + side * kRounding) -
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
    squares_.resize(at(kCapacity));
    exact_.set_row(X_, first_ + i);
    for (std::int64_t col = 0; col < Y_.n_rows(); col += kCapacity) {
      ctx.check();
      const std::int64_t n = std::min(kCapacity, Y_.n_rows() - col);
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

template <class T, class Sink>
void search_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                   const Sink& sink, const Context& ctx) {
  const FilterRows<T> rows(Y, X.n_rows <= kFewRows ? Filter::off : Filter::on, ctx);
  for_each_filter_tile(X, rows, chunk_rows(Y.n_cols, kCapacity + kSurvivorRoom), ctx,
                       [&](std::int64_t first, std::int64_t, std::vector<double>& norms) {
                         return Within<T, Sink>(X, rows, radius, self, sink, first,
                                                std::move(norms));
                       });
}

}  // namespace

template <class T>
void count_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                  std::span<std::int64_t> counts, const Context& ctx) {
  search_within(X, Y, radius, self, Counts{counts}, ctx);
}

template <class T>
void fill_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                 Order order, std::span<const std::int64_t> starts, std::span<std::int64_t> index,
                 std::span<double> distance, const Context& ctx) {
  search_within(X, Y, radius, self, Lists{starts, index, distance, order}, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                             \
  template void count_within(MatrixView<const T>, MatrixView<const T>, double, Self,       \
                             std::span<std::int64_t>, const Context&);                     \
  template void fill_within(MatrixView<const T>, MatrixView<const T>, double, Self, Order, \
                            std::span<const std::int64_t>, std::span<std::int64_t>,        \
                            std::span<double>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
