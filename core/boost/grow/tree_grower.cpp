#include "boost/grow/tree_grower.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "boost/grow/histogram_kernel.hpp"
#include "boost/grow/pack_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kPackRows = 4096;
constexpr std::int64_t kPartRows = 2048;  // fewer rows are not worth a histogram of their own
constexpr std::int64_t kBlockRows = 8192;
constexpr std::uint16_t kColumnPurpose = 11;

// The largest power of two that keeps the sum of all sizes, times it, within the limit.
double scale_for(double sum, double limit) {
  if (!(sum > 0.0)) return 1.0;
  if (!std::isfinite(sum))
    throw InvalidArgument("the gradients are not finite: y or its weights are too large");
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

struct Sums {
  double gradient = 0.0, hessian = 0.0;
};

// Several sums side by side: one alone waits for each addition.
Sums sums_of(const GrowRows& target, std::span<const std::uint32_t> rows) {
  constexpr std::size_t kSums = 4;
  std::array<double, kSums> gradient{}, hessian{};
  const auto add = [&](std::size_t i, std::size_t to) {
    const double w = target.weight.empty() ? 1.0 : target.weight[rows[i]];
    gradient[to] += w * static_cast<double>(target.gradient[rows[i]]);
    hessian[to] +=
        w * (target.hessian.empty() ? 1.0 : static_cast<double>(target.hessian[rows[i]]));
  };
  std::size_t i = 0;
  for (; i + kSums <= rows.size(); i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) add(i + k, k);
  for (; i < rows.size(); ++i) add(i, i % kSums);
  return {(gradient[0] + gradient[1]) + (gradient[2] + gradient[3]),
          (hessian[0] + hessian[1]) + (hessian[2] + hessian[3])};
}

}  // namespace

// Sums over all rows bound those over any node.
void TreeGrower::pack(const GrowRows& target, const Context& ctx) {
  const auto n = static_cast<std::int64_t>(target.gradient.size());
  constexpr double kMostCopies = 0x1p30;
  if (static_cast<double>(n) > kMostCopies)
    throw InvalidArgument("boosting takes at most 2^30 rows");
  double n_copies = static_cast<double>(n);
  for (const double w : target.weight) n_copies += w;
  // Weights that add up to more than can be counted are numbers like others.
  const bool is_whole =
      !target.weight.empty() && n_copies <= kMostCopies && are_whole(target.weight);
  if (!is_whole) n_copies = static_cast<double>(n);
  row_weight_ = is_whole ? target.weight : std::span<const double>{};
  const Tiles tiles = Tiles::of_rows(n, kPackRows);
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
  std::vector<PackSums> sizes(at(tiles.count()));
  const auto for_tiles = [&](double cost, auto&& use) {
    parallel_for(ctx, tiles.count(), cost * static_cast<double>(n), use, Claims::by_place);
  };
  for_tiles(0.5, [&](std::int64_t i) {
    sizes[at(i)] = GRAMIAN_DISPATCH(sum_sizes, block_of(tiles.begin(i), tiles.end(i), 1.0, 1.0));
  });
  TreeSum gradient, hessian;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    gradient.add(static_cast<std::int64_t>(i), sizes[i].gradient);
    hessian.add(static_cast<std::int64_t>(i), sizes[i].hessian);
  }
  const double g_scale = scale_for(gradient.total(), 0x1p31 - 1.0 - n_copies);
  const bool counts = target.hessian.empty() && (target.weight.empty() || is_whole);
  const double h_scale = counts ? 1.0 : scale_for(hessian.total(), 0x1p32 - 1.0 - n_copies);
  if (pairs_.size() != n) pairs_ = Buffer<Pair>(n);
  std::vector<PackedSums> packed(at(tiles.count()));
  for_tiles(1.0, [&](std::int64_t i) {
    const std::int64_t begin = tiles.begin(i);
    packed[at(i)] = GRAMIAN_DISPATCH(pack_pairs, block_of(begin, tiles.end(i), g_scale, h_scale),
                                     pairs_.data() + begin);
  });
  units_ = {1.0 / g_scale, 1.0 / h_scale, std::numeric_limits<std::int64_t>::max(), 0};
  total_ = 0;
  for (const PackedSums& part : packed) {
    total_ += part.pair;
    units_.least_hessian = std::min(units_.least_hessian, part.least_hessian);
    units_.largest_hessian = std::max(units_.largest_hessian, part.largest_hessian);
  }
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
  const std::vector<Leaf> leaves = options.growth == Growth::symmetric
                                       ? grow_symmetric(finder, tree, ctx)
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
}

std::vector<std::int32_t> TreeGrower::columns_of(const Node& node) const {
  Stream of_level(options_.seed, 1 + static_cast<std::uint64_t>(node.depth), kColumnPurpose);
  std::vector<std::int32_t> columns = drawn(tree_columns_, options_.columns_by_level, of_level);
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

// Values come from the gradients as they are, not from the rounded ones.
void TreeGrower::finish(const GrowRows& target, const SplitFinder& finder,
                        std::span<const Leaf> leaves, BoostedTree& tree, const Context& ctx) {
  std::vector<const Leaf*> of_id;
  for (const Leaf& leaf : leaves) {
    if (of_id.size() <= at(leaf.id)) of_id.resize(at(leaf.id) + 1);
    of_id[at(leaf.id)] = &leaf;
  }
  const std::vector<std::int64_t> order = tree.leaf_nodes();
  leaves_.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) leaves_[k] = of_id[at(order[k])]->rows;
  const Tiles blocks = row_blocks();
  std::vector<Sums> sums(at(blocks.count()) * order.size());
  for_leaves_by_block(2.0, ctx, [&](std::int64_t block, std::int64_t leaf, auto rows) {
    sums[at(block) * order.size() + at(leaf)] = sums_of(target, rows);
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    TreeSum gradients, hessians;
    for (std::int64_t block = 0; block < blocks.count(); ++block) {
      gradients.add(block, sums[at(block) * order.size() + k].gradient);
      hessians.add(block, sums[at(block) * order.size() + k].hessian);
    }
    const Sums total{gradients.total(), hessians.total()};
    const Leaf& leaf = *of_id[at(order[k])];
    const double value = finder.leaf_value(total.gradient, total.hessian, leaf.bounds);
    tree.set_leaf(order[k], static_cast<std::int64_t>(k),
                  {options_.learning_rate * value, total.hessian, leaf.rows.end - leaf.rows.begin});
  }
}

// Blocks of rows that fit a cache of the second level, with what is known of them.
Tiles TreeGrower::row_blocks() const { return Tiles::of_rows(bins_->n_rows(), kBlockRows); }

// use(block, leaf, rows) for the rows of each leaf in each block: a thread has rows to itself that
// are next to each other.
template <class Use>
void TreeGrower::for_leaves_by_block(double cost, const Context& ctx, Use&& use) const {
  const Tiles blocks = row_blocks();
  const auto work = [&](std::int64_t block) {
    const auto first = static_cast<std::uint32_t>(blocks.begin(block));
    const auto end = static_cast<std::uint32_t>(blocks.end(block));
    for (std::int64_t leaf = 0; leaf < n_leaves(); ++leaf) {
      const std::span rows = leaf_rows(leaf);  // ascending
      const auto from = std::lower_bound(rows.begin(), rows.end(), first);
      const auto to = std::lower_bound(from, rows.end(), end);
      use(block, leaf, rows.subspan(at(from - rows.begin()), at(to - from)));
    }
  };
  parallel_for(ctx, blocks.count(), cost * static_cast<double>(partition_.size()), work,
               Claims::by_place);
}

void TreeGrower::add_last(const BoostedTree& tree, const AnyDense* X, std::span<double> scores,
                          const Context& ctx) const {
  for_leaves_by_block(1.5, ctx, [&](std::int64_t, std::int64_t leaf, auto rows) {
    tree.add_leaf(leaf, X, rows, 1.0, scores);
  });
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
