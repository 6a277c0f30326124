#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/kd_tree.hpp"
#include "distance/kd_tree_walk.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kNobody = -1;

// The k nearest so far, as a heap with the farthest on top.
class Nearest {
 public:
  Nearest(std::int64_t k, std::int64_t left_out) : k_(at(k)), left_out_(left_out) {
    heap_.reserve(k_ + 1);
  }
  double limit() const {
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().first;
  }
  void add(double reduced, std::int64_t row) {
    if (row == left_out_) return;
    const std::pair candidate{std::isnan(reduced) ? limit_of_all() : reduced, row};
    if (heap_.size() == k_) {
      if (!(candidate < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  const std::vector<std::pair<double, std::int64_t>>& sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  static double limit_of_all() { return std::numeric_limits<double>::infinity(); }

  std::size_t k_;
  std::int64_t left_out_;
  std::vector<std::pair<double, std::int64_t>> heap_;
};

// All within a radius. The limit of the walk is a little wider; the distance itself decides.
class Within {
 public:
  Within(const Measure& measure, double radius, std::int64_t left_out)
      : measure_(measure), radius_(radius), left_out_(left_out) {
    if (measure.metric == Metric::euclidean)
      limit_ = radius * radius;
    else if (measure.metric == Metric::minkowski)
      limit_ = std::pow(radius, measure.power);
    else
      limit_ = radius;
    limit_ *= 1.0 + 1e-12;
  }
  double limit() const { return limit_; }
  void add(double reduced, std::int64_t row) {
    const double distance = from_reduced(measure_, reduced);
    if (distance <= radius_ && row != left_out_) found.emplace_back(distance, row);
  }
  std::vector<std::pair<double, std::int64_t>> found{};

 private:
  const Measure& measure_;
  double radius_;
  std::int64_t left_out_;
  double limit_;
};

double radius_of(std::span<const double> radii, std::int64_t i) {
  return radii.size() == 1 ? radii[0] : radii[at(i)];
}

}  // namespace

template <class T>
void k_nearest_in_tree(MatrixView<const T> X, const KdTree& tree, Self self,
                       MatrixView<std::int64_t> index, MatrixView<double> distance,
                       const Context& ctx) {
  const bool leaves_out = self == Self::is_left_out;
  const std::int64_t k = index.n_cols;
  if (k + (leaves_out ? 1 : 0) > tree.shape.n_rows)
    throw InvalidArgument("there are fewer rows than neighbours");
  if (k == 0) return;
  const double cost_ns = 1000.0 + 50.0 * static_cast<double>(k);
  for_each_query(X, tree, cost_ns, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    Nearest nearest(k, leaves_out ? i : kNobody);
    walk.visit(nearest, ctx);
    const auto& sorted = nearest.sorted();
    for (std::int64_t c = 0; c < k; ++c) {
      index(i, c) = sorted[at(c)].second;
      distance(i, c) = from_reduced(tree.measure, sorted[at(c)].first);
    }
  });
}

template <class T>
void count_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                          Self self, std::span<std::int64_t> counts, const Context& ctx) {
  for_each_query(X, tree, 2000.0, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    Within within(tree.measure, radius_of(radii, i), self == Self::is_left_out ? i : kNobody);
    walk.visit(within, ctx);
    counts[at(i)] = static_cast<std::int64_t>(within.found.size());
  });
}

template <class T>
void fill_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                         Self self, Order order, std::span<const std::int64_t> starts,
                         std::span<std::int64_t> index, std::span<double> distance,
                         const Context& ctx) {
  for_each_query(X, tree, 3000.0, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    Within within(tree.measure, radius_of(radii, i), self == Self::is_left_out ? i : kNobody);
    walk.visit(within, ctx);
    auto& found = within.found;
    if (order == Order::by_distance)
      std::sort(found.begin(), found.end());
    else
      std::sort(found.begin(), found.end(),
                [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::size_t begin = at(starts[at(i)]);
    const std::size_t n = std::min(found.size(), at(starts[at(i + 1)]) - begin);
    for (std::size_t c = 0; c < n; ++c) std::tie(distance[begin + c], index[begin + c]) = found[c];
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                    \
  template void k_nearest_in_tree(MatrixView<const T>, const KdTree&, Self,                       \
                                  MatrixView<std::int64_t>, MatrixView<double>, const Context&);  \
  template void count_within_in_tree(MatrixView<const T>, const KdTree&, std::span<const double>, \
                                     Self, std::span<std::int64_t>, const Context&);              \
  template void fill_within_in_tree(MatrixView<const T>, const KdTree&, std::span<const double>,  \
                                    Self, Order, std::span<const std::int64_t>,                   \
                                    std::span<std::int64_t>, std::span<double>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
