#include "tree/grow/grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"
#include "tree/grow/grow_with.hpp"

namespace gramian::tree {
namespace {

// The rows of one tree, those of positive weight, and their weights.
Sample sample_of(const Sampling& sampling, std::size_t tree, std::int64_t n_rows) {
  const auto n = static_cast<std::size_t>(n_rows);
  Sample sample;
  sample.weight = sampling.weight;
  const auto draws = sampling.tree_weight.empty() ? std::span<const double>{}
                                                  : sampling.tree_weight.subspan(tree * n, n);
  if (draws.empty() && sampling.n_draws > 0) {
    std::vector<std::uint32_t> counts(n);
    draw_bootstrap(sampling.seeds[tree], sampling.n_draws, counts);
    sample.own_weight.assign(counts.begin(), counts.end());
  } else if (!draws.empty() && !sampling.weight.empty()) {
    sample.own_weight.assign(draws.begin(), draws.end());
  } else if (!draws.empty()) {
    sample.weight = draws;
  }
  if (!sample.own_weight.empty()) {
    for (std::size_t i = 0; i < sampling.weight.size(); ++i)
      sample.own_weight[i] *= sampling.weight[i];
    sample.weight = sample.own_weight;
  }
  const auto weight_of = [w = sample.weight](std::size_t i) { return w.empty() ? 1.0 : w[i]; };
  std::size_t n_positive = 0;
  for (std::size_t i = 0; i < n; ++i) n_positive += weight_of(i) > 0.0;
  if (n_positive == 0) throw InvalidArgument("a tree needs a row of positive weight");
  sample.rows.resize(n_positive + 1);  // all are written, so that there is no branch
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sample.rows[next] = static_cast<std::uint32_t>(i);
    next += weight_of(i) > 0.0;
    sample.total_weight += std::max(weight_of(i), 0.0);
  }
  sample.rows.pop_back();
  return sample;
}

}  // namespace

void grow_tree(TreeTask task, GrownTrees& out) {
  if (task.target.is_classification()) return grow_classifier(task, out);
  if (task.options.criterion == CriterionKind::absolute_error) return grow_absolute(task, out);
  grow_regressor(task, out);
}

namespace {

// Moves numbers to `singles` if float32 holds them all.
void narrow(std::vector<double>& numbers, std::vector<float>& singles) {
  const auto is_single = [](double number) {
    return std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max()) &&
           static_cast<double>(static_cast<float>(number)) == number;
  };
  if (!std::all_of(numbers.begin(), numbers.end(), is_single)) return;
  singles.assign(numbers.begin(), numbers.end());
  numbers = {};
}

// A tree in the least memory: a forest keeps all its trees until the last is grown.
void finish(GrownTrees& tree, bool is_classification) {
  const auto is_zero = [](double impurity) { return impurity == 0.0; };
  if (std::all_of(tree.leaf_impurity.begin(), tree.leaf_impurity.end(), is_zero))
    tree.leaf_impurity = {};
  if (is_classification)
    narrow(tree.leaf_value, tree.leaf_value_single);
  else
    narrow(tree.leaf_weight, tree.leaf_weight_single);
  for_each_array([&](auto array) { (tree.*array).shrink_to_fit(); });
}

// Appends the arrays of all trees. So many lie in the allocator's heaps that it would keep what is
// freed of them: there would be two copies of the forest.
class Joiner {
 public:
  explicit Joiner(std::vector<GrownTrees>& trees) : trees_(trees) {}

  template <class T>
  void join(std::vector<T> GrownTrees::* array, GrownTrees& all) {
    std::size_t size = 0;
    for (const GrownTrees& tree : trees_) size += (tree.*array).size();
    (all.*array).reserve(size);
    for (GrownTrees& tree : trees_) {
      (all.*array).insert((all.*array).end(), (tree.*array).begin(), (tree.*array).end());
      n_freed_ += (tree.*array).size() * sizeof(T);
      tree.*array = std::vector<T>();
      if (n_freed_ >= kLarge) {
        give_back_freed_memory();
        n_freed_ = 0;
      }
    }
  }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 24;  // bytes

  std::vector<GrownTrees>& trees_;
  std::size_t n_freed_ = 0;
};

// What one tree needs not hold must be there if another tree does: zeros, and numbers in double.
void write_out(std::vector<GrownTrees>& trees) {
  const auto any = [&](auto GrownTrees::* array) {
    return std::any_of(trees.begin(), trees.end(),
                       [&](const GrownTrees& tree) { return !(tree.*array).empty(); });
  };
  if (any(&GrownTrees::leaf_impurity))
    for (GrownTrees& tree : trees) tree.leaf_impurity.resize(tree.leaf_count.size(), 0.0);
  const auto widen = [&](auto single, auto wide) {
    if (!any(wide)) return;
    for (GrownTrees& tree : trees) {
      if ((tree.*wide).empty()) (tree.*wide).assign((tree.*single).begin(), (tree.*single).end());
      (tree.*single).clear();
    }
  };
  widen(&GrownTrees::leaf_value_single, &GrownTrees::leaf_value);
  widen(&GrownTrees::leaf_weight_single, &GrownTrees::leaf_weight);
}

GrownTrees joined(std::vector<GrownTrees>&& trees) {
  GrownTrees all;
  double n_words = 0.0;
  for (GrownTrees& tree : trees) {
    all.node_offsets.push_back(all.node_offsets.back() + tree.node_offsets.back());
    for (std::size_t i = 0; i < tree.flags.size(); ++i)
      if ((tree.flags[i] & kCategorical) != 0) tree.threshold[i] += n_words;
    n_words += static_cast<double>(tree.category_words.size());
  }
  write_out(trees);
  Joiner joiner(trees);
  for_each_array([&](auto array) { joiner.join(array, all); });
  return all;
}

}  // namespace

void draw_bootstrap(std::uint64_t seed, std::int64_t n_draws, std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0u);
  StreamOf<4> stream(seed, 0, kBootstrapPurpose);
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
    grow_tree({columns, target, options, sample_of(sampling, tree, columns.n_rows()),
               sampling.seeds[tree], ctx},
              grown[tree]);
    finish(grown[tree], target.is_classification());
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
