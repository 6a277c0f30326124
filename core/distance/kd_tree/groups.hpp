// The ways of groups of queries through a k-d tree.
//
// Queries that fall into the same part of the tree go through it together: a node is judged once,
// by the box around them, and at a leaf each of them by its own distance to the leaf's box.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/group_kernel.hpp"
#include "distance/kd_tree/tree.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {

using Places = std::span<const std::int64_t>;

// The rows of X, those that fall into the same part of the tree one after the other and cut into
// groups of at most kGroupQueries.
class QueryOrder {
 public:
  template <class T>
  QueryOrder(MatrixView<const T> X, const KdTree& tree, const Context& ctx);

  std::int64_t n_groups() const { return static_cast<std::int64_t>(begins_.size()) - 1; }
  Places group(std::int64_t number) const {
    const std::size_t begin = at(begins_[at(number)]), end = at(begins_[at(number + 1)]);
    return {queries_.data() + begin, end - begin};
  }

 private:
  void sort_by(std::span<const std::int32_t> parts, std::int64_t n_parts);

  std::vector<std::int64_t> queries_{};
  std::vector<std::int64_t> begins_{};
};

// One group on its way. A sink has take(group, leaf, queries), which may lower limits.
class GroupWalk {
 public:
  explicit GroupWalk(const KdTree& tree)
      : limits(at(kGroupQueries)),
        tree_(tree),
        depth_(tree.shape.depth()),
        x_(Buffer<double>::zeros(tree.shape.n_features * kGroupQueries)),
        box_(at(2 * tree.shape.n_features)) {}

  // No limit is set but those of places without a query.
  template <class T>
  void set_queries(MatrixView<const T> X, Places queries);

  template <class Sink>
  void visit(Sink& sink, const Context& ctx) {
    limit_ = largest_limit();
    if (limit_ >= 0.0) visit(1, 0, sink, ctx);
  }

  std::vector<double> limits;

 private:
  double largest_limit() const {
    double largest = -1.0;
    for (const double limit : limits) largest = limit > largest ? limit : largest;
    return largest;
  }

  template <class Sink>
  void visit(std::int64_t node, int level, Sink& sink, const Context& ctx) {
    if (level == depth_) {
      visit_leaf(node, sink, ctx);
      return;
    }
    double bounds[2];
    const std::int64_t p = tree_.shape.n_features;
    GRAMIAN_DISPATCH(distances_to_boxes, tree_.measure.metric, tree_.measure.power, box_.data(),
                     tree_.boxes.data() + 4 * node * p, p, bounds);
    const int nearer = bounds[1] < bounds[0] ? 1 : 0;
    for (const int child : {nearer, 1 - nearer})
      if (!(bounds[child] > limit_)) visit(2 * node + child, level + 1, sink, ctx);
  }

  template <class Sink>
  void visit_leaf(std::int64_t node, Sink& sink, const Context& ctx) {
    ctx.check();
    const KdTreeShape& shape = tree_.shape;
    const std::int64_t number = node - shape.n_leaves(), begin = shape.begin(depth_, number);
    const std::int64_t stride = shape.leaf_stride(), p = shape.n_features;
    const LeafView leaf{tree_.boxes.data() + node * 2 * p,
                        tree_.points.data() + number * stride * p, tree_.order.data() + begin,
                        shape.begin(depth_, number + 1) - begin, stride};
    const QueryGroup group{tree_.measure.metric, tree_.measure.power, p, x_.data(), limits.data()};
    const std::uint32_t queries = GRAMIAN_DISPATCH(queries_near, group, leaf.box);
    if (queries == 0) return;
    if (sink.take(group, leaf, queries)) limit_ = largest_limit();
  }

  const KdTree& tree_;
  int depth_;
  double limit_ = 0.0;
  Buffer<double> x_;
  std::vector<double> box_;
};

template <class T>
void GroupWalk::set_queries(MatrixView<const T> X, Places queries) {
  const std::int64_t p = tree_.shape.n_features;
  for (std::int64_t k = 0; k < p; ++k) {
    double* x = x_.data() + k * kGroupQueries;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      x[q] = static_cast<double>(X(queries[q], k));
      low = std::min(low, x[q]);
      high = std::max(high, x[q]);
    }
    box_[at(k)] = low;
    box_[at(p + k)] = high;
  }
  std::fill(limits.begin() + static_cast<std::ptrdiff_t>(queries.size()), limits.end(),
            std::numeric_limits<double>::quiet_NaN());
}

// function(walk, sink, queries) for each group, with limits to be set; a sink for each task.
template <class Sink, class T, class Function>
void for_each_group(MatrixView<const T> X, const KdTree& tree, double cost_of_query_ns,
                    const Context& ctx, const Function& function) {
  const QueryOrder order(X, tree, ctx);
  constexpr std::int64_t kGroupsPerTask = 16;
  const Chunks chunks = Chunks::of_rows(order.n_groups(), kGroupsPerTask);
  const double cost_ns = cost_of_query_ns * static_cast<double>(X.n_rows);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    GroupWalk walk(tree);
    Sink sink;
    for (std::int64_t number = chunks.begin(task); number < chunks.end(task); ++number) {
      walk.set_queries(X, order.group(number));
      function(walk, sink, order.group(number));
    }
  });
}

}  // namespace gramian::distance
