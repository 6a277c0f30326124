// Grows one tree: which node is looked at next, when growth stops, how the work is shared.
//
// A search (presorted.hpp, node_sorted.hpp, random_cuts.hpp) offers
//   enter(node, scratch)        reads the node's targets into scratch.criterion
//   find(node, scratch, ctx)    the best split of the node entered last
//   apply(node, split, ...)     parts the node's rows and sets the threshold
// and nodes touch no rows but their own, so that subtrees grow at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/grown_tree.hpp"
#include "tree/node.hpp"
#include "tree/target.hpp"

namespace gramian::tree {

template <class Search, class Criterion>
class Grower {
 public:
  Grower(Search& search, const Criterion& criterion, const Context& ctx)
      : search_(search), limits_(search.options().limits), criterion_(criterion), ctx_(ctx) {}

  void grow(GrownTrees& out) {
    Node root;
    root.end = search_.n_rows();
    TreeBuilder builder = builder_for(root);
    if (limits_.max_leaf_nodes > 0)
      grow_best_first(root, builder);
    else
      grow_in_parts(root, builder);
    builder.emit({keeps_nodes(), !search_.target().is_classification()}, out);
  }

 private:
  using Scratch = typename Search::Scratch;
  struct Pending {
    Node node;
    std::int64_t id;  // in the builder
  };
  struct Candidate {
    Pending pending;
    Split split;
    double gain;

    bool operator<(const Candidate& other) const {  // a heap has its largest on top
      return gain != other.gain ? gain < other.gain : pending.id > other.pending.id;
    }
  };

  // Large nodes one after the other, their columns in parallel; then the subtrees below them, each
  // on one thread.
  void grow_in_parts(const Node& root, TreeBuilder& builder) {
    const std::int64_t largest_task = task_size();
    std::vector<Pending> tasks;
    Scratch scratch = search_.scratch(criterion_);
    grow_depth_first(root, builder, scratch, ctx_, [&](const Pending& pending) {
      if (pending.node.size() > largest_task) return false;
      tasks.push_back(pending);
      return true;
    });
    double cost = 0.0;
    for (const Pending& task : tasks) {
      cost += 8.0 * search_.cost(task.node.size());
      grafts_.push_back(builder_for(task.node));
    }
    const auto n_tasks = static_cast<std::int64_t>(tasks.size());
    parallel_for(ctx_, n_tasks, cost, [&](std::int64_t k) {
      const auto i = static_cast<std::size_t>(k);
      Scratch own = search_.scratch(criterion_);
      const Context serial = ctx_.with_threads(1);
      grow_depth_first(tasks[i].node, grafts_[i], own, serial,
                       [](const Pending&) { return false; });
    });
    for (std::size_t i = 0; i < tasks.size(); ++i) builder.graft(tasks[i].id, grafts_[i]);
  }

  TreeBuilder builder_for(const Node& node) const {
    std::int64_t leaves = std::max<std::int64_t>(node.size() / limits_.min_samples_leaf, 1);
    if (limits_.max_leaf_nodes > 0) leaves = std::min(leaves, limits_.max_leaf_nodes);
    const std::int64_t depth = limits_.max_depth - node.depth;
    if (depth < 32) leaves = std::min(leaves, std::int64_t{1} << std::max<std::int64_t>(depth, 0));
    return {search_.target().width(), leaves};
  }

  // Nodes below this size are left to one thread: all of them if there is one thread only.
  std::int64_t task_size() const {
    if (useful_threads(ctx_, 2, search_.cost(search_.n_rows())) <= 1) return 0;
    return std::max<std::int64_t>(search_.n_rows() / 16, 512);
  }

  template <class Defer>
  void grow_depth_first(const Node& root, TreeBuilder& builder, Scratch& scratch,
                        const Context& ctx, const Defer& defer) {
    std::vector<Pending> stack{{root, builder.add_node()}};
    while (!stack.empty()) {
      ctx.check();
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (defer(pending)) continue;
      Split split = look(pending, builder, scratch, ctx);
      if (!split.is_found()) continue;
      auto [left, right] = divide(pending, split, builder, scratch, ctx);
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
  }

  // The leaf with the largest gain is split next, until there are enough.
  void grow_best_first(const Node& root, TreeBuilder& builder) {
    Scratch scratch = search_.scratch(criterion_);
    std::vector<Candidate> heap;
    const auto consider = [&](Pending pending) {
      Split split = look(pending, builder, scratch, ctx_);
      if (!split.is_found()) return;
      const double gain = gain_of(split, scratch.criterion);
      heap.push_back({std::move(pending), std::move(split), gain});
      std::push_heap(heap.begin(), heap.end());
    };
    consider({root, builder.add_node()});
    for (std::int64_t n_leaves = 1; n_leaves < limits_.max_leaf_nodes && !heap.empty();
         ++n_leaves) {
      ctx_.check();
      std::pop_heap(heap.begin(), heap.end());
      Candidate best = std::move(heap.back());
      heap.pop_back();
      auto [left, right] = divide(best.pending, best.split, builder, scratch, ctx_);
      consider(std::move(left));
      consider(std::move(right));
    }
  }

  // Describes the node, and returns its best split unless it must be a leaf.
  Split look(Pending& pending, TreeBuilder& builder, Scratch& scratch, const Context& ctx) {
    Node& node = pending.node;
    search_.enter(node, scratch);
    const Criterion& criterion = scratch.criterion;
    const bool is_leaf = node.is_final || node.depth >= limits_.max_depth ||
                         node.size() < limits_.min_samples_split ||
                         node.size() < 2 * limits_.min_samples_leaf ||
                         criterion.weight() < 2.0 * limits_.min_weight_leaf || criterion.is_pure();
    Split split;
    if (!is_leaf) split = search_.find(node, scratch, ctx);
    if (split.is_found() && gain_of(split, criterion) + kRounding < limits_.min_impurity_decrease)
      split = {};
    // Best-first growth may leave the node a leaf, so every node is described there.
    if (!split.is_found() || keeps_nodes() || limits_.max_leaf_nodes > 0)
      describe(pending, builder, scratch);
    return split;
  }

  // Whether values and impurities of inner nodes are kept: monotone constraints clip the leaves,
  // from which they would follow.
  bool keeps_nodes() const {
    const Options& options = search_.options();
    return Criterion::keeps_nodes || options.keeps_nodes || !options.monotone.empty();
  }

  void describe(const Pending& pending, TreeBuilder& builder, Scratch& scratch) const {
    scratch.value.resize(static_cast<std::size_t>(search_.target().width()));
    scratch.criterion.describe(scratch.value.data(), pending.node.bounds);
    builder.describe(pending.id, {scratch.value, scratch.criterion.weight(),
                                  search_.impurity(pending.node, scratch), pending.node.size()});
  }

  double gain_of(const Split& split, const Criterion& criterion) const {
    return (split.score - criterion.node_score()) / search_.total_weight();
  }

  std::pair<Pending, Pending> divide(const Pending& pending, Split& split, TreeBuilder& builder,
                                     Scratch& scratch, const Context& ctx) {
    const Node& node = pending.node;
    search_.apply(node, split, scratch, ctx);
    builder.split(pending.id, split);
    const std::int64_t middle = node.begin + split.n_left;
    Pending left{node.child(node.begin, middle, true), builder.left_of(pending.id)};
    Pending right{node.child(middle, node.end, false), builder.right_of(pending.id)};
    // The search may have left the rest of their data as it was.
    left.node.is_final = right.node.is_final = search_.ends_growth(node, split);
    const auto monotone = search_.options().monotone;
    const int sign = monotone.empty() ? 0 : monotone[static_cast<std::size_t>(split.feature)];
    if (sign > 0) left.node.bounds.upper = right.node.bounds.lower = split.middle;
    if (sign < 0) left.node.bounds.lower = right.node.bounds.upper = split.middle;
    return {std::move(left), std::move(right)};
  }

  static constexpr double kRounding = std::numeric_limits<double>::epsilon();

  Search& search_;
  const Limits& limits_;
  const Criterion& criterion_;
  const Context& ctx_;
  std::vector<TreeBuilder> grafts_;  // the subtrees of the tree being grown
};

}  // namespace gramian::tree
