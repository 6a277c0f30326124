#include "linkage/mutual_reachability.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "base/index.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "distance/kd_tree/walk.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linkage {
namespace {

using distance::KdTree;
using distance::Metric;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMixed = -1;
constexpr double kWider = 1.0 + 1e-12;  // than a bound, so that no rounding cuts a row off

// An edge between places of the tree; of two as long the smaller places win.
struct Edge {
  double length = kInfinity;
  std::int64_t first = -1, second = -1;

  bool operator<(const Edge& other) const {
    return std::tie(length, first, second) < std::tie(other.length, other.first, other.second);
  }
};

class Boruvka {
 public:
  Boruvka(const KdTree& tree, const Reachability& reach, MatrixView<const std::int64_t> neighbours,
          const Context& ctx)
      : tree_(tree),
        ctx_(ctx),
        n_(tree.shape.n_rows),
        depth_(tree.shape.depth()),
        alpha_(reach.alpha),
        cores_(at(n_), 0.0),
        above_(at(n_)),
        component_(at(n_)),
        least_(at(n_), 0.0),
        node_component_(at(2 * tree.shape.n_leaves())),
        node_core_(at(2 * tree.shape.n_leaves()), kInfinity),
        offered_(at(n_)),
        bounds_(at(n_)),
        best_(at(n_)),
        neighbours_(at(neighbours.n_rows * neighbours.n_cols)),
        k_(neighbours.n_cols),
        is_exhausted_(at(neighbours.n_rows), 0) {
    std::iota(above_.begin(), above_.end(), std::int64_t{0});
    std::vector<std::int64_t> place_of(at(n_));
    for (std::int64_t i = 0; i < n_; ++i) place_of[at(tree.order[at(i)])] = i;
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t row = tree.order[at(i)];
      if (!reach.cores.empty()) cores_[at(i)] = least_[at(i)] = reach.cores[at(row)];
      for (std::int64_t c = 0; c < k_ && neighbours.n_rows > 0; ++c)
        neighbours_[at(i * k_ + c)] = place_of[at(neighbours(row, c))];
    }
    for_each_leaf([&](std::int64_t node, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        node_core_[at(node)] = std::min(node_core_[at(node)], cores_[at(i)]);
    });
    for (std::int64_t node = tree.shape.n_leaves() - 1; node >= 1; --node)
      node_core_[at(node)] = std::min(node_core_[at(2 * node)], node_core_[at(2 * node + 1)]);
  }

  std::vector<Merge> run() {
    std::vector<Merge> edges;
    while (static_cast<std::int64_t>(edges.size()) + 1 < n_) {
      ctx_.check();
      label_components();
      offer_neighbours();
      search();
      join(edges);
    }
    return edges;
  }

 private:
  template <class Function>
  void for_each_leaf(const Function& function) const {
    const std::int64_t n_leaves = tree_.shape.n_leaves();
    for (std::int64_t leaf = 0; leaf < n_leaves; ++leaf)
      function(n_leaves + leaf, tree_.shape.begin(depth_, leaf),
               tree_.shape.begin(depth_, leaf + 1));
  }

  std::int64_t find(std::int64_t i) {
    while (above_[at(i)] != i) i = above_[at(i)] = above_[at(above_[at(i)])];
    return i;
  }

  void label_components() {
    for (std::int64_t i = 0; i < n_; ++i) {
      component_[at(i)] = find(i);
      best_[at(i)] = {};
    }
    for_each_leaf([&](std::int64_t node, std::int64_t begin, std::int64_t end) {
      std::int64_t component = component_[at(begin)];
      for (std::int64_t i = begin; i < end; ++i)
        if (component_[at(i)] != component) component = kMixed;
      node_component_[at(node)] = component;
    });
    for (std::int64_t node = tree_.shape.n_leaves() - 1; node >= 1; --node) {
      const std::int64_t left = node_component_[at(2 * node)];
      node_component_[at(node)] = left == node_component_[at(2 * node + 1)] ? left : kMixed;
    }
  }

  double length_of(std::int64_t i, std::int64_t j, double reduced) const {
    const double distance = distance::from_reduced(tree_.measure, reduced) / alpha_;
    return std::max({cores_[at(i)], cores_[at(j)], distance});
  }

  // The known neighbours outside of each row's component.
  void offer_neighbours() {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(is_exhausted_.size()); ++i) {
      if (is_exhausted_[at(i)]) continue;
      if (i % 4096 == 0) ctx_.check();
      bool any = false;
      for (std::int64_t c = 0; c < k_; ++c) {
        const std::int64_t j = neighbours_[at(i * k_ + c)];
        if (component_[at(i)] == component_[at(j)]) continue;
        any = true;
        const double core = std::max(cores_[at(i)], cores_[at(j)]);
        if (core > best_[at(component_[at(i)])].length &&
            core > best_[at(component_[at(j)])].length)
          continue;
        const Edge edge{length_of(i, j, distance_of(i, j)), std::min(i, j), std::max(i, j)};
        for (const std::int64_t end : {i, j}) {
          Edge& best = best_[at(component_[at(end)])];
          best = std::min(best, edge);
        }
      }
      is_exhausted_[at(i)] = !any;
    }
    for (std::int64_t i = 0; i < n_; ++i) offered_[at(i)] = bounds_[at(i)] = best_[at(i)].length;
  }

  const double* leaf_points(std::int64_t leaf) const {
    return tree_.points.data() + leaf * tree_.shape.leaf_stride() * tree_.shape.n_features;
  }
  std::int64_t leaf_of(std::int64_t place) const {
    const std::int64_t n_leaves = tree_.shape.n_leaves();
    std::int64_t leaf = place * n_leaves / n_;
    while (tree_.shape.begin(depth_, leaf + 1) <= place) ++leaf;
    while (tree_.shape.begin(depth_, leaf) > place) --leaf;
    return leaf;
  }
  void read_point(std::int64_t place, double* x) const {
    const std::int64_t leaf = leaf_of(place), stride = tree_.shape.leaf_stride();
    const double* points = leaf_points(leaf) + place - tree_.shape.begin(depth_, leaf);
    for (std::int64_t k = 0; k < tree_.shape.n_features; ++k) x[k] = points[k * stride];
  }

  // The reduced distance with the bits of a leaf's: the same kernel, on a leaf of one point.
  double distance_of(std::int64_t i, std::int64_t j) {
    constexpr std::int64_t kLanes = 8;
    const std::int64_t p = tree_.shape.n_features;
    pair_.assign(at(p * (2 + kLanes) + kLanes), 0.0);
    double* x = pair_.data();
    double* y = x + p;
    double* panel = y + p;
    double* out = panel + p * kLanes;
    read_point(i, x);
    read_point(j, y);
    for (std::int64_t k = 0; k < p; ++k) panel[k * kLanes] = y[k];
    GRAMIAN_DISPATCH(distances_to_leaf, tree_.measure.metric, tree_.measure.power, x, panel, p,
                     kLanes, out);
    return out[0];
  }

  struct Query;
  void search();
  void search_leaf(std::int64_t leaf, Query& query);
  bool is_near(std::int64_t leaf_node, std::int64_t node, std::int64_t component) const;
  void visit(std::int64_t node, int level, Query& query);
  void visit_leaf(std::int64_t leaf, Query& query);
  void improve(std::int64_t component, const Edge& edge);
  double reduced(double length) const;
  double between_boxes(std::int64_t a, std::int64_t b) const;

  double bound_of(std::int64_t component) const {
    return std::atomic_ref<double>(const_cast<double&>(bounds_[at(component)]))
        .load(std::memory_order_relaxed);
  }

  void join(std::vector<Merge>& edges) {
    for (std::int64_t i = 0; i < n_; ++i)  // each edge out of the row's component is as long
      least_[at(i)] = std::max(least_[at(i)], best_[at(component_[at(i)])].length);
    for (std::int64_t c = 0; c < n_; ++c) {
      if (component_[at(c)] != c) continue;
      const Edge& edge = best_[at(c)];
      const std::int64_t root = find(edge.first), other = find(edge.second);
      if (root == other) continue;
      above_[at(std::max(root, other))] = std::min(root, other);
      edges.push_back({tree_.order[at(edge.first)], tree_.order[at(edge.second)], edge.length});
    }
  }

  const KdTree& tree_;
  const Context& ctx_;
  std::int64_t n_;
  int depth_;
  double alpha_;
  std::vector<double> cores_;  // by place, as all that follow
  std::vector<std::int64_t> above_, component_;
  std::vector<double> least_;  // no edge out of the row's component is shorter
  std::vector<std::int64_t> node_component_;
  std::vector<double> node_core_;
  std::vector<double> offered_, bounds_;  // by component
  std::vector<Edge> best_;
  std::vector<std::int64_t> neighbours_;
  std::int64_t k_;
  std::vector<std::uint8_t> is_exhausted_;
  std::vector<double> pair_;  // memory of distance_of
  std::mutex mutex_;
};

struct Boruvka::Query {
  Query(std::int64_t n_features, std::int64_t stride) : x(at(n_features)), leaf(at(stride)) {}

  std::vector<double> x, leaf;
  std::int64_t place = 0, component = 0;
  Edge best{};
  double limit = 0.0;  // reduced

  double bound(double shared) const { return std::min(shared, best.length); }
};

// An upper bound of the reduced distance of rows that an edge of this length can join.
double Boruvka::reduced(double length) const {
  const double distance = length * alpha_;
  if (tree_.measure.metric == Metric::euclidean) return distance * distance * kWider;
  if (tree_.measure.metric == Metric::minkowski)
    return std::pow(distance, tree_.measure.power) * kWider;
  return distance * kWider;
}

// A lower bound of the reduced distance between the rows of two nodes.
double Boruvka::between_boxes(std::int64_t a, std::int64_t b) const {
  const std::int64_t p = tree_.shape.n_features;
  const double* box = tree_.boxes.data() + a * 2 * p;
  const double* other = tree_.boxes.data() + b * 2 * p;
  const Metric metric = tree_.measure.metric;
  double sum = 0.0;
  for (std::int64_t k = 0; k < p; ++k) {
    const double gap = std::max({box[k] - other[p + k], other[k] - box[p + k], 0.0});
    if (metric == Metric::euclidean)
      sum += gap * gap;
    else if (metric == Metric::chebyshev)
      sum = std::max(sum, gap);
    else
      sum += metric == Metric::manhattan ? gap : std::pow(gap, tree_.measure.power);
  }
  return sum / kWider;
}

// Whether another component has rows so near to a leaf that they may be joined.
bool Boruvka::is_near(std::int64_t leaf_node, std::int64_t node, std::int64_t component) const {
  if (node_component_[at(node)] == component) return false;
  const double bound = bound_of(component);
  if (node_core_[at(node)] > bound || between_boxes(leaf_node, node) > reduced(bound)) return false;
  if (node >= tree_.shape.n_leaves()) return true;
  return is_near(leaf_node, 2 * node, component) || is_near(leaf_node, 2 * node + 1, component);
}

void Boruvka::improve(std::int64_t component, const Edge& edge) {
  const std::lock_guard lock(mutex_);
  Edge& best = best_[at(component)];
  if (!(edge < best)) return;
  best = edge;
  std::atomic_ref<double>(bounds_[at(component)]).store(edge.length, std::memory_order_relaxed);
}

void Boruvka::visit_leaf(std::int64_t leaf, Query& query) {
  const std::int64_t begin = tree_.shape.begin(depth_, leaf);
  const std::int64_t n = tree_.shape.begin(depth_, leaf + 1) - begin;
  GRAMIAN_DISPATCH(distances_to_leaf, tree_.measure.metric, tree_.measure.power, query.x.data(),
                   leaf_points(leaf), tree_.shape.n_features, tree_.shape.leaf_stride(),
                   query.leaf.data());
  for (std::int64_t l = 0; l < n; ++l) {
    const std::int64_t j = begin + l;
    if (query.leaf[at(l)] > query.limit || component_[at(j)] == query.component) continue;
    const Edge edge{length_of(query.place, j, query.leaf[at(l)]), std::min(query.place, j),
                    std::max(query.place, j)};
    if (!(edge < query.best)) continue;
    query.best = edge;
    query.limit = std::min(query.limit, reduced(edge.length));
  }
}

void Boruvka::visit(std::int64_t node, int level, Query& query) {
  if (level == depth_) return visit_leaf(node - tree_.shape.n_leaves(), query);
  const std::int64_t p = tree_.shape.n_features;
  double apart[2];
  for (int side = 0; side < 2; ++side)
    apart[side] =
        GRAMIAN_DISPATCH(distance_to_box, tree_.measure.metric, tree_.measure.power, query.x.data(),
                         tree_.boxes.data() + (2 * node + side) * 2 * p, p);
  const int nearer = apart[1] < apart[0] ? 1 : 0;
  for (const int side : {nearer, 1 - nearer}) {
    const std::int64_t child = 2 * node + side;
    if (node_component_[at(child)] == query.component || apart[side] > query.limit ||
        node_core_[at(child)] > query.bound(bound_of(query.component)))
      continue;
    visit(child, level + 1, query);
  }
}

void Boruvka::search_leaf(std::int64_t leaf, Query& query) {
  const std::int64_t node = tree_.shape.n_leaves() + leaf;
  if (node_component_[at(node)] != kMixed && !is_near(node, 1, node_component_[at(node)])) return;
  const std::int64_t begin = tree_.shape.begin(depth_, leaf);
  for (std::int64_t i = begin; i < tree_.shape.begin(depth_, leaf + 1); ++i) {
    const std::int64_t component = component_[at(i)];
    if (least_[at(i)] >= offered_[at(component)]) continue;
    const double bound = bound_of(component);
    if (least_[at(i)] > bound) continue;
    query.place = i;
    query.component = component;
    query.best = {};
    query.limit = reduced(bound);
    read_point(i, query.x.data());
    visit(1, 0, query);
    if (query.best.first >= 0 && !(query.best.length > bound_of(component)))
      improve(component, query.best);
  }
}

void Boruvka::search() {
  const std::int64_t n_leaves = tree_.shape.n_leaves();
  if (node_component_[1] != kMixed) return;
  const Chunks chunks = Chunks::of_rows(n_leaves, 4);
  parallel_for(ctx_, chunks.count(), 300.0 * static_cast<double>(n_), [&](std::int64_t task) {
    Query query(tree_.shape.n_features, tree_.shape.leaf_stride());
    for (std::int64_t leaf = chunks.begin(task); leaf < chunks.end(task); ++leaf)
      search_leaf(leaf, query);
  });
}

}  // namespace

std::vector<Merge> spanning_tree_in_tree(const KdTree& tree, const Reachability& reach,
                                         MatrixView<const std::int64_t> neighbours,
                                         const Context& ctx) {
  if (tree.shape.n_rows < 2) return {};
  return Boruvka(tree, reach, neighbours, ctx).run();
}

}  // namespace gramian::linkage
