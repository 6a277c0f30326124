#include "boost/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

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
  for (std::size_t i = histograms_.size(); i-- > 0;) free_.push_back(static_cast<std::int64_t>(i));
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

std::vector<std::int32_t> TreeGrower::columns_of(const Node& node) {
  while (static_cast<std::int64_t>(level_columns_.size()) <= node.depth) {
    Stream stream(options_.seed, 1 + level_columns_.size(), kColumnPurpose);
    level_columns_.push_back(drawn(tree_columns_, options_.columns_by_level, stream));
  }
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

NodeView TreeGrower::view(const Node& node) {
  return {histograms_[at(node.histogram)].data(), node.total,
          partition_.range(node.begin, node.end), node.bounds};
}

bool TreeGrower::may_split(const Node& node) const {
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  const std::int64_t n_needed =
      row_weight_.empty() ? std::max<std::int64_t>(2 * options_.min_rows, 2) : 1;
  return node.size() >= n_needed;
}

void TreeGrower::look(const SplitFinder& finder, Node& node, const Context& ctx) {
  if (node.histogram < 0) return;
  node.split = finder.find(view(node), columns_of(node), ctx);
  if (node.split.is_found()) return;
  free_histogram(node.histogram);
  node.histogram = -1;
}

std::pair<TreeGrower::Node, TreeGrower::Node> TreeGrower::divide(const SplitFinder& finder,
                                                                 Node& node, BoostedTree& tree,
                                                                 const Context& ctx) {
  const std::int64_t first = tree.split(node.id, *bins_, node.split);
  const std::int64_t n_left = partition_.part(node.begin, node.end, *bins_, tree.track_of(node.id),
                                              tree.codes_left(node.id), ctx);
  const auto child = [&](bool is_left) {
    Node made = node;
    made.histogram = -1;
    made.split = {};
    (is_left ? made.end : made.begin) = node.begin + n_left;
    made.total = is_left ? node.split.left : node.total - node.split.left;
    made.depth = node.depth + 1;
    made.id = first + (is_left ? 0 : 1);
    made.path = child_path(node.path, is_left);
    return made;
  };
  std::pair<Node, Node> children{child(true), child(false)};
  auto& [left, right] = children;
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
  build_histogram(smaller, smaller.histogram, ctx);
  larger.histogram = parent.histogram;
  GRAMIAN_DISPATCH(subtract_cells, histograms_[at(larger.histogram)].data(),
                   histograms_[at(smaller.histogram)].data(), bins_->n_cells());
}

// Children that are to be searched get histograms.
void TreeGrower::give_histograms(Node& parent, Node& left, Node& right, const Context& ctx) {
  const bool left_may = may_split(left), right_may = may_split(right);
  if (!left_may && !right_may) {
    free_histogram(parent.histogram);
    return;
  }
  share_histogram(parent, left, right, ctx);
  for (Node* child : {&left, &right})
    if (!may_split(*child)) {
      free_histogram(child->histogram);
      child->histogram = -1;
    }
}

std::vector<TreeGrower::Node> TreeGrower::grow_nodes(const SplitFinder& finder, BoostedTree& tree,
                                                     const Context& ctx) {
  const bool by_level = options_.growth == Growth::level;
  const auto comes_later = [by_level](const Node& a, const Node& b) {
    if (by_level) return a.depth != b.depth ? a.depth > b.depth : a.id > b.id;
    return a.split.gain != b.split.gain ? a.split.gain < b.split.gain : a.id > b.id;
  };
  std::vector<Node> heap, leaves;
  const auto consider = [&](Node& node) {
    look(finder, node, ctx);
    auto& to = node.split.is_found() ? heap : leaves;
    to.push_back(std::move(node));
    if (&to == &heap) std::push_heap(heap.begin(), heap.end(), comes_later);
  };
  Node root = make_root(ctx);
  consider(root);
  std::int64_t n_leaves = 1;
  while (!heap.empty() && (options_.max_leaves == 0 || n_leaves < options_.max_leaves)) {
    ctx.check();
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Node node = std::move(heap.back());
    heap.pop_back();
    auto [left, right] = divide(finder, node, tree, ctx);
    ++n_leaves;
    if (options_.max_leaves > 0 && n_leaves >= options_.max_leaves) {
      leaves.push_back(std::move(left));
      leaves.push_back(std::move(right));
      break;
    }
    give_histograms(node, left, right, ctx);
    consider(left);
    consider(right);
  }
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
  while (level.front().histogram >= 0 && fits(level.size())) {
    ctx.check();
    std::vector<NodeView> views;
    for (const Node& node : level) views.push_back(view(node));
    const std::vector<NodeSplit> splits = finder.find_common(views, columns_of(level.front()), ctx);
    if (splits.empty()) break;
    const bool is_last = level.front().depth + 1 == options_.max_depth || !fits(2 * level.size());
    std::vector<Node> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      level[i].split = splits[i];
      auto [left, right] = divide(finder, level[i], tree, ctx);
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
  build_histogram(root, root.histogram, ctx);
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

void TreeGrower::add_last(const BoostedTree& tree, std::span<double> scores,
                          const Context& ctx) const {
  const double cost = 1.5 * static_cast<double>(partition_.size());
  parallel_for(ctx, n_leaves(), cost, [&](std::int64_t leaf) {
    const double value = tree.leaf(leaf).value;
    for (const std::uint32_t row : leaf_rows(leaf)) scores[row] += value;
  });
  if (takes_all_rows_) return;
  std::vector<std::uint8_t> is_done(at(bins_->n_rows()));
  for (const std::uint32_t row : partition_.range(0, partition_.size())) is_done[row] = 1;
  std::vector<std::uint32_t> rest;
  for (std::size_t row = 0; row < is_done.size(); ++row)
    if (is_done[row] == 0) rest.push_back(static_cast<std::uint32_t>(row));
  if (!rest.empty()) tree.add(*bins_, rest, 1.0, scores, ctx);
}

std::int64_t TreeGrower::take_histogram() {
  if (free_.empty()) {
    histograms_.emplace_back(bins_->n_cells());
    return static_cast<std::int64_t>(histograms_.size()) - 1;
  }
  const std::int64_t number = free_.back();
  free_.pop_back();
  return number;
}

void TreeGrower::build_histogram(const Node& node, std::int64_t number, const Context& ctx) {
  Pair* cells = histograms_[at(number)].data();
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
