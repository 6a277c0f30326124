#include "boost/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "boost/histogram_kernel.hpp"
#include "boost/pack_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "random/mix.hpp"
#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kPackRows = 4096;
constexpr std::int64_t kPartRows = 8192;  // fewer rows are not worth a histogram of their own
constexpr double kHistogramCost = 0.7;    // nanoseconds for a row and track
constexpr double kChildrenCost = 3.0;     // for a cell of the histograms of both children
// A node of more work than this, in nanoseconds, keeps several threads busy by itself.
constexpr double kLargeNode = 100'000.0;
constexpr std::uint16_t kColumnPurpose = 11;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The largest power of two that keeps the sum of all sizes, times it, within the limit.
double scale_for(double sum, double limit) {
  if (!(sum > 0.0)) return 1.0;
  if (!std::isfinite(sum)) throw InvalidArgument("the gradients are not finite");
  const int exponent = static_cast<int>(std::floor(std::log2(limit / sum)));
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
}

bool are_whole(std::span<const double> weight) {
  return std::all_of(weight.begin(), weight.end(), [](double w) { return w == std::floor(w); });
}

// A share of the columns, at least one, in their order.
std::vector<std::int32_t> drawn(std::span<const std::int32_t> columns, double share,
                                Stream& stream) {
  std::vector<std::int32_t> left(columns.begin(), columns.end());
  if (share >= 1.0 || left.empty()) return left;
  const auto wanted = static_cast<std::size_t>(
      std::max(1.0, std::round(share * static_cast<double>(columns.size()))));
  for (std::size_t k = 0; k < wanted; ++k)
    std::swap(left[k], left[k + stream.below(left.size() - k)]);
  left.resize(wanted);
  std::sort(left.begin(), left.end());
  return left;
}

}  // namespace

// Sums over all rows bound those over any node.
void TreeGrower::pack(const GrowRows& target, const Context& ctx) {
  const auto n = static_cast<std::int64_t>(target.gradient.size());
  const bool is_whole = !target.weight.empty() && are_whole(target.weight);
  row_weight_ = is_whole ? target.weight : std::span<const double>{};
  const Chunks chunks = Chunks::of_rows(n, kPackRows);
  const auto block_of = [&](std::int64_t begin, std::int64_t end, double g_scale, double h_scale) {
    const auto from = [&](const auto& values) {
      return values.empty() ? nullptr : values.data() + begin;
    };
    return PackBlock{from(target.gradient),
                     from(target.hessian),
                     from(target.weight),
                     end - begin,
                     is_whole,
                     g_scale,
                     h_scale};
  };
  const PackSums sums = parallel_reduce(
      ctx, chunks, 0.5 * static_cast<double>(n),
      [&](std::int64_t begin, std::int64_t end) {
        return GRAMIAN_DISPATCH(sum_sizes, block_of(begin, end, 1.0, 1.0));
      },
      [](PackSums& total, const PackSums& part) {
        total.gradient += part.gradient;
        total.hessian += part.hessian;
      });
  double n_copies = static_cast<double>(n);
  if (is_whole)
    for (const double w : target.weight) n_copies += w;
  if (n_copies > 0x1p30) throw InvalidArgument("boosting takes rows of a total weight below 2^30");
  const double g_scale = scale_for(sums.gradient, 0x1p31 - 1.0 - n_copies);
  const bool counts = target.hessian.empty() && (target.weight.empty() || is_whole);
  const double h_scale = counts ? 1.0 : scale_for(sums.hessian, 0x1p32 - 1.0 - n_copies);
  if (pairs_.size() != n) pairs_ = Buffer<Pair>(n);
  const PackedSums packed = parallel_reduce(
      ctx, chunks, 1.0 * static_cast<double>(n),
      [&](std::int64_t begin, std::int64_t end) {
        return GRAMIAN_DISPATCH(pack_pairs, block_of(begin, end, g_scale, h_scale),
                                pairs_.data() + begin);
      },
      [](PackedSums& total, const PackedSums& part) {
        total.pair += part.pair;
        total.least_hessian = std::min(total.least_hessian, part.least_hessian);
        total.largest_hessian = std::max(total.largest_hessian, part.largest_hessian);
      });
  units_ = {1.0 / g_scale, 1.0 / h_scale, packed.least_hessian, packed.largest_hessian};
  total_ = packed.pair;
}

BoostedTree TreeGrower::grow(const GrowRows& target, const TreeOptions& options,
                             const Context& ctx) {
  const Series series(ctx, kHistogramCost * static_cast<double>(bins_->n_rows()) *
                               static_cast<double>(bins_->n_tracks()));
  options_ = options;
  pack(target, ctx);
  takes_all_rows_ = target.rows.empty();
  if (takes_all_rows_) {
    partition_.reset(bins_->n_rows());
  } else {
    partition_.reset(target.rows);
    total_ = 0;
    for (const std::uint32_t row : target.rows) total_ += pairs_[row];
  }
  free_.clear();
  for (Buffer<Pair>& cells : histograms_) free_.push_back(cells.data());
  draw_columns();
  const SplitFinder finder(*bins_, options_, units_, row_weight_);
  BoostedTree tree;
  std::vector<Node> leaves = options.growth == Growth::symmetric ? grow_symmetric(finder, tree, ctx)
                                                                 : grow_nodes(finder, tree, ctx);
  finish(target, finder, leaves, tree, ctx);
  return tree;
}

void TreeGrower::draw_columns() {
  std::vector<std::int32_t> all;
  for (std::int64_t f = 0; f < bins_->n_features(); ++f)
    if ((*bins_)[f].n_bins > 1 || (*bins_)[f].has_missing)
      all.push_back(static_cast<std::int32_t>(f));
  Stream stream(options_.seed, 0, kColumnPurpose);
  tree_columns_ = drawn(all, options_.columns_by_tree, stream);
  level_columns_.clear();
}

void TreeGrower::draw_level(std::int64_t depth) {
  while (static_cast<std::int64_t>(level_columns_.size()) <= depth) {
    Stream stream(options_.seed, 1 + level_columns_.size(), kColumnPurpose);
    level_columns_.push_back(drawn(tree_columns_, options_.columns_by_level, stream));
  }
}

std::vector<std::int32_t> TreeGrower::columns_of(const Node& node) const {
  std::vector<std::int32_t> columns = level_columns_[at(node.depth)];
  if (!options_.interaction_sets.empty()) {
    std::vector<std::uint8_t> is_allowed(at(bins_->n_features()));
    for (std::size_t s = 0; s < options_.interaction_sets.size(); ++s)
      if (node.sets[s] != 0)
        for (const std::int32_t f : options_.interaction_sets[s]) is_allowed[at(f)] = 1;
    std::erase_if(columns, [&](std::int32_t f) { return is_allowed[at(f)] == 0; });
  }
  if (options_.columns_by_node >= 1.0) return columns;
  Stream stream(options_.seed, node.path, kColumnPurpose + 1);
  return drawn(columns, options_.columns_by_node, stream);
}

NodeView TreeGrower::view(const Node& node) const {
  return {node.histogram, node.total, partition_.range(node.begin, node.end), node.bounds};
}

bool TreeGrower::may_split(const Node& node) const {
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  const std::int64_t n_needed =
      row_weight_.empty() ? std::max<std::int64_t>(2 * options_.min_rows, 2) : 1;
  return node.size() >= n_needed;
}

void TreeGrower::look(const SplitFinder& finder, Node& node, const Context& ctx) {
  if (node.histogram == nullptr) return;
  node.split = finder.find(view(node), columns_of(node), ctx);
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
    child->bounds = node.bounds;
    child->sets = node.sets;
  }
  const int sign = options_.monotone.empty() ? 0 : options_.monotone[at(node.split.feature)];
  if (sign != 0) {
    const double middle = 0.5 * finder.value_of(left.total, node.bounds) +
                          0.5 * finder.value_of(right.total, node.bounds);
    (sign > 0 ? left.bounds.upper : left.bounds.lower) = middle;
    (sign > 0 ? right.bounds.lower : right.bounds.upper) = middle;
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
  auto& [left, right] = *node.children;
  give_histograms(node, left, right, ctx);
  node.histogram = nullptr;
  look(finder, left, ctx);
  look(finder, right, ctx);
}

// Small nodes keep one thread busy each: those that come next are divided together, so that they
// are ready when it is their turn. What a node becomes does not depend on it.
void TreeGrower::divide_ahead(const SplitFinder& finder, std::span<Node> nodes,
                              const Context& ctx) {
  const auto cost_of = [&](const Node& node) {
    return kHistogramCost * static_cast<double>(node.size()) *
               static_cast<double>(bins_->n_tracks()) +
           kChildrenCost * static_cast<double>(bins_->n_cells());
  };
  std::vector<Node*> due;
  double cost = 0.0;
  for (Node& node : nodes) {
    draw_level(node.depth + 1);
    if (node.children != nullptr || (!due.empty() && cost_of(node) > kLargeNode)) continue;
    due.push_back(&node);
    cost += cost_of(node);
    if (cost_of(node) > kLargeNode) break;
  }
  if (due.size() == 1) return divide_and_look(finder, *due.front(), ctx);
  parallel_for(ctx, static_cast<std::int64_t>(due.size()), cost,
               [&](std::int64_t i) { divide_and_look(finder, *due[at(i)], ctx); });
}

void TreeGrower::undo_divide(Node& node) {
  if (node.children == nullptr) return;
  partition_.join(node.begin, node.children->left.end, node.end);
  node.children.reset();
}

std::vector<TreeGrower::Node> TreeGrower::grow_nodes(const SplitFinder& finder, BoostedTree& tree,
                                                     const Context& ctx) {
  const bool by_level = options_.growth == Growth::level;
  const auto comes_later = [by_level](const Node& a, const Node& b) {
    if (by_level) return a.depth != b.depth ? a.depth > b.depth : a.id > b.id;
    return a.split.gain != b.split.gain ? a.split.gain < b.split.gain : a.id > b.id;
  };
  std::vector<Node> heap, leaves;
  const auto put = [&](Node&& node) {
    auto& to = node.split.is_found() ? heap : leaves;
    to.push_back(std::move(node));
    if (&to == &heap) std::push_heap(heap.begin(), heap.end(), comes_later);
  };
  const auto next = [&] {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Node node = std::move(heap.back());
    heap.pop_back();
    return node;
  };
  Node root = make_root(ctx);
  draw_level(0);
  look(finder, root, ctx);
  put(std::move(root));
  const std::int64_t most =
      options_.max_leaves > 0 ? options_.max_leaves : std::numeric_limits<std::int64_t>::max();
  for (std::int64_t n_leaves = 1; !heap.empty() && n_leaves < most; ++n_leaves) {
    ctx.check();
    const bool is_last = n_leaves + 1 == most;
    if (!is_last && heap.front().children == nullptr) {
      std::vector<Node> ahead;
      while (!heap.empty() &&
             std::ssize(ahead) < std::min<std::int64_t>(ctx.n_threads, most - n_leaves))
        ahead.push_back(next());
      divide_ahead(finder, ahead, ctx);
      for (Node& node : ahead) put(std::move(node));
    }
    Node node = next();
    if (node.children == nullptr)
      node.children = std::make_unique<Children>(divide(finder, node, ctx));
    auto& [left, right] = *node.children;
    left.id = tree.split(node.id, node.split);
    right.id = left.id + 1;
    put(std::move(left));
    put(std::move(right));
  }
  for (Node& node : heap) undo_divide(node);
  std::move(heap.begin(), heap.end(), std::back_inserter(leaves));
  return leaves;
}

std::vector<TreeGrower::Node> TreeGrower::grow_symmetric(const SplitFinder& finder,
                                                         BoostedTree& tree, const Context& ctx) {
  std::vector<Node> level;
  level.push_back(make_root(ctx));
  const auto fits = [&](std::size_t n_leaves) {
    return options_.max_leaves == 0 ||
           static_cast<std::int64_t>(2 * n_leaves) <= options_.max_leaves;
  };
  while (level.front().histogram != nullptr && fits(level.size())) {
    ctx.check();
    draw_level(level.front().depth);
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
  return level;
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

// Values come from the gradients as they are, not from the rounded ones.
void TreeGrower::finish(const GrowRows& target, const SplitFinder& finder,
                        std::span<const Node> leaves, BoostedTree& tree, const Context& ctx) {
  std::vector<const Node*> of_id;
  for (const Node& leaf : leaves) {
    if (of_id.size() <= at(leaf.id)) of_id.resize(at(leaf.id) + 1);
    of_id[at(leaf.id)] = &leaf;
  }
  const std::vector<std::int64_t> order = tree.leaf_nodes();
  std::vector<LeafFacts> facts(order.size());
  leaves_.resize(order.size());
  const double cost = 2.0 * static_cast<double>(partition_.size());
  parallel_for(ctx, static_cast<std::int64_t>(order.size()), cost, [&](std::int64_t k) {
    const Node& leaf = *of_id[at(order[at(k)])];
    leaves_[at(k)] = {leaf.begin, leaf.end};
    double gradient = 0.0, hessian = 0.0;
    for (const std::uint32_t row : partition_.range(leaf.begin, leaf.end)) {
      const double w = target.weight.empty() ? 1.0 : target.weight[row];
      gradient += w * static_cast<double>(target.gradient[row]);
      hessian += w * (target.hessian.empty() ? 1.0 : static_cast<double>(target.hessian[row]));
    }
    const double value = finder.leaf_value(gradient, hessian, leaf.bounds);
    facts[at(k)] = {options_.learning_rate * value, hessian, leaf.size()};
  });
  for (std::size_t k = 0; k < order.size(); ++k)
    tree.set_leaf(order[k], static_cast<std::int64_t>(k), facts[k]);
}

void TreeGrower::add_last(const BoostedTree& tree, const tree::AnyMatrix* X,
                          std::span<double> scores, const Context& ctx) const {
  const double cost = 1.5 * static_cast<double>(partition_.size());
  parallel_for(ctx, n_leaves(), cost,
               [&](std::int64_t leaf) { tree.add_leaf(leaf, X, leaf_rows(leaf), 1.0, scores); });
  if (takes_all_rows_) return;
  std::vector<std::uint8_t> is_done(at(bins_->n_rows()));
  for (const std::uint32_t row : partition_.range(0, partition_.size())) is_done[row] = 1;
  std::vector<std::uint32_t> rest;
  for (std::size_t row = 0; row < is_done.size(); ++row)
    if (is_done[row] == 0) rest.push_back(static_cast<std::uint32_t>(row));
  if (!rest.empty()) tree.add(*bins_, X, rest, 1.0, scores, ctx);
}

Pair* TreeGrower::take_histogram() {
  const std::lock_guard lock(histograms_mutex_);
  if (free_.empty()) return histograms_.emplace_back(bins_->n_cells()).data();
  Pair* cells = free_.back();
  free_.pop_back();
  return cells;
}

void TreeGrower::free_histogram(Pair*& cells) {
  const std::lock_guard lock(histograms_mutex_);
  free_.push_back(std::exchange(cells, nullptr));
}

void TreeGrower::build_histogram(const Node& node, const Context& ctx) {
  Pair* cells = node.histogram;
  const std::int64_t n_cells = bins_->n_track_cells(), n_groups = bins_->n_groups();
  if (node.size() == 0) {  // a common split may leave a side without rows
    std::fill_n(cells, bins_->n_cells(), Pair{0});
    return;
  }
  const double cost =
      kHistogramCost * static_cast<double>(node.size()) * static_cast<double>(bins_->n_tracks());
  const std::int64_t n_parts =
      n_groups >= ctx.n_threads
          ? 1
          : std::clamp<std::int64_t>(node.size() / kPartRows, 1,
                                     useful_threads(ctx, ctx.n_threads, cost));
  while (static_cast<std::int64_t>(partial_.size()) < n_parts - 1) partial_.emplace_back(n_cells);
  const bool is_all = takes_all_rows_ && node.size() == partition_.size();
  const Chunks parts = Chunks::of_rows(node.size(), (node.size() + n_parts - 1) / n_parts);
  parallel_for(ctx, parts.count() * n_groups, cost, [&](std::int64_t task) {
    const std::int64_t part = task / n_groups, group = task % n_groups;
    Pair* own = part == 0 ? cells : partial_[at(part - 1)].data();
    add_rows(group, node.begin + parts.begin(part), node.begin + parts.end(part), is_all, own);
  });
  for (std::int64_t part = 1; part < parts.count(); ++part)
    GRAMIAN_DISPATCH(add_cells, cells, partial_[at(part - 1)].data(), n_cells);
  bins_->sum_packed(cells);
}

// The histograms of one group of tracks, of the rows in a range of the partition. `is_all`: it has
// all rows in their order.
void TreeGrower::add_rows(std::int64_t group, std::int64_t begin, std::int64_t end, bool is_all,
                          Pair* cells) const {
  const std::int64_t first_track = group * kGroupTracks;
  const std::int64_t n_tracks = bins_->group_tracks(group);
  const auto first_cells = bins_->first_cells().subspan(at(first_track), at(n_tracks) + 1);
  std::fill(cells + first_cells.front(), cells + first_cells.back(), Pair{0});
  const std::int64_t stride = bins_->group_stride(group);
  HistogramRows rows{
      bins_->group_codes(group), stride, n_tracks, nullptr, pairs_.data(), end - begin,
      first_cells.data()};
  if (is_all) {
    rows.codes += begin * stride;
    rows.pairs += begin;
  } else {
    rows.rows = partition_.range(begin, end).data();
  }
  GRAMIAN_DISPATCH(add_to_histogram, rows, cells);
}

}  // namespace gramian::boost
