#include "tree/grow.hpp"

#include <algorithm>

#include "base/error.hpp"
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

void grow_one(const TreeTask& task, GrownTrees& out) {
  if (task.target.is_classification()) return grow_classifier(task, out);
  if (task.options.criterion == CriterionKind::absolute_error) return grow_absolute(task, out);
  grow_regressor(task, out);
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(GrownTrees& to, const GrownTrees& from) {
  const auto n_nodes = static_cast<std::int64_t>(to.feature.size());
  const auto n_words = static_cast<double>(to.category_words.size());
  const std::size_t n_splits = to.threshold.size();
  append(to.feature, from.feature);
  append(to.threshold, from.threshold);
  append(to.flags, from.flags);
  append(to.category_words, from.category_words);
  append(to.leaf_value, from.leaf_value);
  append(to.leaf_count, from.leaf_count);
  append(to.leaf_weight, from.leaf_weight);
  append(to.leaf_impurity, from.leaf_impurity);
  append(to.node_value, from.node_value);
  append(to.node_impurity, from.node_impurity);
  to.node_offsets.push_back(n_nodes + static_cast<std::int64_t>(from.feature.size()));
  for (std::size_t i = n_splits; i < to.flags.size(); ++i)
    if ((to.flags[i] & 2) != 0) to.threshold[i] += n_words;
}

}  // namespace

void draw_bootstrap(std::uint64_t seed, std::int64_t n_draws, std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  Stream stream(seed, 0, kBootstrapPurpose);
  for (std::int64_t i = 0; i < n_draws; ++i) ++counts[stream.below(counts.size())];
}

Columns::Form form_for(const Options& options, std::int64_t n_rows, std::int64_t n_features,
                       const Sampling& sampling, int n_threads) {
  if (options.random_splits) return Columns::Form::values;
  // In profiles parting a column costs a third of scanning it, gathering and sorting as much as it.
  if (3 * options.limits.max_features < n_features) return Columns::Form::coded;
  constexpr double kSmall = 64e6;  // bytes
  const double bytes = 8.0 * static_cast<double>(n_rows) * static_cast<double>(n_features);
  const bool is_forest = sampling.seeds.size() > 1;
  return is_forest && bytes * (1 + n_threads) > kSmall ? Columns::Form::coded
                                                       : Columns::Form::sorted;
}

GrownTrees grow_trees(const Columns& columns, const Target& target, const Options& options,
                      const Sampling& sampling, const Context& ctx) {
  const std::size_t n_trees = sampling.seeds.size();
  std::vector<GrownTrees> grown(n_trees);
  const auto grow_tree = [&](std::int64_t t) {
    const auto tree = static_cast<std::size_t>(t);
    const TreeRows rows(sampling, tree, columns.n_rows());
    grow_one({columns, target, options, rows.sample, sampling.seeds[tree], ctx}, grown[tree]);
  };
  const double cost = 1e3 * static_cast<double>(columns.n_rows()) * static_cast<double>(n_trees);
  if (static_cast<int>(n_trees) < ctx.n_threads) {
    // Fewer trees than threads: one after the other, with all threads inside of each.
    for (std::size_t t = 0; t < n_trees; ++t) grow_tree(static_cast<std::int64_t>(t));
  } else {
    parallel_for(ctx, static_cast<std::int64_t>(n_trees), cost, grow_tree);
  }
  if (n_trees == 1) return std::move(grown.front());
  GrownTrees all;
  for (GrownTrees& tree : grown) {
    append(all, tree);
    tree = {};
  }
  return all;
}

}  // namespace gramian::tree
