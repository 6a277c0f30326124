#include "metrics/plane_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"

namespace gramian::metrics {
namespace {

constexpr std::int64_t kLeaf = 12;  // points; measured
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double distance(const Point& a, const Point& b) {
  return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
}

// How far `value` is from an interval; 0 inside of it.
double outside(double value, double low, double high) {
  return std::max({low - value, value - high, 0.0});
}

}  // namespace

PlaneTree::PlaneTree(std::vector<Point> points) : points_(std::move(points)) {
  const auto n = static_cast<std::int64_t>(points_.size());
  std::size_t n_nodes = 1;
  for (std::int64_t largest = n; largest > kLeaf; largest = (largest + 1) / 2)
    n_nodes = 2 * n_nodes + 1;
  boxes_.resize(n_nodes);
  build(0, 0, n);
}

void PlaneTree::build(std::size_t node, std::int64_t begin, std::int64_t end) {
  Box box{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
  for (std::int64_t i = begin; i < end; ++i) {
    const Point& point = points_[at(i)];
    box.low = {std::min(box.low.x, point.x), std::min(box.low.y, point.y)};
    box.high = {std::max(box.high.x, point.x), std::max(box.high.y, point.y)};
  }
  boxes_[node] = box;
  if (end - begin <= kLeaf) return;
  const std::int64_t middle = begin + (end - begin) / 2;
  const bool by_x = box.high.x - box.low.x >= box.high.y - box.low.y;
  const auto first = points_.begin();
  std::nth_element(first + begin, first + middle, first + end,
                   [by_x](const Point& a, const Point& b) { return by_x ? a.x < b.x : a.y < b.y; });
  build(2 * node + 1, begin, middle);
  build(2 * node + 2, middle, end);
}

double PlaneTree::kth_distance(std::int64_t query, std::span<double> nearest) const {
  std::ranges::fill(nearest, kInfinity);
  search(0, 0, static_cast<std::int64_t>(points_.size()), query, nearest);
  return nearest.back();
}

// `nearest` holds the least distances seen so far, in rising order.
void PlaneTree::search(std::size_t node, std::int64_t begin, std::int64_t end, std::int64_t query,
                       std::span<double> nearest) const {
  const Point& point = points_[at(query)];
  if (end - begin <= kLeaf) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double found = distance(points_[at(i)], point);
      if (found >= nearest.back() || i == query) continue;
      std::size_t place = nearest.size() - 1;
      for (; place > 0 && nearest[place - 1] > found; --place) nearest[place] = nearest[place - 1];
      nearest[place] = found;
    }
    return;
  }
  const std::int64_t middle = begin + (end - begin) / 2;
  const auto distance_to = [&](std::size_t child) {
    const Box& box = boxes_[child];
    return std::max(outside(point.x, box.low.x, box.high.x),
                    outside(point.y, box.low.y, box.high.y));
  };
  const std::size_t left = 2 * node + 1;
  const double to_left = distance_to(left);
  const double to_right = distance_to(left + 1);
  const auto go_left = [&] {
    if (to_left < nearest.back()) search(left, begin, middle, query, nearest);
  };
  if (to_left <= to_right) go_left();
  if (to_right < nearest.back()) search(left + 1, middle, end, query, nearest);
  if (to_left > to_right) go_left();
}

}  // namespace gramian::metrics
