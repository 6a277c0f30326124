#include "tree/grow/grower.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "parallel/parallel_for.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {
namespace {

struct Pending {
  Node node;
  std::int64_t id = 0;  // in a builder
};

struct Candidate {
  Pending pending;
  FoundSplit found;

  bool operator<(const Candidate& other) const {  // a heap has its largest on top
    if (found.gain != other.found.gain) return found.gain < other.found.gain;
    return pending.id > other.pending.id;
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

class Grower {
 public:
  Grower(NodeSearch& search, const Context& ctx)
      : search_(search),
        tree_(search.tree()),
        limits_(tree_.options().limits),
        keeps_nodes_(search.keeps_nodes() || tree_.options().keeps_nodes ||
                     !tree_.options().monotone.empty()),
        ctx_(ctx) {}

  void grow(GrownTrees& out) {
    Node root;
    root.end = tree_.n_rows();
    TreeWriter writer(kept(), out);
    const std::int64_t largest_task = task_size();
    if (limits_.max_leaf_nodes > 0)
      grow_best_first(root, writer);
    else if (largest_task > 0)
      grow_in_parts(root, largest_task, writer);
    else
      grow_whole(root, search_, ctx_, writer);
    writer.finish();
  }

 private:
  // Large nodes one after the other, their columns in parallel; then the subtrees below them, each
  // on one thread.
  void grow_in_parts(const Node& root, std::int64_t largest_task, TreeWriter& writer) {
    std::vector<Pending> tasks;
    TreeBuilder builder(tree_.target().width());
    BuilderSink sink(builder);
    grow_depth_first(root, search_, sink, ctx_, [&](const Pending& pending) {
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
      const std::unique_ptr<NodeSearch> search = search_.another();
      grow_whole(tasks[i].node, *search, ctx_.with_threads(1), own);
    });
    for (std::size_t i = 0; i < tasks.size(); ++i) builder.graft(tasks[i].id, parts[i]);
    builder.write(writer);
  }

  // A subtree, node by node.
  void grow_whole(const Node& root, NodeSearch& search, const Context& ctx, TreeWriter& writer) {
    writer.reserve(tree_.target().width(), most_leaves(root));
    WriterSink sink(writer);
    grow_depth_first(root, search, sink, ctx, [](const Pending&) { return false; });
  }

  std::int64_t most_leaves(const Node& node) const {
    const std::int64_t leaves = std::max<std::int64_t>(node.size() / limits_.min_samples_leaf, 1);
    const std::int64_t depth = std::max<std::int64_t>(limits_.max_depth - node.depth, 0);
    return depth < 32 ? std::min(leaves, std::int64_t{1} << depth) : leaves;
  }

  // Nodes below this size are left to one thread: all of them if there is one thread only.
  std::int64_t task_size() const {
    if (useful_threads(ctx_, 2, search_.cost(tree_.n_rows())) <= 1) return 0;
    return std::max<std::int64_t>(tree_.n_rows() / 16, 512);
  }

  // In preorder.
  template <class Sink, class Defer>
  void grow_depth_first(const Node& root, NodeSearch& search, Sink& sink, const Context& ctx,
                        const Defer& defer) {
    std::vector<Pending> stack{{root}};
    while (!stack.empty()) {
      ctx.check();
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (defer(pending)) continue;
      FoundSplit found = look(pending, search, sink, ctx);
      if (!found.split.is_found()) continue;
      auto [left, right] = divide(pending, found.split, search, sink, ctx);
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
  }

  // The leaf with the largest gain is split next, until there are enough.
  void grow_best_first(const Node& root, TreeWriter& writer) {
    TreeBuilder builder(tree_.target().width());
    BuilderSink sink(builder);
    std::vector<Candidate> heap;
    const auto consider = [&](Pending pending) {
      FoundSplit found = look(pending, search_, sink, ctx_);
      if (!found.split.is_found()) return;
      heap.push_back({std::move(pending), std::move(found)});
      std::push_heap(heap.begin(), heap.end());
    };
    consider({root});
    for (std::int64_t n_leaves = 1; n_leaves < limits_.max_leaf_nodes && !heap.empty();
         ++n_leaves) {
      ctx_.check();
      std::pop_heap(heap.begin(), heap.end());
      Candidate best = std::move(heap.back());
      heap.pop_back();
      auto [left, right] = divide(best.pending, best.found.split, search_, sink, ctx_);
      consider(std::move(left));
      consider(std::move(right));
    }
    builder.write(writer);
  }

  // Describes the node, and returns its best split unless it must be a leaf.
  template <class Sink>
  FoundSplit look(Pending& pending, NodeSearch& search, Sink& sink, const Context& ctx) const {
    Node& node = pending.node;
    const NodeState state = search.enter(node);
    const bool is_leaf = node.is_final || node.depth >= limits_.max_depth ||
                         node.size() < limits_.min_samples_split ||
                         node.size() < 2 * limits_.min_samples_leaf ||
                         state.weight < 2.0 * limits_.min_weight_leaf || state.is_pure;
    FoundSplit found = is_leaf ? FoundSplit{} : search.find(node, ctx);
    if (found.split.is_found() && found.gain + kRounding < limits_.min_impurity_decrease)
      found = {};
    // Best-first growth may leave the node a leaf, so every node is described there.
    const bool is_split = found.split.is_found();
    if (!is_split || keeps_nodes_ || limits_.max_leaf_nodes > 0)
      sink.describe(pending, search.facts(node), !is_split);
    return found;
  }

  EmittedFacts kept() const {
    return {.of_inner_nodes = keeps_nodes_, .beside_values = !tree_.target().is_classification()};
  }

  template <class Sink>
  std::pair<Pending, Pending> divide(const Pending& pending, Split& split, NodeSearch& search,
                                     Sink& sink, const Context& ctx) const {
    const Node& node = pending.node;
    search.apply(node, split, ctx);
    const std::int64_t id = sink.split(pending, split);
    const std::int64_t middle = node.begin + split.n_left;
    Pending left{node.child(node.begin, middle, true), id};
    Pending right{node.child(middle, node.end, false), id + 1};
    // The search may have left the rest of their data as it was.
    left.node.is_final = right.node.is_final = tree_.ends_growth(node, split);
    const auto monotone = tree_.options().monotone;
    const int sign = monotone.empty() ? 0 : monotone[static_cast<std::size_t>(split.feature)];
    part_bounds(left.node.bounds, right.node.bounds, split.middle, sign);
    return {std::move(left), std::move(right)};
  }

  static constexpr double kRounding = std::numeric_limits<double>::epsilon();

  NodeSearch& search_;
  const SearchBase& tree_;
  const Limits& limits_;
  // Whether values and impurities of inner nodes are kept: monotone constraints clip the leaves,
  // from which they would follow.
  bool keeps_nodes_;
  const Context& ctx_;
};

}  // namespace

void grow_nodes(NodeSearch& search, const Context& ctx, GrownTrees& out) {
  Grower(search, ctx).grow(out);
}

}  // namespace gramian::tree
