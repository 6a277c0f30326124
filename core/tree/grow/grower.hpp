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
#include "tree/format/grown_tree.hpp"
#include "tree/format/target.hpp"
#include "tree/grow/node.hpp"

namespace gramian::tree {

template <class Search, class Criterion>
class Grower {
 public:
  Grower(Search& search, const Criterion& criterion, const Context& ctx)
      : search_(search), limits_(search.options().limits), criterion_(criterion), ctx_(ctx) {}

  void grow(GrownTrees& out) {
    Node root;
    root.end = search_.n_rows();
    TreeWriter writer(kept(), out);
    const std::int64_t largest_task = task_size();
    if (limits_.max_leaf_nodes > 0)
      grow_best_first(root, writer);
    else if (largest_task > 0)
      grow_in_parts(root, largest_task, writer);
    else
      grow_whole(root, ctx_, writer);
    writer.finish();
  }

 private:
  using Scratch = typename Search::Scratch;
  struct Pending {
    Node node;
    std::int64_t id = 0;  // in a builder
  };
  struct Candidate {
    Pending pending;
    Split split;
    double gain;

    bool operator<(const Candidate& other) const {  // a heap has its largest on top
      return gain != other.gain ? gain < other.gain : pending.id > other.pending.id;
    }
  };

  // Where nodes come in any order.
  class BuilderSink {
   public:
    explicit BuilderSink(TreeBuilder& builder) : builder_(builder) {}
    void describe(const Pending& pending, const NodeFacts& facts, bool) {
      builder_.describe(pending.id, facts);
    }
    std::int64_t split(const Pending& pending, const Split& split) {
      return builder_.split(pending.id, split);
    }

   private:
    TreeBuilder& builder_;
  };

  // Where nodes come in preorder.
  class WriterSink {
   public:
    explicit WriterSink(TreeWriter& writer) : writer_(writer) {}
    void describe(const Pending&, const NodeFacts& facts, bool is_leaf) {
      writer_.describe(facts, is_leaf);
    }
    std::int64_t split(const Pending&, const Split& split) {
      writer_.split(FlatSplit(split));
      return 0;
    }

   private:
    TreeWriter& writer_;
  };

  // Large nodes one after the other, their columns in parallel; then the subtrees below them, each
  // on one thread.
  void grow_in_parts(const Node& root, std::int64_t largest_task, TreeWriter& writer) {
    std::vector<Pending> tasks;
    TreeBuilder builder(search_.target().width());
    BuilderSink sink(builder);
    Scratch scratch = search_.scratch(criterion_);
    grow_depth_first(root, sink, scratch, ctx_, [&](const Pending& pending) {
      if (pending.node.size() > largest_task) return false;
      tasks.push_back(pending);
      return true;
    });
    double cost = 0.0;
    for (const Pending& task : tasks) cost += 8.0 * search_.cost(task.node.size());
    const auto n_tasks = static_cast<std::int64_t>(tasks.size());
    std::vector<GrownTrees> parts(tasks.size());
    parallel_for(ctx_, n_tasks, cost, [&](std::int64_t k) {
      const auto i = static_cast<std::size_t>(k);
      TreeWriter own(kept(), parts[i]);
      grow_whole(tasks[i].node, ctx_.with_threads(1), own);
    });
    for (std::size_t i = 0; i < tasks.size(); ++i) builder.graft(tasks[i].id, parts[i]);
    builder.write(writer);
  }

  // A subtree, node by node.
  void grow_whole(const Node& root, const Context& ctx, TreeWriter& writer) {
    writer.reserve(search_.target().width(), most_leaves(root));
    WriterSink sink(writer);
    Scratch scratch = search_.scratch(criterion_);
    grow_depth_first(root, sink, scratch, ctx, [](const Pending&) { return false; });
  }

  std::int64_t most_leaves(const Node& node) const {
    const std::int64_t leaves = std::max<std::int64_t>(node.size() / limits_.min_samples_leaf, 1);
    const std::int64_t depth = std::max<std::int64_t>(limits_.max_depth - node.depth, 0);
    return depth < 32 ? std::min(leaves, std::int64_t{1} << depth) : leaves;
  }

  // Nodes below this size are left to one thread: all of them if there is one thread only.
  std::int64_t task_size() const {
    if (useful_threads(ctx_, 2, search_.cost(search_.n_rows())) <= 1) return 0;
    return std::max<std::int64_t>(search_.n_rows() / 16, 512);
  }

  // In preorder.
  template <class Sink, class Defer>
  void grow_depth_first(const Node& root, Sink& sink, Scratch& scratch, const Context& ctx,
                        const Defer& defer) {
    std::vector<Pending> stack{{root}};
    while (!stack.empty()) {
      ctx.check();
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (defer(pending)) continue;
      Split split = look(pending, sink, scratch, ctx);
      if (!split.is_found()) continue;
      auto [left, right] = divide(pending, split, sink, scratch, ctx);
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
  }

  // The leaf with the largest gain is split next, until there are enough.
  void grow_best_first(const Node& root, TreeWriter& writer) {
    TreeBuilder builder(search_.target().width());
    BuilderSink sink(builder);
    Scratch scratch = search_.scratch(criterion_);
    std::vector<Candidate> heap;
    const auto consider = [&](Pending pending) {
      Split split = look(pending, sink, scratch, ctx_);
      if (!split.is_found()) return;
      const double gain = gain_of(split, scratch.criterion);
      heap.push_back({std::move(pending), std::move(split), gain});
      std::push_heap(heap.begin(), heap.end());
    };
    consider({root});
    for (std::int64_t n_leaves = 1; n_leaves < limits_.max_leaf_nodes && !heap.empty();
         ++n_leaves) {
      ctx_.check();
      std::pop_heap(heap.begin(), heap.end());
      Candidate best = std::move(heap.back());
      heap.pop_back();
      auto [left, right] = divide(best.pending, best.split, sink, scratch, ctx_);
      consider(std::move(left));
      consider(std::move(right));
    }
    builder.write(writer);
  }

  // Describes the node, and returns its best split unless it must be a leaf.
  template <class Sink>
  Split look(Pending& pending, Sink& sink, Scratch& scratch, const Context& ctx) {
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
      describe(pending, sink, scratch, !split.is_found());
    return split;
  }

  // Whether values and impurities of inner nodes are kept: monotone constraints clip the leaves,
  // from which they would follow.
  bool keeps_nodes() const {
    const Options& options = search_.options();
    return Criterion::keeps_nodes || options.keeps_nodes || !options.monotone.empty();
  }

  EmittedFacts kept() const {
    return {.of_inner_nodes = keeps_nodes(),
            .beside_values = !search_.target().is_classification()};
  }

  template <class Sink>
  void describe(const Pending& pending, Sink& sink, Scratch& scratch, bool is_leaf) const {
    scratch.value.resize(static_cast<std::size_t>(search_.target().width()));
    scratch.criterion.describe(scratch.value.data(), pending.node.bounds);
    const NodeFacts facts{scratch.value, scratch.criterion.weight(),
                          search_.impurity(pending.node, scratch), pending.node.size()};
    sink.describe(pending, facts, is_leaf);
  }

  double gain_of(const Split& split, const Criterion& criterion) const {
    return (split.score - criterion.node_score()) / search_.total_weight();
  }

  template <class Sink>
  std::pair<Pending, Pending> divide(const Pending& pending, Split& split, Sink& sink,
                                     Scratch& scratch, const Context& ctx) {
    const Node& node = pending.node;
    search_.apply(node, split, scratch, ctx);
    const std::int64_t id = sink.split(pending, split);
    const std::int64_t middle = node.begin + split.n_left;
    Pending left{node.child(node.begin, middle, true), id};
    Pending right{node.child(middle, node.end, false), id + 1};
    // The search may have left the rest of their data as it was.
    left.node.is_final = right.node.is_final = search_.ends_growth(node, split);
    const auto monotone = search_.options().monotone;
    const int sign = monotone.empty() ? 0 : monotone[static_cast<std::size_t>(split.feature)];
    part_bounds(left.node.bounds, right.node.bounds, split.middle, sign);
    return {std::move(left), std::move(right)};
  }

  static constexpr double kRounding = std::numeric_limits<double>::epsilon();

  Search& search_;
  const Limits& limits_;
  const Criterion& criterion_;
  const Context& ctx_;
};

}  // namespace gramian::tree
