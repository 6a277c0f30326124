#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/groups.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/reduced.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kNobody = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kNotNumbers = "a distance between the rows is not a number";

// The heaps of a group lie in the rows of the answer.
class NearestOfGroup {
 public:
  void start(std::span<double> limits, const Places& queries, Self self,
             MatrixView<std::int64_t> index, MatrixView<double> distance) {
    limits_ = limits;
    n_ = queries.size();
    for (std::size_t q = 0; q < n_; ++q) {
      const std::int64_t i = queries[q];
      heaps_[q] = {distance.row(i).data(), index.row(i).data(), index.n_cols,
                   self == Self::is_left_out ? i : kNobody};
      std::fill_n(heaps_[q].distances, index.n_cols, kInfinity);
      std::fill_n(heaps_[q].rows, index.n_cols, kNoRow);
      limits_[q] = kInfinity;
    }
  }

  bool take(const QueryGroup& group, const LeafView& leaf, std::uint32_t queries) {
    GRAMIAN_DISPATCH(take_nearest, group, leaf, queries, heaps_.data(), limits_.data());
    return true;
  }

  void finish(const Measure& measure) {
    for (std::size_t q = 0; q < n_; ++q) {
      const NearestHeap& heap = heaps_[q];
      GRAMIAN_DISPATCH(sort_heap, heap);
      for (std::int64_t c = 0; c < heap.k; ++c) {
        heap.distances[c] = from_reduced(measure, heap.distances[c]);
        if (heap.rows[c] == kNoRow) throw InvalidArgument(kNotNumbers);
      }
    }
  }

 private:
  std::span<double> limits_{};
  std::size_t n_ = 0;
  std::array<NearestHeap, kGroupQueries> heaps_{};
};

// The reduced distances within a radius. Powers are judged again by the distance itself.
double reduced_limit(const Measure& measure, double radius) {
  constexpr double kSlack = 1e-12;
  if (measure.metric == Metric::minkowski) return std::pow(radius, measure.power) * (1.0 + kSlack);
  if (measure.metric != Metric::euclidean || !(radius >= 0.0)) return radius;
  double limit = radius * radius;  // the largest number whose root is at most the radius
  while (std::sqrt(limit) > radius) limit = std::nextafter(limit, 0.0);
  while (limit < kInfinity && std::sqrt(std::nextafter(limit, kInfinity)) <= radius)
    limit = std::nextafter(limit, kInfinity);
  return limit;
}

void set_limits(GroupWalk& walk, const Places& queries, const Measure& measure,
                std::span<const double> radii) {
  for (std::size_t q = 0; q < queries.size(); ++q)
    walk.limits[q] = q > 0 && radii.size() == 1
                         ? walk.limits[0]
                         : reduced_limit(measure, radii[radii.size() == 1 ? 0 : at(queries[q])]);
}

// How many rows are within exact limits.
class CountsOfGroup {
 public:
  void clear() { counts_.fill(0); }
  bool take(const QueryGroup& group, const LeafView& leaf, std::uint32_t queries) {
    for (std::uint32_t left = queries; left != 0; left &= left - 1) {
      const int q = std::countr_zero(left);
      counts_[at(q)] += GRAMIAN_DISPATCH(count_in_leaf, group, q, leaf);
    }
    return false;
  }
  // A query that is a row of the tree is at distance zero from it.
  std::int64_t count(std::size_t q, const Measure&, double radius, std::int64_t left_out) const {
    return counts_[q] - (left_out != kNobody && radius >= 0.0 ? 1 : 0);
  }

 private:
  std::array<std::int64_t, kGroupQueries> counts_{};
};

// What each query of a group finds, with room that grows.
class FoundOfGroup {
 public:
  using Found = std::vector<std::pair<double, std::int64_t>>;

  void clear() {
    for (Found& found : found_) found.clear();
  }
  bool take(const QueryGroup& group, const LeafView& leaf, std::uint32_t queries) {
    distances_.resize(at(leaf.stride));
    rows_.resize(at(leaf.stride));
    for (std::uint32_t left = queries; left != 0; left &= left - 1) {
      const int q = std::countr_zero(left);
      const auto n =
          at(GRAMIAN_DISPATCH(find_in_leaf, group, q, leaf, distances_.data(), rows_.data()));
      for (std::size_t i = 0; i < n; ++i) found_[at(q)].emplace_back(distances_[i], rows_[i]);
    }
    return false;
  }
  // The distances of query q, without those beyond the radius and without one row.
  Found& settle(std::size_t q, const Measure& measure, double radius, std::int64_t left_out) {
    Found& found = found_[q];
    for (auto& [distance, row] : found) distance = from_reduced(measure, distance);
    std::erase_if(found, [&](const auto& entry) {
      return !(entry.first <= radius) || entry.second == left_out;
    });
    return found;
  }
  std::int64_t count(std::size_t q, const Measure& measure, double radius, std::int64_t left_out) {
    return static_cast<std::int64_t>(settle(q, measure, radius, left_out).size());
  }

 private:
  std::array<Found, kGroupQueries> found_{};
  std::vector<double> distances_{};
  std::vector<std::int64_t> rows_{};
};

double radius_of(std::span<const double> radii, std::int64_t i) {
  return radii.size() == 1 ? radii[0] : radii[at(i)];
}

}  // namespace

template <class T>
void k_nearest_in_tree(MatrixView<const T> X, const KdTree& tree, Self self,
                       MatrixView<std::int64_t> index, MatrixView<double> distance,
                       const Context& ctx) {
  const std::int64_t k = index.n_cols;
  if (k + (self == Self::is_left_out ? 1 : 0) > tree.shape.n_rows)
    throw InvalidArgument("there are fewer rows than neighbours");
  if (!index.has_contiguous_rows() || !distance.has_contiguous_rows())
    throw InvalidArgument("the rows of index and distance must be contiguous");
  if (k == 0) return;
  const double cost_ns = 300.0 + 25.0 * static_cast<double>(k);
  for_each_group<NearestOfGroup>(
      X, tree, cost_ns, ctx, [&](GroupWalk& walk, NearestOfGroup& nearest, const Places& queries) {
        nearest.start(walk.limits, queries, self, index, distance);
        walk.visit(nearest, ctx);
        nearest.finish(tree.measure);
      });
}

template <class T>
void count_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                          Self self, std::span<std::int64_t> counts, const Context& ctx) {
  const bool leaves_out = self == Self::is_left_out;
  const auto count = [&]<class Sink>(GroupWalk& walk, Sink& sink, const Places& queries) {
    sink.clear();
    set_limits(walk, queries, tree.measure, radii);
    walk.visit(sink, ctx);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const std::int64_t i = queries[q];
      counts[at(i)] = sink.count(q, tree.measure, radius_of(radii, i), leaves_out ? i : kNobody);
    }
  };
  constexpr double kCostNs = 500.0;
  if (tree.measure.metric == Metric::minkowski)
    for_each_group<FoundOfGroup>(X, tree, kCostNs, ctx, count);
  else
    for_each_group<CountsOfGroup>(X, tree, kCostNs, ctx, count);
}

template <class T>
void fill_within_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                         Self self, Order order, std::span<const std::int64_t> starts,
                         std::span<std::int64_t> index, std::span<double> distance,
                         const Context& ctx) {
  const auto by_number = [](const auto& a, const auto& b) { return a.second < b.second; };
  for_each_group<FoundOfGroup>(
      X, tree, 1000.0, ctx, [&](GroupWalk& walk, FoundOfGroup& sink, const Places& queries) {
        sink.clear();
        set_limits(walk, queries, tree.measure, radii);
        walk.visit(sink, ctx);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          const std::int64_t i = queries[q], left_out = self == Self::is_left_out ? i : kNobody;
          auto& found = sink.settle(q, tree.measure, radius_of(radii, i), left_out);
          if (order == Order::by_distance)
            std::sort(found.begin(), found.end());
          else
            std::sort(found.begin(), found.end(), by_number);
          const std::size_t begin = at(starts[at(i)]);
          const std::size_t n = std::min(found.size(), at(starts[at(i + 1)]) - begin);
          for (std::size_t c = 0; c < n; ++c) {
            std::tie(distance[begin + c], index[begin + c]) = found[c];
          }
        }
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
