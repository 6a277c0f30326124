// Growing trees that ask for single levels: shapes checked, GIL released, results as new arrays.
#include <cmath>
#include <limits>

#include "bindings/binding.hpp"
#include "bindings/tree/tree_columns.hpp"
#include "tree/grow/multiway.hpp"
#include "tree/grow/oblivious.hpp"

namespace gramian {
namespace {

// Throws ValueError unless all have one entry per row, and labels are numbers of classes.
void require_rows(const tree::Features& X, std::span<const std::int32_t> n_levels,
                  const tree::Target& target, std::span<const double> weight) {
  const auto [n, p] =
      std::visit([](const auto& view) { return std::pair(view.n_rows, view.n_cols); }, X);
  require(n > 0 && p > 0, "X must have rows and columns");
  require(static_cast<std::int64_t>(n_levels.size()) == p,
          "n_levels must have one entry per column");
  require_target(target, n);
  require(weight.empty() || static_cast<std::int64_t>(weight.size()) == n,
          "weight must have one entry per row");
}

// Throws ValueError unless sums of the sizes of whole numbers are exact.
void require_exact(std::span<const double> values) {
  double sizes = 0.0;
  for (const double value : values) {
    require(value == std::nearbyint(value), "what is summed must be whole numbers");
    sizes += std::abs(value);
  }
  require(sizes < 0x1p53, "what is summed must have exact sums");
}

nb::dict grow_oblivious(const InDense& X, const InVector<std::int32_t>& n_levels,
                        const OptionalVector<std::int32_t>& labels,
                        const OptionalVector<double>& values,
                        const OptionalVector<std::int32_t>& n_classes,
                        const OptionalVector<double>& sums, const OptionalVector<double>& weight,
                        std::string_view criterion, std::int64_t max_depth,
                        std::int64_t min_samples_leaf, double min_decrease, std::int64_t max_bins,
                        double unit, const Context& ctx) {
  const auto n_rows = static_cast<std::int64_t>(labels   ? labels->shape(0)
                                                : values ? values->shape(0)
                                                         : 0);
  const tree::ObliviousTask task{
      X.view(),
      vec(n_levels),
      tree::Target{or_empty(labels), or_empty(values), or_empty(n_classes), n_rows, 1},
      or_empty(sums),
      or_empty(weight),
      criterion_of(criterion),
      max_depth,
      min_samples_leaf,
      min_decrease,
      max_bins,
      unit};
  require_rows(task.X, task.n_levels, task.target, task.weight);
  require(task.sums.size() == task.target.values.size(), "sums must have one entry per value");
  require_exact(task.sums);
  require_exact(task.weight);
  require(0 <= max_depth && max_depth < 63, "max_depth must be below 63");
  require(max_bins >= 2, "max_bins must be at least 2");
  auto found = without_gil([&] { return tree::grow_oblivious(task, ctx); });
  nb::dict out;
  out["feature"] = owned(std::move(found.feature));
  out["threshold"] = owned(std::move(found.threshold));
  out["level"] = owned(std::move(found.level));
  out["missing_side"] = owned(std::move(found.missing_side));
  out["decrease"] = owned(std::move(found.decrease));
  out["leaf"] = owned(std::move(found.leaf));
  return out;
}

nb::dict grow_multiway(const InDense& X, const InVector<std::int32_t>& n_levels,
                       const InVector<std::int32_t>& labels, std::int32_t n_classes,
                       const OptionalVector<double>& weight, bool use_ratio, std::int64_t max_depth,
                       std::int64_t min_samples_split, double min_gain, const Context& ctx) {
  const auto n_rows = static_cast<std::int64_t>(labels.shape(0));
  tree::MultiwayTask task{
      X.view(),         vec(n_levels), tree::Target{vec(labels), {}, {&n_classes, 1}, n_rows, 1},
      or_empty(weight), use_ratio,     {},
      min_gain};
  if (max_depth >= 0) task.limits.max_depth = max_depth;
  task.limits.min_samples_split = min_samples_split;
  require_rows(task.X, task.n_levels, task.target, task.weight);
  auto nodes = without_gil([&] { return tree::grow_multiway(task, ctx); });
  nb::dict out;
  out["parent"] = owned(std::move(nodes.parent));
  out["branch"] = owned(std::move(nodes.branch));
  out["feature"] = owned(std::move(nodes.feature));
  out["threshold"] = owned(std::move(nodes.threshold));
  out["missing_branch"] = owned(std::move(nodes.missing_branch));
  out["counts"] = owned(std::move(nodes.counts));
  out["n_node_samples"] = owned(std::move(nodes.n_node_samples));
  return out;
}

}  // namespace

void bind_tree_levels(nb::module_& m) {
  m.def("grow_oblivious", &grow_oblivious, "X"_a, nb::kw_only(), "n_levels"_a, "labels"_a,
        "values"_a, "n_classes"_a, "sums"_a, "weight"_a, "criterion"_a, "max_depth"_a,
        "min_samples_leaf"_a, "min_decrease"_a, "max_bins"_a, "unit"_a, "ctx"_a,
        "Grow an oblivious tree; returns its conditions, and the leaf of each row, by name.");
  m.def("grow_multiway", &grow_multiway, "X"_a, nb::kw_only(), "n_levels"_a, "labels"_a,
        "n_classes"_a, "weight"_a, "use_ratio"_a, "max_depth"_a, "min_samples_split"_a,
        "min_gain"_a, "ctx"_a,
        "Grow a tree with a branch for every level; returns its nodes by name, counts flat.");
}

}  // namespace gramian
