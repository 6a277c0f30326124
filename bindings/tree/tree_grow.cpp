// Growing trees: shapes checked, GIL released, results as new arrays.
#include "bindings/binding.hpp"
#include "bindings/tree/tree_columns.hpp"
#include "tree/grow/grow.hpp"

namespace gramian {
namespace {

nb::dict grow_trees(const TreeColumns& columns, const TreeOptions& options,
                    const OptionalVector<std::int32_t>& labels,
                    const OptionalVector<double>& values,
                    const OptionalVector<std::int32_t>& n_classes, std::int64_t n_outputs,
                    const OptionalVector<double>& weight, const InVector<std::uint64_t>& seeds,
                    std::int64_t n_draws, const OptionalVector<double>& tree_weight,
                    const Context& ctx) {
  const tree::Target target{or_empty(labels), or_empty(values), or_empty(n_classes),
                            columns.n_rows(), n_outputs};
  require_target(target, columns.n_rows());
  columns.require_for(options.get());
  const auto n = static_cast<std::size_t>(columns.n_rows());
  require_entries(n, "weight must have one entry per row", weight);
  require(seeds.shape(0) > 0, "seeds must name a tree");
  require_entries(n * seeds.shape(0), "tree_weight must have one entry per tree and row",
                  tree_weight);
  const tree::Sampling sampling{vec(seeds), or_empty(weight), n_draws, or_empty(tree_weight)};
  auto trees = without_gil(
      [&] { return tree::grow_trees(columns.get(), target, options.get(), sampling, ctx); });
  return arrays_of(std::move(trees), columns.get());
}

}  // namespace

void bind_tree_grow(nb::module_& m) {
  m.def("grow_trees", &grow_trees, "columns"_a, "options"_a, nb::kw_only(), "labels"_a, "values"_a,
        "n_classes"_a, "n_outputs"_a, "weight"_a, "seeds"_a, "n_draws"_a, "tree_weight"_a, "ctx"_a,
        "Grow one tree for each seed; returns the arrays of the flat format by name.");
  m.def(
      "bootstrap_counts",
      [](std::uint64_t seed, std::int64_t n_draws, const OutVector<std::uint32_t>& counts) {
        require(counts.shape(0) > 0 && n_draws >= 0, "counts must have an entry");
        tree::draw_bootstrap(seed, n_draws, vec(counts));
      },
      "seed"_a, "n_draws"_a, "counts"_a,
      "How often each row is drawn by the bootstrap of a tree with this seed.");
}

}  // namespace gramian
