#include "cluster/optics.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/index.hpp"
#include "distance/kd_tree/walk.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::cluster {
namespace {

using distance::KdTree;
using distance::Metric;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kWider = 1.0 + 1e-12;  // than a bound, so that no rounding cuts a row off

// No reduced distance above it belongs to a distance of at most `distance`.
double reduced_limit(const distance::Measure& measure, double distance) {
  if (measure.metric == Metric::euclidean) return distance * distance * kWider;
  if (measure.metric == Metric::minkowski) return std::pow(distance, measure.power) * kWider;
  return distance * kWider;
}

// A row that waits for its turn: the nearest first, then the first number.
using Waiting = std::pair<double, std::int64_t>;
constexpr Waiting kNoneWaits{kInfinity, std::numeric_limits<std::int64_t>::max()};

// The rows of a tree while they are ordered. Each node knows the nearest of its waiting rows and
// how far its farthest is, which is kept up to date by every walk. Rows are named by their places.
class OrderInTree {
 public:
  OrderInTree(const KdTree& tree, const Density& density, const Reached& out, const Context& ctx)
      : tree_(tree),
        ctx_(ctx),
        max_eps_(density.max_eps),
        shape_(tree.shape),
        depth_(shape_.depth()),
        task_level_(std::min(depth_, kTaskLevel)),
        out_(out),
        cores_(at(shape_.n_rows)),
        reached_(at(shape_.n_rows), kInfinity),
        limits_(at(shape_.n_rows), reduced_limit(tree.measure, density.max_eps)),
        place_of_(at(shape_.n_rows)),
        nearest_(at(2 * shape_.n_leaves()), kNoneWaits),
        farthest_(at(2 * shape_.n_leaves()), kInfinity),
        x_(at(shape_.n_features)),
        distances_((std::int64_t{1} << task_level_) * shape_.leaf_stride()) {
    for (std::int64_t i = 0; i < shape_.n_rows; ++i) {
      place_of_[at(tree.order[at(i)])] = i;
      cores_[at(i)] = density.cores[at(tree.order[at(i)])];
    }
    std::ranges::fill(out.reachability, kInfinity);
    std::ranges::fill(out.predecessor, kNobody);
    for (std::int64_t leaf = 0; leaf < shape_.n_leaves(); ++leaf) summarise_leaf(leaf);
    for (std::int64_t node = shape_.n_leaves() - 1; node >= 1; --node) summarise(node);
  }

  void run(std::span<std::int64_t> ordering) {
    for (std::int64_t& row : ordering) {
      ctx_.check();
      row = nearest_[1].second;
      const std::int64_t place = place_of_[at(row)];
      leave(place);
      if (cores_[at(place)] <= max_eps_ && cores_[at(place)] < kInfinity) reach_from(place);
    }
  }

 private:
  static constexpr int kTaskLevel = 4;
  static constexpr double kNanosecondsOfEntry = 0.3;

  std::int64_t leaf_of(std::int64_t place) const {
    std::int64_t leaf = place * shape_.n_leaves() / shape_.n_rows;
    while (shape_.begin(depth_, leaf + 1) <= place) ++leaf;
    while (shape_.begin(depth_, leaf) > place) --leaf;
    return leaf;
  }
  const double* points(std::int64_t leaf) const {
    return tree_.points.data() + leaf * shape_.leaf_stride() * shape_.n_features;
  }

  void leave(std::int64_t place) {
    const std::int64_t leaf = leaf_of(place);
    limits_[at(place)] = -kInfinity;
    const std::int64_t entry = place - shape_.begin(depth_, leaf);
    for (std::size_t k = 0; k < x_.size(); ++k)
      x_[k] = points(leaf)[static_cast<std::int64_t>(k) * shape_.leaf_stride() + entry];
    summarise_leaf(leaf);
    for (std::int64_t node = (shape_.n_leaves() + leaf) / 2; node >= 1; node /= 2) summarise(node);
  }

  // Few leaves are near enough in few columns; in many columns nearly all are, and threads share
  // them.
  void reach_from(std::int64_t place) {
    from_ = place;
    core_ = cores_[at(place)];
    const std::int64_t n_tasks = std::int64_t{1} << task_level_;
    const double cost_ns =
        kNanosecondsOfEntry *
        static_cast<double>(n_visited_ * shape_.leaf_stride() * (shape_.n_features + 2));
    n_visited_ = 0;
    if (useful_threads(ctx_, n_tasks, cost_ns) <= 1) {
      visit(1, 0, distances_.data(), n_visited_);
      return;
    }
    std::vector<std::int64_t> n_visited(at(n_tasks), 0);
    parallel_for(ctx_, n_tasks, cost_ns, [&](std::int64_t task) {
      visit(n_tasks + task, task_level_, distances_.data() + task * shape_.leaf_stride(),
            n_visited[at(task)]);
    });
    for (const std::int64_t n : n_visited) n_visited_ += n;
    for (std::int64_t node = n_tasks - 1; node >= 1; --node) summarise(node);
  }

  // Rows that are reached at less than the core distance, or than the box is far, stay as they are.
  bool may_gain(std::int64_t node) const {
    const double farthest = farthest_[at(node)];
    if (!(core_ < farthest)) return false;
    const double limit = reduced_limit(tree_.measure, std::min(farthest, max_eps_));
    return GRAMIAN_DISPATCH(distance_to_box, tree_.measure.metric, tree_.measure.power, x_.data(),
                            tree_.boxes.data() + node * 2 * shape_.n_features,
                            shape_.n_features) <= limit;
  }

  void visit(std::int64_t node, int level, double* distances, std::int64_t& n_visited) {
    if (!may_gain(node)) return;
    if (level == depth_) {
      ++n_visited;
      return visit_leaf(node - shape_.n_leaves(), distances);
    }
    visit(2 * node, level + 1, distances, n_visited);
    visit(2 * node + 1, level + 1, distances, n_visited);
    summarise(node);
  }

  void visit_leaf(std::int64_t leaf, double* distances) {
    GRAMIAN_DISPATCH(distances_to_leaf, tree_.measure.metric, tree_.measure.power, x_.data(),
                     points(leaf), shape_.n_features, shape_.leaf_stride(), distances);
    const std::int64_t begin = shape_.begin(depth_, leaf), end = shape_.begin(depth_, leaf + 1);
    bool gains = false;
    for (std::int64_t i = begin; i < end; ++i)
      if (distances[i - begin] <= limits_[at(i)]) gains |= reach(i, distances[i - begin]);
    if (gains) summarise_leaf(leaf);
  }

  bool reach(std::int64_t i, double reduced) {
    const double distance = distance::from_reduced(tree_.measure, reduced);
    if (distance > max_eps_) return false;
    const double length = rounded_to_15_decimals(std::max(distance, core_));
    if (!(length < reached_[at(i)])) return false;
    reached_[at(i)] = length;
    limits_[at(i)] = reduced_limit(tree_.measure, std::min(length, max_eps_));
    const std::size_t row = at(tree_.order[at(i)]);
    out_.reachability[row] = length;
    out_.predecessor[row] = tree_.order[at(from_)];
    return true;
  }

  void summarise_leaf(std::int64_t leaf) {
    Waiting nearest = kNoneWaits;
    double farthest = -kInfinity;
    for (std::int64_t i = shape_.begin(depth_, leaf); i < shape_.begin(depth_, leaf + 1); ++i) {
      if (limits_[at(i)] < 0.0) continue;
      nearest = std::min(nearest, {reached_[at(i)], tree_.order[at(i)]});
      farthest = std::max(farthest, reached_[at(i)]);
    }
    nearest_[at(shape_.n_leaves() + leaf)] = nearest;
    farthest_[at(shape_.n_leaves() + leaf)] = farthest;
  }
  void summarise(std::int64_t node) {
    nearest_[at(node)] = std::min(nearest_[at(2 * node)], nearest_[at(2 * node + 1)]);
    farthest_[at(node)] = std::max(farthest_[at(2 * node)], farthest_[at(2 * node + 1)]);
  }

  const KdTree& tree_;
  const Context& ctx_;
  double max_eps_;
  distance::KdTreeShape shape_;
  int depth_, task_level_;
  Reached out_;
  std::vector<double> cores_, reached_;
  std::vector<double> limits_;  // of reduced distances that may gain; -infinity once processed
  std::vector<std::int64_t> place_of_;
  std::vector<Waiting> nearest_;  // by node, as is farthest_
  std::vector<double> farthest_;
  std::vector<double> x_;  // the row that reaches others now
  std::vector<double> distances_;
  std::int64_t from_ = 0, n_visited_ = 0;
  double core_ = 0.0;
};

// The row that reaches a query at the least distance, as a visitor of a walk.
class Reaching {
 public:
  Reaching(const distance::Measure& measure, const Density& density)
      : measure_(measure), density_(density), limit_(reduced_limit(measure, density.max_eps)) {}

  double limit() const { return limit_; }
  void add(double reduced, std::int64_t row) {
    const double core = density_.cores[at(row)], far = distance::from_reduced(measure_, reduced);
    if (!(far <= density_.max_eps) || !(core <= density_.max_eps) || core == kInfinity) return;
    const std::tuple candidate{std::max(core, far), far, row};
    if (!(candidate < best_)) return;
    best_ = candidate;
    limit_ = reduced_limit(measure_, std::min(std::get<0>(candidate), density_.max_eps));
  }
  double reachability() const { return std::get<0>(best_); }
  std::int64_t row() const { return reachability() < kInfinity ? std::get<2>(best_) : kNobody; }

 private:
  const distance::Measure& measure_;
  const Density& density_;
  double limit_;
  std::tuple<double, double, std::int64_t> best_{kInfinity, kInfinity, 0};
};

}  // namespace

double rounded_to_15_decimals(double distance) {
  constexpr double kScale = 1e15, kIsWhole = 1e292;
  return distance < kIsWhole ? std::nearbyint(distance * kScale) / kScale : distance;
}

void optics_in_tree(const KdTree& tree, const Density& density, std::span<std::int64_t> ordering,
                    const Reached& out, const Context& ctx) {
  OrderInTree(tree, density, out, ctx).run(ordering);
}

std::int64_t optics_step(std::int64_t row, std::span<const std::int64_t> neighbours,
                         std::span<const double> distances, const Density& density,
                         std::span<std::uint8_t> is_processed, const Reached& out) {
  is_processed[at(row)] = 1;
  const double core = density.cores[at(row)];
  if (core <= density.max_eps && core < kInfinity) {
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const std::size_t i = at(neighbours[k]);
      if (is_processed[i] || !(distances[k] <= density.max_eps)) continue;
      const double length = rounded_to_15_decimals(std::max(core, distances[k]));
      if (!(length < out.reachability[i])) continue;
      out.reachability[i] = length;
      out.predecessor[i] = row;
    }
  }
  Waiting next{kInfinity, kNobody};
  for (std::size_t i = 0; i < is_processed.size(); ++i) {
    if (is_processed[i]) continue;
    if (next.second == kNobody || out.reachability[i] < next.first)
      next = {out.reachability[i], static_cast<std::int64_t>(i)};
  }
  return next.second;
}

template <class T>
void reach_rows(MatrixView<const T> X, const KdTree& tree, const Density& density,
                std::span<std::int64_t> index, std::span<double> reachability, const Context& ctx) {
  constexpr double kNanosecondsOfWalk = 2000.0;
  for_each_query(X, tree, kNanosecondsOfWalk, ctx, [&](distance::KdTreeWalk& walk, std::int64_t i) {
    Reaching reaching(tree.measure, density);
    walk.visit(reaching, ctx);
    index[at(i)] = reaching.row();
    reachability[at(i)] = reaching.reachability();
  });
}

template void reach_rows(MatrixView<const float>, const KdTree&, const Density&,
                         std::span<std::int64_t>, std::span<double>, const Context&);
template void reach_rows(MatrixView<const double>, const KdTree&, const Density&,
                         std::span<std::int64_t>, std::span<double>, const Context&);

}  // namespace gramian::cluster
