// The order in which the nodes of a boosted tree are divided.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "boost/grow/histogram_kernel.hpp"
#include "boost/grow/tree_grower.hpp"
#include "parallel/task_graph.hpp"
#include "random/mix.hpp"

namespace gramian::boost {
namespace {

constexpr double kChildrenCost = 3.0;  // for a cell of the histograms of both children
// Nodes of more work than this, in nanoseconds, and of more than this share of the rows keep all
// threads busy by themselves.
constexpr double kLargeNode = 100'000.0;
constexpr double kLargeShare = 1.0 / 16.0;
// A node of less than this share of the gain of the last split of the tree before is not likely to
// be split.
constexpr double kLikely = 0.8;

}  // namespace

bool TreeGrower::may_split(const Node& node) const {
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  const std::int64_t n_needed =
      row_weight_.empty() ? std::max<std::int64_t>(2 * options_.min_rows, 2) : 1;
  return node.size() >= n_needed;
}

void TreeGrower::look(const SplitFinder& finder, Node& node, const Context& ctx) {
  if (node.histogram == nullptr) return;
  node.split = finder.find(view(node), columns_of(node), ctx);
  node.key = options_.growth == Growth::level ? -static_cast<double>(node.depth) : node.split.gain;
  if (!node.split.is_found()) free_histogram(node.histogram);
}

// The children of a node by its split, not yet in the tree.
TreeGrower::Children TreeGrower::divide(const SplitFinder& finder, const Node& node,
                                        const Context& ctx) {
  const Feature& column = (*bins_)[node.split.feature];
  const std::int64_t n_left = partition_.part(node.begin, node.end, *bins_, column.track,
                                              codes_left(column, node.split), ctx);
  Children children;
  auto& [left, right] = children;
  left.begin = node.begin;
  left.end = right.begin = node.begin + n_left;
  right.end = node.end;
  left.total = node.split.left;
  right.total = node.total - node.split.left;
  for (Node* child : {&left, &right}) {
    child->depth = node.depth + 1;
    child->path = child_path(node.path, child == &left);
    child->place = 2.0 * node.place + (child == &left ? 0.0 : 1.0);
    child->worker = node.worker;
    child->bounds = node.bounds;
    child->sets = node.sets;
  }
  const int sign = options_.monotone.empty() ? 0 : options_.monotone[at(node.split.feature)];
  if (sign != 0) {
    const double middle = 0.5 * finder.value_of(left.total, node.bounds) +
                          0.5 * finder.value_of(right.total, node.bounds);
    tree::part_bounds(left.bounds, right.bounds, middle, sign);
  }
  for (std::size_t s = 0; s < options_.interaction_sets.size(); ++s) {
    const auto& set = options_.interaction_sets[s];
    const bool holds = std::find(set.begin(), set.end(), node.split.feature) != set.end();
    left.sets[s] = right.sets[s] = static_cast<std::uint8_t>(node.sets[s] != 0 && holds);
  }
  return children;
}

// The smaller child's histogram is built, the other's is what that leaves of the parent's.
void TreeGrower::share_histogram(const Node& parent, Node& left, Node& right, const Context& ctx) {
  Node& smaller = left.size() <= right.size() ? left : right;
  Node& larger = left.size() <= right.size() ? right : left;
  smaller.histogram = take_histogram();
  build_histogram(smaller, ctx);
  larger.histogram = parent.histogram;
  GRAMIAN_DISPATCH(subtract_cells, larger.histogram, smaller.histogram, bins_->n_cells());
}

// Children that are to be searched get histograms.
void TreeGrower::give_histograms(const Node& parent, Node& left, Node& right, const Context& ctx) {
  const bool left_may = may_split(left), right_may = may_split(right);
  if (!left_may && !right_may) {
    Pair* unused = parent.histogram;
    free_histogram(unused);
    return;
  }
  share_histogram(parent, left, right, ctx);
  if (!left_may) free_histogram(left.histogram);
  if (!right_may) free_histogram(right.histogram);
}

void TreeGrower::divide_and_look(const SplitFinder& finder, Node& node, const Context& ctx) {
  node.children = std::make_unique<Children>(divide(finder, node, ctx));
  if (!node.goes_on) return free_histogram(node.histogram);
  auto& [left, right] = *node.children;
  give_histograms(node, left, right, ctx);
  node.histogram = nullptr;
  look(finder, left, ctx);
  look(finder, right, ctx);
}

bool TreeGrower::Node::comes_after(const Node& other) const {
  if (key != other.key) return key < other.key;
  if (depth != other.depth) return depth > other.depth;
  return place != other.place ? place > other.place : path > other.path;
}

template <class Use>
void TreeGrower::Node::for_open_children(Use&& use) {
  for (Node* child : {&children->left, &children->right})
    if (child->split.is_found()) use(*child);
}

double TreeGrower::cost_of(const Node& node) const {
  return kHistogramCost * static_cast<double>(node.size()) *
             static_cast<double>(bins_->n_tracks()) +
         kChildrenCost * static_cast<double>(bins_->n_cells());
}

void TreeGrower::undo_divide(Node& node) {
  if (node.children == nullptr) return;
  auto& [left, right] = *node.children;
  undo_divide(left);
  undo_divide(right);
  partition_.join(node.begin, left.end, node.end);
  node.children.reset();
}

// Large nodes keep several threads busy by themselves, one after the other; small ones keep one
// thread busy each.
std::vector<TreeGrower::Leaf> TreeGrower::grow_nodes(const SplitFinder& finder, BoostedTree& tree,
                                                     const Context& ctx) {
  const std::int64_t n_splits =
      options_.max_leaves > 0 ? options_.max_leaves - 1 : std::numeric_limits<std::int64_t>::max();
  std::vector<Leaf> leaves;
  double key = 0.0;
  const auto split = [&](Node& node) {
    key = node.key;
    auto& [left, right] = *node.children;
    left.id = tree.split(node.id, node.split);
    right.id = left.id + 1;
    for (const Node* child : {&left, &right})
      if (!child->split.is_found()) leaves.push_back(leaf_of(*child));
  };
  BestFirstQueue<Node, decltype(split)> queue(n_splits, kLikely * last_key_, split);
  Node root = make_root(ctx);
  look(finder, root, ctx);
  if (!root.split.is_found()) return {leaf_of(root)};
  queue.add(root);
  Node* next = queue.take(0);
  const auto is_large = [&](const Node& node) {
    return static_cast<double>(node.size()) > kLargeShare * static_cast<double>(root.size()) &&
           cost_of(node) > kLargeNode;
  };
  while (next != nullptr && (queue.n_at_hand() == 1 || is_large(*next))) {
    ctx.check();
    divide_and_look(finder, *next, ctx);
    queue.put(*next);
    next = queue.take(0);
  }
  const double cost =
      next == nullptr ? 0.0 : cost_of(*next) * static_cast<double>(queue.n_at_hand());
  run_task_graph(
      ctx, cost,
      [&](int worker) {
        return next != nullptr ? std::exchange(next, nullptr) : queue.take(worker);
      },
      [&](Node& node) { divide_and_look(finder, node, ctx); },
      [&](Node& node) { queue.put(node); });
  last_key_ = key;
  for (Node* node : queue.rest()) {
    undo_divide(*node);
    leaves.push_back(leaf_of(*node));
  }
  return leaves;
}

std::vector<TreeGrower::Leaf> TreeGrower::grow_symmetric(const SplitFinder& finder,
                                                         BoostedTree& tree, const Context& ctx) {
  std::vector<Node> level;
  level.push_back(make_root(ctx));
  const auto fits = [&](std::size_t n_leaves) {
    return options_.max_leaves == 0 ||
           static_cast<std::int64_t>(2 * n_leaves) <= options_.max_leaves;
  };
  while (level.front().histogram != nullptr && fits(level.size())) {
    ctx.check();
    std::vector<NodeView> views;
    for (const Node& node : level) views.push_back(view(node));
    const std::vector<NodeSplit> splits = finder.find_common(views, columns_of(level.front()), ctx);
    if (splits.empty()) break;
    const bool is_last = level.front().depth + 1 == options_.max_depth || !fits(2 * level.size());
    std::vector<Node> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      level[i].split = splits[i];
      auto [left, right] = divide(finder, level[i], ctx);
      left.id = tree.split(level[i].id, splits[i]);
      right.id = left.id + 1;
      if (!is_last) share_histogram(level[i], left, right, ctx);
      next.push_back(std::move(left));
      next.push_back(std::move(right));
    }
    level = std::move(next);
    if (is_last) break;
  }
  std::vector<Leaf> leaves;
  for (const Node& node : level) leaves.push_back(leaf_of(node));
  return leaves;
}

TreeGrower::Node TreeGrower::make_root(const Context& ctx) {
  Node root;
  root.end = partition_.size();
  root.total = total_;
  root.sets.assign(options_.interaction_sets.size(), 1);
  if (!may_split(root) || tree_columns_.empty()) return root;
  root.histogram = take_histogram();
  build_histogram(root, ctx);
  return root;
}

}  // namespace gramian::boost
