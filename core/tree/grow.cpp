#include "tree/grow.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"
#include "tree/grow_with.hpp"

namespace gramian::tree {
namespace {

// The weights of one tree's rows; the sample's rows are those with a positive weight.
struct TreeRows {
  std::vector<double> weight;
  Sample sample;

  TreeRows(const Sampling& sampling, std::size_t tree, std::int64_t n_rows) {
    const auto n = static_cast<std::size_t>(n_rows);
    if (!sampling.tree_weight.empty()) {
      const auto given = sampling.tree_weight.subspan(tree * n, n);
      weight.assign(given.begin(), given.end());
    } else if (sampling.n_draws > 0) {
      std::vector<std::uint32_t> counts(n);
      draw_bootstrap(sampling.seeds[tree], sampling.n_draws, counts);
      weight.assign(counts.begin(), counts.end());
    }
    if (!sampling.weight.empty()) {
      if (weight.empty()) weight.assign(n, 1.0);
      for (std::size_t i = 0; i < n; ++i) weight[i] *= sampling.weight[i];
    }
    sample.weight = weight;
    sample.rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double w = weight.empty() ? 1.0 : weight[i];
      if (w > 0.0) sample.rows.push_back(static_cast<std::uint32_t>(i));
      sample.total_weight += std::max(w, 0.0);
    }
    if (sample.rows.empty()) throw InvalidArgument("a tree needs a row of positive weight");
  }
};

}  // namespace

void grow_tree(const TreeTask& task, GrownTrees& out) {
  if (task.target.is_classification()) return grow_classifier(task, out);
  if (task.options.criterion == CriterionKind::absolute_error) return grow_absolute(task, out);
  grow_regressor(task, out);
}

namespace {

// Appends one array of every tree to that of all, with room for no more than there is. So many
// trees' arrays lie in the allocator's heaps that it would keep them all: there would be two copies
// of the forest.
template <class T>
void join(std::vector<GrownTrees>& trees, std::vector<T> GrownTrees::* array, GrownTrees& all) {
  std::size_t size = 0;
  for (const GrownTrees& tree : trees) size += (tree.*array).size();
  (all.*array).reserve(size);
  for (GrownTrees& tree : trees) {
    (all.*array).insert((all.*array).end(), (tree.*array).begin(), (tree.*array).end());
    tree.*array = std::vector<T>();
  }
  constexpr std::size_t kLarge = std::size_t{1} << 24;  // bytes
  if (size * sizeof(T) >= kLarge) give_back_freed_memory();
}

// Zeros that one tree needs not hold must be there if another tree has impurities.
void write_zeros(std::vector<GrownTrees>& trees) {
  const auto has_any = [](const GrownTrees& tree) { return !tree.leaf_impurity.empty(); };
  if (std::none_of(trees.begin(), trees.end(), has_any)) return;
  for (GrownTrees& tree : trees) tree.leaf_impurity.resize(tree.leaf_count.size(), 0.0);
}

GrownTrees joined(std::vector<GrownTrees>&& trees) {
  GrownTrees all;
  double n_words = 0.0;
  for (GrownTrees& tree : trees) {
    all.node_offsets.push_back(all.node_offsets.back() + tree.node_offsets.back());
    for (std::size_t i = 0; i < tree.flags.size(); ++i)
      if ((tree.flags[i] & 2) != 0) tree.threshold[i] += n_words;
    n_words += static_cast<double>(tree.category_words.size());
  }
  write_zeros(trees);
  join(trees, &GrownTrees::feature, all);
  join(trees, &GrownTrees::threshold, all);
  join(trees, &GrownTrees::flags, all);
  join(trees, &GrownTrees::category_words, all);
  join(trees, &GrownTrees::leaf_value, all);
  join(trees, &GrownTrees::leaf_count, all);
  join(trees, &GrownTrees::leaf_weight, all);
  join(trees, &GrownTrees::leaf_impurity, all);
  join(trees, &GrownTrees::node_value, all);
  join(trees, &GrownTrees::node_impurity, all);
  return all;
}

}  // namespace

void draw_bootstrap(std::uint64_t seed, std::int64_t n_draws, std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  Stream stream(seed, 0, kBootstrapPurpose);
  for (std::int64_t i = 0; i < n_draws; ++i) ++counts[stream.below(counts.size())];
}

Columns::Form form_for(const Options& options, std::int64_t n_rows, std::int64_t n_features,
                       std::int64_t n_trees, int n_threads) {
  if (options.random_splits) return Columns::Form::values;
  // In profiles parting a column costs a third of scanning it, gathering and sorting as much as it.
  if (3 * options.limits.max_features < n_features) return Columns::Form::coded;
  constexpr double kSmall = 64e6;  // bytes
  const double bytes = 8.0 * static_cast<double>(n_rows) * static_cast<double>(n_features);
  const bool is_forest = n_trees > 1;
  return is_forest && bytes * (1 + n_threads) > kSmall ? Columns::Form::coded
                                                       : Columns::Form::sorted;
}

GrownTrees grow_trees(const Columns& columns, const Target& target, const Options& options,
                      const Sampling& sampling, const Context& ctx) {
  const std::size_t n_trees = sampling.seeds.size();
  std::vector<GrownTrees> grown(n_trees);
  const auto grow_one = [&](std::int64_t t) {
    const auto tree = static_cast<std::size_t>(t);
    const TreeRows rows(sampling, tree, columns.n_rows());
    GrownTrees& out = grown[tree];
    grow_tree({columns, target, options, rows.sample, sampling.seeds[tree], ctx}, out);
    const auto is_zero = [](double impurity) { return impurity == 0.0; };
    if (std::all_of(out.leaf_impurity.begin(), out.leaf_impurity.end(), is_zero))
      out.leaf_impurity = {};
  };
  const double cost = 1e3 * static_cast<double>(columns.n_rows()) * static_cast<double>(n_trees);
  if (static_cast<int>(n_trees) < ctx.n_threads) {
    // Fewer trees than threads: one after the other, with all threads inside of each.
    for (std::size_t t = 0; t < n_trees; ++t) grow_one(static_cast<std::int64_t>(t));
  } else {
    parallel_for(ctx, static_cast<std::int64_t>(n_trees), cost, grow_one);
  }
  if (n_trees == 1) return std::move(grown.front());
  return joined(std::move(grown));
}

}  // namespace gramian::tree
