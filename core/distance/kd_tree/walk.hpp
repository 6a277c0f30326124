// The way of a query through a k-d tree, with what is done on it left to a visitor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "distance/reduced.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {

// A way through the tree for one query, nearer children first. A visitor has limit(), above which
// nothing is wanted, and add(reduced distance, row).
class KdTreeWalk {
 public:
  explicit KdTreeWalk(const KdTree& tree)
      : tree_(tree),
        depth_(tree.shape.depth()),
        stride_(tree.shape.leaf_stride()),
        x_(at(tree.shape.n_features)),
        leaf_(at(stride_)) {}

  template <class T>
  void set_query(MatrixView<const T> X, std::int64_t i) {
    for (std::size_t k = 0; k < x_.size(); ++k)
      x_[k] = static_cast<double>(X(i, static_cast<std::int64_t>(k)));
  }

  // The leaf that the query falls into.
  std::int64_t home() const {
    std::int64_t node = 1;
    for (int level = 0; level < depth_; ++level) {
      const double* split = tree_.splits.data() + 2 * node;
      node = 2 * node + (x_[static_cast<std::size_t>(split[0])] >= split[1] ? 1 : 0);
    }
    return node - tree_.shape.n_leaves();
  }

  template <class Visitor>
  void visit(Visitor& visitor, const Context& ctx) {
    ctx.check();
    if (!(to_box(1) > visitor.limit())) visit(1, 0, visitor);
  }

 private:
  double to_box(std::int64_t node) const {
    return GRAMIAN_DISPATCH(distance_to_box, tree_.measure.metric, tree_.measure.power, x_.data(),
                            tree_.boxes.data() + node * 2 * tree_.shape.n_features,
                            tree_.shape.n_features);
  }

  template <class Visitor>
  void visit(std::int64_t node, int level, Visitor& visitor) {
    if (level == depth_) return visit_leaf(node - tree_.shape.n_leaves(), visitor);
    double bounds[2] = {to_box(2 * node), to_box(2 * node + 1)};
    const int nearer = bounds[1] < bounds[0] ? 1 : 0;
    for (const int child : {nearer, 1 - nearer})
      if (!(bounds[child] > visitor.limit())) visit(2 * node + child, level + 1, visitor);
  }

  template <class Visitor>
  void visit_leaf(std::int64_t leaf, Visitor& visitor) {
    const KdTreeShape& shape = tree_.shape;
    GRAMIAN_DISPATCH(distances_to_leaf, tree_.measure.metric, tree_.measure.power, x_.data(),
                     tree_.points.data() + leaf * stride_ * shape.n_features, shape.n_features,
                     stride_, leaf_.data());
    const std::int64_t begin = shape.begin(depth_, leaf);
    const std::int64_t n = shape.begin(depth_, leaf + 1) - begin;
    for (std::int64_t i = 0; i < n; ++i)
      if (!(leaf_[at(i)] > visitor.limit())) visitor.add(leaf_[at(i)], tree_.order[at(begin + i)]);
  }

  const KdTree& tree_;
  int depth_;
  std::int64_t stride_;
  std::vector<double> x_;
  std::vector<double> leaf_;
};

// A way through the tree for one query whose visitor judges nodes by the least and the largest
// distance to their boxes: takes(node, least, largest) ends the way into a node, and
// leaf(number, reduced distances) is called where no node was taken. Nearer children come first.
class KdTreeBoundsWalk {
 public:
  explicit KdTreeBoundsWalk(const KdTree& tree)
      : tree_(tree),
        depth_(tree.shape.depth()),
        stride_(tree.shape.leaf_stride()),
        x_(at(tree.shape.n_features)),
        leaf_(at(stride_)) {}

  template <class T>
  void set_query(MatrixView<const T> X, std::int64_t i) {
    for (std::size_t k = 0; k < x_.size(); ++k)
      x_[k] = static_cast<double>(X(i, static_cast<std::int64_t>(k)));
  }

  template <class Visitor>
  void visit(Visitor& visitor, const Context& ctx) {
    visit(1, 0, least_to(1), visitor, ctx);
  }

 private:
  static constexpr int kLevelsBetweenChecks = 4;

  const double* box(std::int64_t node) const {
    return tree_.boxes.data() + node * 2 * tree_.shape.n_features;
  }
  double least_to(std::int64_t node) const {
    return GRAMIAN_DISPATCH(distance_to_box, tree_.measure.metric, tree_.measure.power, x_.data(),
                            box(node), tree_.shape.n_features);
  }
  double largest_to(std::int64_t node) const {
    return GRAMIAN_DISPATCH(distance_across_box, tree_.measure.metric, tree_.measure.power,
                            x_.data(), box(node), tree_.shape.n_features);
  }

  template <class Visitor>
  void visit(std::int64_t node, int level, double least, Visitor& visitor, const Context& ctx) {
    if (visitor.takes(node, level, least, largest_to(node))) return;
    if (level % kLevelsBetweenChecks == 0) ctx.check();
    if (level == depth_) {
      const std::int64_t number = node - tree_.shape.n_leaves();
      GRAMIAN_DISPATCH(distances_to_leaf, tree_.measure.metric, tree_.measure.power, x_.data(),
                       tree_.points.data() + number * stride_ * tree_.shape.n_features,
                       tree_.shape.n_features, stride_, leaf_.data());
      return visitor.leaf(number, leaf_.data());
    }
    const double bounds[2] = {least_to(2 * node), least_to(2 * node + 1)};
    const int nearer = bounds[1] < bounds[0] ? 1 : 0;
    for (const int child : {nearer, 1 - nearer})
      visit(2 * node + child, level + 1, bounds[child], visitor, ctx);
  }

  const KdTree& tree_;
  int depth_;
  std::int64_t stride_;
  std::vector<double> x_;
  std::vector<double> leaf_;
};

// The queries in the order of the leaves that they fall into.
template <class T>
std::vector<std::int64_t> queries_by_leaf(MatrixView<const T> X, const KdTree& tree) {
  KdTreeWalk guide(tree);
  std::vector<std::pair<std::int64_t, std::int64_t>> places(at(X.n_rows));
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    guide.set_query(X, i);
    places[at(i)] = {guide.home(), i};
  }
  std::sort(places.begin(), places.end());
  std::vector<std::int64_t> queries(places.size());
  std::transform(places.begin(), places.end(), queries.begin(),
                 [](const auto& place) { return place.second; });
  return queries;
}

// function(walk, i) for each query, those that fall into the same leaf one after the other.
template <class Walk = KdTreeWalk, class T, class Function>
void for_each_query(MatrixView<const T> X, const KdTree& tree, double cost_of_query_ns,
                    const Context& ctx, const Function& function) {
  const std::vector<std::int64_t> queries = queries_by_leaf(X, tree);
  constexpr std::int64_t kQueriesPerTask = 64;
  const Chunks chunks = Chunks::of_rows(X.n_rows, kQueriesPerTask);
  const double cost_ns = cost_of_query_ns * static_cast<double>(X.n_rows);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    Walk walk(tree);
    for (std::int64_t place = chunks.begin(task); place < chunks.end(task); ++place) {
      const std::int64_t i = queries[at(place)];
      walk.set_query(X, i);
      function(walk, i);
    }
  });
}

}  // namespace gramian::distance
