// Growing trees: shapes checked, GIL released, results as new arrays.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "bindings/grown_trees.hpp"
#include "tree/grow.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

tree::CriterionKind criterion_of(const std::string& name) {
  static const std::map<std::string, tree::CriterionKind> kinds{
      {"gini", tree::CriterionKind::gini},
      {"entropy", tree::CriterionKind::entropy},
      {"log_loss", tree::CriterionKind::entropy},
      {"misclassification", tree::CriterionKind::misclassification},
      {"squared_error", tree::CriterionKind::squared_error},
      {"poisson", tree::CriterionKind::poisson},
      {"absolute_error", tree::CriterionKind::absolute_error},
  };
  const auto found = kinds.find(name);
  require(found != kinds.end(), "unknown criterion");
  return found->second;
}

template <class T>
std::span<const T> vec_or_empty(const std::optional<InVector<T>>& values) {
  return values ? vec(*values) : std::span<const T>{};
}

struct GrowArguments {
  std::optional<InVector<std::int32_t>> labels;
  std::optional<InVector<double>> values;
  std::optional<InVector<std::int32_t>> n_classes;
  std::int64_t n_outputs;
  std::optional<InVector<double>> weight;
  std::optional<InVector<std::int32_t>> n_levels;
  std::optional<InVector<std::int8_t>> monotone;
  InVector<std::uint64_t> seeds;
  std::int64_t n_draws;
  std::optional<InVector<double>> tree_weight;
};

void require_shapes(const GrowArguments& arguments, const tree::Target& target, std::int64_t p) {
  const auto n_entries = static_cast<std::size_t>(target.n_rows * target.n_outputs);
  require(target.n_rows > 0 && p > 0, "X must have rows and columns");
  require(target.n_outputs > 0, "n_outputs must be positive");
  if (target.is_classification()) {
    require(target.labels.size() == n_entries, "labels must have one entry per row and output");
    require(target.n_classes.size() == static_cast<std::size_t>(target.n_outputs),
            "n_classes must have one entry per output");
    for (std::size_t i = 0; i < n_entries; ++i) {
      const std::int32_t k = target.n_classes[i % target.n_classes.size()];
      require(target.labels[i] >= 0 && target.labels[i] < k, "a label is not a class number");
    }
  } else {
    require(target.values.size() == n_entries, "values must have one entry per row and output");
  }
  const auto n = static_cast<std::size_t>(target.n_rows), n_features = static_cast<std::size_t>(p);
  require(!arguments.weight || arguments.weight->shape(0) == n,
          "weight must have one entry per row");
  require(!arguments.n_levels || arguments.n_levels->shape(0) == n_features,
          "n_levels must have one entry per column");
  require(!arguments.monotone || arguments.monotone->shape(0) == n_features,
          "monotone must have one entry per column");
  require(arguments.seeds.shape(0) > 0, "seeds must name a tree");
  require(!arguments.tree_weight || arguments.tree_weight->shape(0) == n * arguments.seeds.shape(0),
          "tree_weight must have one entry per tree and row");
}

nb::dict arrays_of(tree::GrownTrees&& trees, const tree::Columns& columns) {
  std::vector<std::uint8_t> is_double;
  for (std::int64_t f = 0; f < columns.n_features(); ++f) is_double.push_back(columns[f].is_double);
  nb::dict out = flat_arrays(std::move(trees));
  out["is_double"] = owned(std::move(is_double));
  return out;
}

template <class T>
nb::dict grow(const InMatrix<T>& X, const GrowArguments& arguments, tree::Options options,
              const Context& ctx) {
  const tree::Features features = matrix(X);
  const auto n = static_cast<std::int64_t>(X.shape(0)), p = static_cast<std::int64_t>(X.shape(1));
  const tree::Target target{vec_or_empty(arguments.labels), vec_or_empty(arguments.values),
                            vec_or_empty(arguments.n_classes), n, arguments.n_outputs};
  require_shapes(arguments, target, p);
  options.monotone = vec_or_empty(arguments.monotone);
  const tree::Sampling sampling{vec(arguments.seeds), vec_or_empty(arguments.weight),
                                arguments.n_draws, vec_or_empty(arguments.tree_weight)};
  std::optional<tree::Columns> columns;
  tree::GrownTrees trees;
  {
    const ReleasedGil nogil;
    columns.emplace(features, vec_or_empty(arguments.n_levels),
                    tree::form_for(options, n, p, sampling, ctx.n_threads), ctx);
    trees = tree::grow_trees(*columns, target, options, sampling, ctx);
  }
  return arrays_of(std::move(trees), *columns);
}

template <class T>
void bind_grow(nb::module_& m) {
  using nb::arg;
  m.def(
      "grow_trees",
      [](const InMatrix<T>& X, std::optional<InVector<std::int32_t>> labels,
         std::optional<InVector<double>> values, std::optional<InVector<std::int32_t>> n_classes,
         std::int64_t n_outputs, std::optional<InVector<double>> weight,
         std::optional<InVector<std::int32_t>> n_levels, const std::string& criterion,
         bool random_splits, std::int64_t max_depth, std::int64_t min_samples_split,
         std::int64_t min_samples_leaf, double min_weight_leaf, std::int64_t max_features,
         std::int64_t max_leaf_nodes, double min_impurity_decrease,
         std::optional<InVector<std::int8_t>> monotone, const InVector<std::uint64_t>& seeds,
         std::int64_t n_draws, std::optional<InVector<double>> tree_weight, const Context& ctx) {
        tree::Options options;
        options.criterion = criterion_of(criterion);
        options.random_splits = random_splits;
        if (max_depth >= 0) options.limits.max_depth = max_depth;
        options.limits.min_samples_split = min_samples_split;
        options.limits.min_samples_leaf = min_samples_leaf;
        options.limits.min_weight_leaf = min_weight_leaf;
        options.limits.max_features = max_features;
        options.limits.max_leaf_nodes = max_leaf_nodes;
        options.limits.min_impurity_decrease = min_impurity_decrease;
        return grow(X,
                    {labels, values, n_classes, n_outputs, weight, n_levels, monotone, seeds,
                     n_draws, tree_weight},
                    options, ctx);
      },
      "X"_a.noconvert(), nb::kw_only(), "labels"_a.noconvert().none(),
      "values"_a.noconvert().none(), "n_classes"_a.noconvert().none(), "n_outputs"_a,
      "weight"_a.noconvert().none(), "n_levels"_a.noconvert().none(), "criterion"_a,
      "random_splits"_a, "max_depth"_a, "min_samples_split"_a, "min_samples_leaf"_a,
      "min_weight_leaf"_a, "max_features"_a, "max_leaf_nodes"_a, "min_impurity_decrease"_a,
      "monotone"_a.noconvert().none(), "seeds"_a.noconvert(), "n_draws"_a,
      "tree_weight"_a.noconvert().none(), "ctx"_a,
      "Grow one tree for each seed; returns the arrays of the flat format by name.");
}

}  // namespace

void bind_tree_grow(nb::module_& m) {
  bind_grow<double>(m);
  bind_grow<float>(m);
  m.def(
      "bootstrap_counts",
      [](std::uint64_t seed, std::int64_t n_draws, const OutVector<std::uint32_t>& counts) {
        require(counts.shape(0) > 0 && n_draws >= 0, "counts must have an entry");
        tree::draw_bootstrap(seed, n_draws, vec(counts));
      },
      "seed"_a, "n_draws"_a, "counts"_a.noconvert(),
      "How often each row is drawn by the bootstrap of a tree with this seed.");
}

}  // namespace gramian
