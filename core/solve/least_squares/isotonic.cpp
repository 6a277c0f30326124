#include "solve/least_squares/isotonic.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "metrics/order.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 16;

// Values [the block before's end, end) with one fitted value.
struct Block {
  double mean;
  double sum;  // of w y
  double weight;
  std::int64_t end;
};

// Blocks with strictly rising means. The last one stays open: what follows is compared with it by a
// product, and its mean is divided once, when it is closed.
class BlockStack {
 public:
  explicit BlockStack(std::size_t n_values) { blocks_.reserve(n_values); }

  // Appends the next value, or group of values at one place; mean = sum / weight.
  void push(double mean, double sum, double weight) {
    if (mean * open_.weight > open_.sum || open_.weight == 0.0) {
      if (open_.weight > 0.0) close();
      open_ = {mean, sum, weight, open_.end + 1};
      return;
    }
    open_.sum += sum;
    open_.weight += weight;
    ++open_.end;
    while (!blocks_.empty() && blocks_.back().mean * open_.weight >= open_.sum) pool();
  }

  // Closes the last block and returns all of them.
  const std::vector<Block>& finish() {
    close();
    return blocks_;
  }

 private:
  void pool() {
    open_.sum += blocks_.back().sum;
    open_.weight += blocks_.back().weight;
    blocks_.pop_back();
  }

  void close() {
    open_.mean = open_.sum / open_.weight;
    while (!blocks_.empty() && !(blocks_.back().mean < open_.mean)) {  // rounding only
      pool();
      open_.mean = open_.sum / open_.weight;
    }
    blocks_.push_back(open_);
  }

  std::vector<Block> blocks_;
  Block open_{0.0, 0.0, 0.0, 0};
};

template <class T>
struct PlainPoint {
  typename metrics::Order<T>::Key key;
  T y;

  double weight() const { return 1.0; }
  static PlainPoint of(const IsotonicPoints<T>& points, std::size_t i) {
    return {metrics::Order<T>::key(points.x[i]), points.y[i]};
  }
  bool operator<(const PlainPoint& other) const { return y < other.y; }
};

template <class T>
struct WeightedPoint {
  typename metrics::Order<T>::Key key;
  T y;
  double w;

  double weight() const { return w; }
  static WeightedPoint of(const IsotonicPoints<T>& points, std::size_t i) {
    return {metrics::Order<T>::key(points.x[i]), points.y[i], points.weight[i]};
  }
  bool operator<(const WeightedPoint& other) const {
    return y < other.y || (y == other.y && w < other.w);
  }
};

// The points in falling order of x; their keys are distances from the smallest.
template <class T, class Point>
class SortedPoints {
 public:
  using Key = typename metrics::Order<T>::Key;

  SortedPoints(const IsotonicPoints<T>& points, const Context& ctx)
      : points_(static_cast<std::int64_t>(points.x.size())) {
    const std::int64_t n = points_.size();
    const Chunks chunks = Chunks::of_rows(n, kChunk);
    const double cost_ns = 2.0 * static_cast<double>(n);
    using Range = std::pair<Key, Key>;
    const Range range = parallel_reduce_exact(
        ctx, chunks, cost_ns,
        [&](std::int64_t begin, std::int64_t end) {
          Range found{std::numeric_limits<Key>::max(), 0};
          for (std::int64_t i = begin; i < end; ++i) {
            points_[i] = Point::of(points, static_cast<std::size_t>(i));
            found = {std::min(found.first, points_[i].key), std::max(found.second, points_[i].key)};
          }
          return found;
        },
        [](Range& total, const Range& next) {
          total = {std::min(total.first, next.first), std::max(total.second, next.second)};
        });
    base_ = range.first;
    parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
      for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        points_[i].key -= base_;
    });
    const auto key = [](const Point& point) { return point.key; };
    const metrics::RadixSort<Point, decltype(key)> sort(key, ctx);
    Buffer<Point> scratch(n);
    const auto n_bits = static_cast<int>(std::bit_width(static_cast<Key>(range.second - base_)));
    sort(points_.data(), scratch.data(), n, n_bits);
  }

  // Calls fn(x, begin, end) for the points at each distinct x, from the smallest on.
  template <class Function>
  void for_each_place(const Context& ctx, const Function& fn) {
    for (std::int64_t end = points_.size(); end > 0;) {
      std::int64_t begin = end - 1;
      const Key key = points_[begin].key;
      while (begin > 0 && points_[begin - 1].key == key) --begin;
      // Sums in one order only, whichever the points came in.
      if (end - begin > 1) std::sort(points_.data() + begin, points_.data() + end);
      if ((begin ^ end) & kChunk) ctx.check();
      fn(metrics::Order<T>::score(static_cast<Key>(key + base_)), points_.data() + begin,
         points_.data() + end);
      end = begin;
    }
  }

 private:
  Buffer<Point> points_;
  Key base_ = 0;
};

// Pools the points; x_out becomes the places, one per value in the stack.
template <class T, class Point>
BlockStack pool(const IsotonicPoints<T>& points, const IsotonicOptions& options, std::span<T> x_out,
                const Context& ctx) {
  const double sign = options.is_increasing ? 1.0 : -1.0;
  BlockStack stack(points.x.size());
  double sum = 0.0;
  double weight = 0.0;
  std::size_t place = 0;
  SortedPoints<T, Point>(points, ctx)
      .for_each_place(ctx, [&](T x, const Point* begin, const Point* end) {
        if (weight > 0.0 && static_cast<double>(x - x_out[place]) >= options.x_tolerance) {
          stack.push(sum / weight, sum, weight);
          sum = weight = 0.0;
          ++place;
        }
        if (weight == 0.0) x_out[place] = x;
        for (const Point* point = begin; point != end; ++point) {
          sum += sign * point->weight() * static_cast<double>(point->y);
          weight += point->weight();
        }
      });
  stack.push(sum / weight, sum, weight);
  return stack;
}

// Drops the points between others of the same height; returns how many are left.
template <class T>
std::int64_t drop_inner(std::span<T> x, std::span<T> y, std::size_t n) {
  std::size_t kept = 1;
  for (std::size_t i = 1; i < n; ++i) {
    if (i + 1 < n && y[i] == y[kept - 1] && y[i] == y[i + 1]) continue;
    x[kept] = x[i];
    y[kept] = y[i];
    ++kept;
  }
  return static_cast<std::int64_t>(kept);
}

}  // namespace

template <class T>
void isotonic_values(std::span<const T> y, std::span<const double> weight, bool is_increasing,
                     std::span<T> out, const Context& ctx) {
  const double sign = is_increasing ? 1.0 : -1.0;
  BlockStack stack(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i % static_cast<std::size_t>(kChunk) == 0) ctx.check();
    const double w = weight.empty() ? 1.0 : weight[i];
    const double value = sign * static_cast<double>(y[i]);
    stack.push(value, w * value, w);
  }
  std::int64_t begin = 0;
  for (const Block& block : stack.finish()) {
    std::fill(out.begin() + begin, out.begin() + block.end, static_cast<T>(sign * block.mean));
    begin = block.end;
  }
}

template <class T>
std::int64_t isotonic_corners(const IsotonicPoints<T>& points, const IsotonicOptions& options,
                              std::span<T> x_out, std::span<T> y_out, const Context& ctx) {
  if (points.x.empty()) return 0;
  BlockStack stack = points.weight.empty() ? pool<T, PlainPoint<T>>(points, options, x_out, ctx)
                                           : pool<T, WeightedPoint<T>>(points, options, x_out, ctx);
  const double sign = options.is_increasing ? 1.0 : -1.0;
  std::size_t n_corners = 0;  // never beyond the block's first place, so that none is overwritten
  std::int64_t begin = 0;
  for (const Block& block : stack.finish()) {
    const auto y =
        static_cast<T>(std::min(std::max(sign * block.mean, options.y_min), options.y_max));
    const auto first = static_cast<std::size_t>(begin);
    const auto last = static_cast<std::size_t>(block.end - 1);
    const T ends[2] = {x_out[first], x_out[last]};
    for (std::size_t k = 0; k < (first == last ? 1 : 2); ++k, ++n_corners) {
      x_out[n_corners] = ends[k];
      y_out[n_corners] = y;
    }
    begin = block.end;
  }
  return drop_inner(x_out, y_out, n_corners);
}

#define GRAMIAN_INSTANTIATE(T)                                                                   \
  template void isotonic_values(std::span<const T>, std::span<const double>, bool, std::span<T>, \
                                const Context&);                                                 \
  template std::int64_t isotonic_corners(const IsotonicPoints<T>&, const IsotonicOptions&,       \
                                         std::span<T>, std::span<T>, const Context&);

GRAMIAN_INSTANTIATE(double)
GRAMIAN_INSTANTIATE(float)

#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::solve
