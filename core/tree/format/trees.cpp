#include "tree/format/trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

constexpr double kCheckCost = 1.0;  // nanoseconds for a node, to decide on threads

void demand(bool condition, const char* what) {
  if (!condition) throw InvalidArgument(std::string("these trees are corrupt: ") + what);
}

void check_offsets(const TreesView& trees) {
  const auto offsets = trees.node_offsets;
  demand(offsets.size() >= 2, "node_offsets has no tree");
  demand(offsets.front() == 0, "node_offsets does not begin with 0");
  for (std::size_t t = 1; t < offsets.size(); ++t) {
    demand(offsets[t] > offsets[t - 1], "node_offsets is not ascending");
    demand(offsets[t] - offsets[t - 1] <= std::numeric_limits<std::int32_t>::max(),
           "a tree has more than 2^31 - 1 nodes");
  }
  demand(offsets.back() == trees.n_nodes(), "node_offsets does not end with the number of nodes");
}

void check_columns(const TreesView& trees) {
  demand(trees.n_levels.size() <= std::numeric_limits<std::int32_t>::max(),
         "there are more than 2^31 - 1 features");
  demand(trees.is_double.size() == trees.n_levels.size(),
         "is_double and n_levels differ in length");
  for (const auto levels : trees.n_levels) demand(levels >= 0, "n_levels has a negative entry");
}

// Every split opens one more subtree than it closes: the count of open ones is 0 at the end of a
// tree and nowhere before. Nothing branches on whether a node is a leaf.
bool is_whole(std::span<const std::int32_t> feature, std::int64_t n_features) {
  const auto n_kinds = static_cast<std::uint32_t>(n_features) + 1U;
  std::int64_t open = 1, least = 1;
  bool is_inside = true;
  for (const auto column : feature) {
    least = std::min(least, open);
    is_inside &= static_cast<std::uint32_t>(column) + 1U < n_kinds;
    open += 1 + 2 * (column >> 31);  // kLeaf is negative
  }
  return is_inside && least > 0 && open == 0;
}

void check_shape(const TreesView& trees, std::int64_t tree) {
  const auto feature = trees.feature.subspan(
      at(trees.first_node(tree)), at(trees.first_node(tree + 1) - trees.first_node(tree)));
  if (is_whole(feature, trees.n_features())) return;
  std::int64_t open = 1;
  for (const auto column : feature) {
    demand(open > 0, "a tree has nodes behind its last leaf");
    demand(column >= kLeaf && column < trees.n_features(), "feature is out of range");
    open += column == kLeaf ? -1 : 1;
  }
  demand(open == 0, "a tree ends before its last leaf");
}

void check_lengths(const TreesView& trees) {
  const auto n_nodes = at(trees.n_nodes());
  const auto n_leaves = at(trees.n_leaves());
  const auto n_splits = n_nodes - n_leaves;
  const auto is_any = [](std::size_t size, std::size_t expected) {
    return size == 0 || size == expected;
  };
  demand(trees.threshold.size() == n_splits, "threshold does not have one entry per split");
  demand(trees.flags.size() == n_splits, "flags does not have one entry per split");
  demand(trees.leaf_count.size() == n_leaves, "leaf_count does not have one entry per leaf");
  demand(trees.width > 0 && trees.leaf_value.size() % at(trees.width) == 0 &&
             trees.leaf_value.size() / at(trees.width) == n_leaves,
         "leaf_value does not have one row per leaf");
  demand(is_any(trees.leaf_weight.size(), n_leaves),
         "leaf_weight is neither empty nor one per leaf");
  demand(is_any(trees.leaf_impurity.size(), n_leaves),
         "leaf_impurity is neither empty nor one per leaf");
  demand(is_any(trees.node_impurity.size(), n_nodes),
         "node_impurity is neither empty nor one per node");
  demand(is_any(trees.node_value.size(), n_nodes * at(trees.width)),
         "node_value is neither empty nor one row per node");
}

void check_classes(const TreesView& trees) {
  if (!trees.is_classification()) return;
  std::int64_t sum = 0;
  for (const auto classes : trees.n_classes) {
    demand(classes > 0, "n_classes has an entry below 1");
    sum += classes;
  }
  demand(sum == trees.width, "n_classes does not add up to the width of leaf_value");
}

void check_split(const TreesView& trees, std::int64_t column, std::int64_t split) {
  const double threshold = trees.threshold[at(split)];
  const auto flags = trees.flags[at(split)];
  demand((flags & ~kAllFlags) == 0, "flags has unknown bits");
  demand(!std::isnan(threshold), "threshold has a NaN");
  const auto n_words = trees.n_words(column);
  if ((flags & kCategorical) == 0) {
    demand(n_words == 0, "a numeric split is on a column with levels");
    return;
  }
  demand(n_words > 0, "a categorical split is on a column without levels");
  const auto n_all = static_cast<std::int64_t>(trees.category_words.size());
  demand(n_words <= n_all && threshold >= 0.0 && threshold == std::floor(threshold) &&
             threshold <= static_cast<double>(n_all - n_words),
         "a set of levels is outside category_words");
}

// Whether all splits begin .. end are numeric, with a threshold and flags that may be.
bool are_plain(const TreesView& trees, std::int64_t begin, std::int64_t end) {
  std::uint8_t bits = 0;
  bool are_numbers = true;
  for (auto split = at(begin); split < at(end); ++split) {
    bits |= trees.flags[split];
    are_numbers &= trees.threshold[split] == trees.threshold[split];
  }
  return are_numbers && (bits & (~kAllFlags | kCategorical)) == 0;
}

void check_splits(const TreesView& trees, std::int64_t tree, bool has_levels) {
  auto split = trees.first_split(tree);
  if (!has_levels && are_plain(trees, split, trees.first_split(tree + 1))) return;
  for (auto node = trees.first_node(tree); node < trees.first_node(tree + 1); ++node)
    if (const auto column = trees.feature[at(node)]; column != kLeaf)
      check_split(trees, column, split++);
}

void check_counts(const TreesView& trees, std::int64_t tree) {
  std::int32_t least = 0;
  for (auto leaf = trees.first_leaf(tree); leaf < trees.first_leaf(tree + 1); ++leaf)
    least = std::min(least, trees.leaf_count[at(leaf)]);
  demand(least >= 0, "leaf_count has a negative entry");
}

}  // namespace

double TreesView::weight_of_leaf(std::int64_t leaf) const {
  if (!leaf_weight.empty()) return leaf_weight[at(leaf)];
  if (!is_classification()) return static_cast<double>(leaf_count[at(leaf)]);
  double sum = 0.0;
  for (std::int64_t c = 0; c < n_classes[0]; ++c) sum += leaf_value[at(leaf * width + c)];
  return sum;
}

void TreesView::check(const Context& ctx) const {
  check_offsets(*this);
  check_columns(*this);
  const TreeGroups tasks = groups();
  const double cost_ns = kCheckCost * static_cast<double>(n_nodes());
  parallel_for(ctx, tasks.count(), cost_ns, [&](std::int64_t i) {
    for (auto t = tasks.begin(i); t < tasks.end(i); ++t) check_shape(*this, t);
  });
  check_lengths(*this);
  check_classes(*this);
  const bool has_levels = std::ranges::any_of(n_levels, [](auto levels) { return levels > 0; });
  parallel_for(ctx, tasks.count(), cost_ns, [&](std::int64_t i) {
    for (auto t = tasks.begin(i); t < tasks.end(i); ++t) {
      check_splits(*this, t, has_levels);
      check_counts(*this, t);
    }
  });
}

}  // namespace gramian::tree
