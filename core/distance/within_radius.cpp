#include <algorithm>
#include <utility>

#include "distance/neighbours.hpp"
#include "distance/within_tiles.hpp"

namespace gramian::distance {
namespace {

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

}  // namespace

template <class T>
void count_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                  std::span<std::int64_t> counts, const Context& ctx) {
  for_each_within(X, Y, radius, self, Counts{counts}, ctx);
}

template <class T>
void fill_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                 Order order, std::span<const std::int64_t> starts, std::span<std::int64_t> index,
                 std::span<double> distance, const Context& ctx) {
  for_each_within(X, Y, radius, self, Lists{starts, index, distance, order}, ctx);
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
