#include "cluster/mean_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "cluster/dbscan.hpp"
#include "cluster/mean_shift_kernel.hpp"
#include "distance/kd_tree/walk.hpp"

namespace gramian::cluster {
namespace {

using distance::KdTree;
using distance::KdTreeBoundsWalk;
using distance::KdTreeShape;
using distance::KdTreeWalk;

constexpr double kRest = 1e-3;              // of the bandwidth: a step that is no longer a move
constexpr double kNanosecondsOfSeed = 5e4;  // some tens of steps

// The sums of the rows of each node, about the middle of them all.
class NodeSums {
 public:
  NodeSums(const KdTree& tree, const Context& ctx)
      : tree_(tree),
        p_(tree.shape.n_features),
        shift_(at(p_)),
        sums_(at(2 * tree.shape.n_leaves() * p_)) {
    for (std::int64_t k = 0; k < p_; ++k)
      shift_[at(k)] = 0.5 * tree.boxes[at(2 * p_ + k)] + 0.5 * tree.boxes[at(3 * p_ + k)];
    const KdTreeShape& shape = tree.shape;
    const int depth = shape.depth();
    for (std::int64_t leaf = 0; leaf < shape.n_leaves(); ++leaf) {
      ctx.check();
      sum_leaf(leaf, shape.begin(depth, leaf + 1) - shape.begin(depth, leaf));
    }
    for (std::int64_t node = shape.n_leaves() - 1; node > 0; --node)
      for (std::int64_t k = 0; k < p_; ++k)
        sums_[at(node * p_ + k)] =
            sums_[at(2 * node * p_ + k)] + sums_[at((2 * node + 1) * p_ + k)];
  }

  const double* shift() const { return shift_.data(); }
  const double* of(std::int64_t node) const { return sums_.data() + node * p_; }

 private:
  void sum_leaf(std::int64_t leaf, std::int64_t n) {
    const std::int64_t stride = tree_.shape.leaf_stride();
    const double* points = tree_.points.data() + leaf * stride * p_;
    double* sums = sums_.data() + (tree_.shape.n_leaves() + leaf) * p_;
    const std::vector<double> distances(at(stride), 0.0);
    GRAMIAN_DISPATCH(add_points_within, distances.data(), 0.0, points, p_, stride, n, shift(),
                     sums);
  }

  const KdTree& tree_;
  std::int64_t p_;
  std::vector<double> shift_;
  std::vector<double> sums_;
};

// Sums the rows within a squared distance of the query.
class SumWithin {
 public:
  SumWithin(const KdTree& tree, const NodeSums& nodes, double limit)
      : tree_(tree), nodes_(nodes), limit_(limit), sums_(at(tree.shape.n_features)) {}

  void begin() {
    std::ranges::fill(sums_, 0.0);
    count_ = 0;
  }
  std::int64_t count() const { return count_; }
  double mean(std::int64_t k) const {
    return nodes_.shift()[k] + sums_[at(k)] / static_cast<double>(count_);
  }

  bool takes(std::int64_t node, int level, double least, double largest) {
    if (least > limit_) return true;
    if (!(largest <= limit_)) return false;
    const std::int64_t number = node - (std::int64_t{1} << level);
    count_ += tree_.shape.begin(level, number + 1) - tree_.shape.begin(level, number);
    const double* sums = nodes_.of(node);
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += sums[k];
    return true;
  }

  void leaf(std::int64_t number, const double* reduced) {
    const KdTreeShape& shape = tree_.shape;
    const int depth = shape.depth();
    const std::int64_t stride = shape.leaf_stride();
    count_ += GRAMIAN_DISPATCH(
        add_points_within, reduced, limit_,
        tree_.points.data() + number * stride * shape.n_features, shape.n_features, stride,
        shape.begin(depth, number + 1) - shape.begin(depth, number), nodes_.shift(), sums_.data());
  }

 private:
  const KdTree& tree_;
  const NodeSums& nodes_;
  double limit_;
  std::vector<double> sums_;
  std::int64_t count_ = 0;
};

void shift_seed(KdTreeBoundsWalk& walk, SumWithin& near, const MeanShiftRule& rule,
                const ShiftedSeeds& out, std::int64_t i, const Context& ctx) {
  const MatrixView<const double> means = out.means;
  const double rest = kRest * rule.bandwidth;
  std::int64_t n_iter = 0;
  for (bool is_last = false; !is_last;) {
    near.begin();
    walk.set_query(means, i);
    walk.visit(near, ctx);
    out.n_within[at(i)] = near.count();
    if (near.count() == 0) break;
    double squared = 0.0;
    for (std::int64_t k = 0; k < means.n_cols; ++k) {
      const double mean = near.mean(k), step = mean - means(i, k);
      squared += step * step;
      out.means(i, k) = mean;
    }
    out.is_settled[at(i)] = std::sqrt(squared) <= rest;
    is_last = out.is_settled[at(i)] || n_iter == rule.max_iter || ctx.expired();
    n_iter += is_last ? 0 : 1;
  }
  out.n_iter[at(i)] = n_iter;
}

// Strikes out what is within a radius and comes later.
struct StrikeOut {
  double squared;
  std::int64_t own;
  std::span<std::uint8_t> keeps;

  double limit() const { return squared; }
  void add(double, std::int64_t row) const {
    if (row != own) keeps[at(row)] = 0;
  }
};

}  // namespace

void shift_to_means(const KdTree& tree, const MeanShiftRule& rule, const ShiftedSeeds& out,
                    const Context& ctx) {
  const NodeSums nodes(tree, ctx);
  const double limit = squared_radius(rule.bandwidth);
  const MatrixView<const double> seeds = out.means;
  const auto shift = [&](KdTreeBoundsWalk& walk, std::int64_t i) {
    SumWithin near(tree, nodes, limit);
    shift_seed(walk, near, rule, out, i, ctx);
  };
  distance::for_each_query<KdTreeBoundsWalk>(seeds, tree, kNanosecondsOfSeed, ctx, shift);
}

void keep_apart(MatrixView<const double> Y, const KdTree& tree, double radius,
                std::span<std::uint8_t> keeps, const Context& ctx) {
  std::ranges::fill(keeps, std::uint8_t{1});
  KdTreeWalk walk(tree);
  for (std::int64_t i = 0; i < Y.n_rows; ++i) {
    ctx.check();
    if (!keeps[at(i)]) continue;
    StrikeOut near{squared_radius(radius), i, keeps};
    walk.set_query(Y, i);
    walk.visit(near, ctx);
  }
}

}  // namespace gramian::cluster
