#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "cluster/dbscan.hpp"
#include "distance/kd_tree/walk.hpp"
#include "distance/within_tiles.hpp"
#include "graph/concurrent_union_find.hpp"

namespace gramian::cluster {
namespace {

using distance::KdTree;
using distance::KdTreeWalk;
using distance::Metric;
using graph::ConcurrentUnionFind;

constexpr double kNanosecondsOfWalk = 2000.0;

bool has_negative(std::span<const double> weights) {
  return std::ranges::any_of(weights, [](double weight) { return weight < 0.0; });
}

// Shows what a walk finds within a radius to function(row), until that says that it is enough.
template <class Function>
class Within {
 public:
  Within(const distance::Measure& measure, double radius, const Function& function)
      : measure_(measure), radius_(radius), function_(function) {
    if (measure.metric == Metric::euclidean)
      limit_ = squared_radius(radius);
    else if (measure.metric == Metric::minkowski)
      limit_ = std::pow(radius, measure.power) * (1.0 + 1e-12);
    else
      limit_ = radius;
  }
  double limit() const { return limit_; }
  void add(double reduced, std::int64_t row) {
    if (measure_.metric == Metric::minkowski && distance::from_reduced(measure_, reduced) > radius_)
      return;
    if (!function_(row)) limit_ = -std::numeric_limits<double>::infinity();
  }

 private:
  const distance::Measure& measure_;
  double radius_;
  double limit_;
  const Function& function_;
};

template <class Function>
void walk_within(KdTreeWalk& walk, const KdTree& tree, double radius, const Function& function,
                 const Context& ctx) {
  Within<Function> within(tree.measure, radius, function);
  walk.visit(within, ctx);
}

void keep_least(std::int64_t& label, std::int64_t other) {
  label = label == kNoise ? other : std::min(label, other);
}

template <class T>
Buffer<T> gathered(MatrixView<const T> X, std::span<const std::int64_t> rows) {
  Buffer<T> out(static_cast<std::int64_t>(rows.size()) * X.n_cols);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t k = 0; k < X.n_cols; ++k)
      out[static_cast<std::int64_t>(i) * X.n_cols + k] = X(rows[i], k);
  return out;
}

std::vector<std::int64_t> rows_with(std::span<const std::uint8_t> flags, bool flag) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if ((flags[i] != 0) == flag) rows.push_back(static_cast<std::int64_t>(i));
  return rows;
}

// What is done with the pairs of tiles; none of it needs their distances.
struct PairSink {
  static constexpr bool kNeedsDistances = false;
  void begin(std::int64_t) const {}
  void end(std::int64_t) const {}
};

struct Weigh : PairSink {
  std::span<const double> weights;
  std::span<double> sums;

  void add(std::int64_t row, std::int32_t column) const {
    sums[at(row)] += weights.empty() ? 1.0 : weights[at(column)];
  }
  void add(std::int64_t row, std::int32_t column, double) const { add(row, column); }
};

struct Join : PairSink {
  ConcurrentUnionFind* components;
  std::span<const std::int64_t> rows;

  void add(std::int64_t row, std::int32_t column) const {
    if (column < row) components->join(rows[at(row)], rows[at(column)]);
  }
  void add(std::int64_t row, std::int32_t column, double) const { add(row, column); }
};

struct TakeLabel : PairSink {
  std::span<const std::int64_t> core_labels;
  std::span<std::int64_t> labels;

  void add(std::int64_t row, std::int32_t column) const {
    keep_least(labels[at(row)], core_labels[at(column)]);
  }
  void add(std::int64_t row, std::int32_t column, double) const { add(row, column); }
};

}  // namespace

void number_components(ConcurrentUnionFind& components, const DbscanResult& out) {
  std::int64_t n_clusters = 0;
  for (std::size_t i = 0; i < out.labels.size(); ++i) {
    out.labels[i] = kNoise;
    if (!out.is_core[i]) continue;
    const auto row = static_cast<std::int64_t>(i);
    const std::int64_t root = components.find(row);
    out.labels[i] = root == row ? n_clusters++ : out.labels[at(root)];
  }
}

double squared_radius(double radius) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double square = radius * radius;
  while (std::sqrt(square) > radius) square = std::nextafter(square, 0.0);
  while (square < kInfinity && std::sqrt(std::nextafter(square, kInfinity)) <= radius)
    square = std::nextafter(square, kInfinity);
  return square;
}

template <class T>
void dbscan_in_tree(MatrixView<const T> X, const KdTree& tree, const DbscanRule& rule,
                    const DbscanResult& out, const Context& ctx) {
  const bool may_stop = !has_negative(rule.weights);
  for_each_query(X, tree, kNanosecondsOfWalk, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    double sum = 0.0;
    const auto weigh = [&](std::int64_t row) {
      sum += rule.weights.empty() ? 1.0 : rule.weights[at(row)];
      return !may_stop || sum < rule.min_samples;
    };
    walk_within(walk, tree, rule.eps, weigh, ctx);
    out.is_core[at(i)] = sum >= rule.min_samples;
  });
  ConcurrentUnionFind components(X.n_rows);
  for_each_query(X, tree, kNanosecondsOfWalk, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    if (!out.is_core[at(i)]) return;
    const auto join = [&](std::int64_t row) {
      if (row < i && out.is_core[at(row)]) components.join(i, row);
      return true;
    };
    walk_within(walk, tree, rule.eps, join, ctx);
  });
  number_components(components, out);
  for_each_query(X, tree, kNanosecondsOfWalk, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    if (out.is_core[at(i)]) return;
    std::int64_t label = kNoise;
    const auto take = [&](std::int64_t row) {
      if (out.is_core[at(row)]) keep_least(label, out.labels[at(row)]);
      return true;
    };
    walk_within(walk, tree, rule.eps, take, ctx);
    out.labels[at(i)] = label;
  });
}

template <class T>
void dbscan_in_tiles(MatrixView<const T> X, const DbscanRule& rule, const DbscanResult& out,
                     const Context& ctx) {
  constexpr auto kSelf = distance::Self::counts;
  std::vector<double> sums(at(X.n_rows));
  distance::for_each_within(X, X, rule.eps, kSelf, Weigh{{}, rule.weights, sums}, ctx);
  for (std::size_t i = 0; i < sums.size(); ++i) out.is_core[i] = sums[i] >= rule.min_samples;
  const auto core = rows_with(out.is_core, true), others = rows_with(out.is_core, false);
  ConcurrentUnionFind components(X.n_rows);
  const Buffer<T> core_values = gathered(X, core);
  const MatrixView<const T> core_rows(core_values.data(), std::ssize(core), X.n_cols);
  if (!core.empty())
    distance::for_each_within(core_rows, core_rows, rule.eps, kSelf, Join{{}, &components, core},
                              ctx);
  number_components(components, out);
  if (core.empty() || others.empty()) return;
  const Buffer<T> other_values = gathered(X, others);
  std::vector<std::int64_t> core_labels(core.size()), labels(others.size());
  for (std::size_t i = 0; i < core.size(); ++i) core_labels[i] = out.labels[at(core[i])];
  label_by_core_in_tiles(MatrixView<const T>(other_values.data(), std::ssize(others), X.n_cols),
                         core_rows, core_labels, rule.eps, labels, ctx);
  for (std::size_t i = 0; i < others.size(); ++i) out.labels[at(others[i])] = labels[i];
}

void dbscan_of_lists(const distance::NeighbourLists& lists, const DbscanRule& rule,
                     const DbscanResult& out, const Context& ctx) {
  const std::int64_t n_rows = lists.n_queries();
  const auto neighbours = [&](std::int64_t i) {
    const std::size_t begin = at(lists.starts[at(i)]);
    return lists.index.subspan(begin, at(lists.starts[at(i + 1)]) - begin);
  };
  for (std::int64_t i = 0; i < n_rows; ++i) {
    double sum = 0.0;
    for (const std::int64_t j : neighbours(i))
      sum += rule.weights.empty() ? 1.0 : rule.weights[at(j)];
    out.is_core[at(i)] = sum >= rule.min_samples;
  }
  // A given graph may be asymmetric, so that there are no components: clusters grow row by row.
  std::ranges::fill(out.labels, kNoise);
  std::vector<std::int64_t> waiting;
  std::int64_t n_clusters = 0;
  for (std::int64_t first = 0; first < n_rows; ++first) {
    if (!out.is_core[at(first)] || out.labels[at(first)] != kNoise) continue;
    out.labels[at(first)] = n_clusters;
    waiting.push_back(first);
    while (!waiting.empty()) {
      ctx.check();
      const std::int64_t i = waiting.back();
      waiting.pop_back();
      for (const std::int64_t j : neighbours(i)) {
        if (out.labels[at(j)] != kNoise) continue;
        out.labels[at(j)] = n_clusters;
        if (out.is_core[at(j)]) waiting.push_back(j);
      }
    }
    ++n_clusters;
  }
}

template <class T>
void label_by_core_in_tree(MatrixView<const T> X, const KdTree& core_rows,
                           std::span<const std::int64_t> core_labels, double eps,
                           std::span<std::int64_t> labels, const Context& ctx) {
  for_each_query(X, core_rows, kNanosecondsOfWalk, ctx, [&](KdTreeWalk& walk, std::int64_t i) {
    std::int64_t label = kNoise;
    const auto take = [&](std::int64_t row) {
      keep_least(label, core_labels[at(row)]);
      return label != 0;
    };
    walk_within(walk, core_rows, eps, take, ctx);
    labels[at(i)] = label;
  });
}

template <class T>
void label_by_core_in_tiles(MatrixView<const T> X, MatrixView<const T> core_rows,
                            std::span<const std::int64_t> core_labels, double eps,
                            std::span<std::int64_t> labels, const Context& ctx) {
  std::ranges::fill(labels, kNoise);
  distance::for_each_within(X, core_rows, eps, distance::Self::counts,
                            TakeLabel{{}, core_labels, labels}, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                               \
  template void dbscan_in_tree(MatrixView<const T>, const KdTree&, const DbscanRule&,        \
                               const DbscanResult&, const Context&);                         \
  template void dbscan_in_tiles(MatrixView<const T>, const DbscanRule&, const DbscanResult&, \
                                const Context&);                                             \
  template void label_by_core_in_tree(MatrixView<const T>, const KdTree&,                    \
                                      std::span<const std::int64_t>, double,                 \
                                      std::span<std::int64_t>, const Context&);              \
  template void label_by_core_in_tiles(MatrixView<const T>, MatrixView<const T>,             \
                                       std::span<const std::int64_t>, double,                \
                                       std::span<std::int64_t>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::cluster
