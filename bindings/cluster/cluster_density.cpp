// Bindings of core/cluster: clusters by density.
#include "bindings/binding.hpp"
#include "bindings/distance/kd_tree.hpp"
#include "cluster/dbscan.hpp"

namespace gramian {
namespace {

using cluster::DbscanResult;
using cluster::DbscanRule;

DbscanRule rule_of(double eps, double min_samples, const OptionalVector<double>& weights,
                   std::int64_t n_rows) {
  require(eps > 0.0, "eps must be positive");
  require_entries(n_rows, "weights must have one entry per row", weights);
  return {eps, min_samples, or_empty(weights)};
}

DbscanResult result_of(const OutVector<std::int64_t>& labels, const OutVector<std::uint8_t>& core,
                       std::int64_t n_rows) {
  require_entries(n_rows, "labels and is_core must have one entry per row", labels, core);
  return {vec(labels), vec(core)};
}

void dbscan(const InDense& X, const std::optional<nb::tuple>& tree, std::string_view metric,
            double power, double eps, double min_samples, const OptionalVector<double>& weights,
            const OutVector<std::int64_t>& labels, const OutVector<std::uint8_t>& is_core,
            const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const DbscanRule rule = rule_of(eps, min_samples, weights, rows.n_rows);
        const DbscanResult out = result_of(labels, is_core, rows.n_rows);
        if (!tree) {
          require(metric == "euclidean", "other metrics than the Euclidean need a tree");
          const ReleasedGil nogil;
          return cluster::dbscan_in_tiles(rows, rule, out, ctx);
        }
        const TreeArguments given(*tree, metric, power, rows.n_cols);
        require(given.tree.shape.n_rows == rows.n_rows, "the tree must be that of X");
        const ReleasedGil nogil;
        cluster::dbscan_in_tree(rows, given.tree, rule, out, ctx);
      },
      X.view());
}

bool dbscan_in_grid(const InDense& X, double eps, double min_samples,
                    const OutVector<std::int64_t>& labels, const OutVector<std::uint8_t>& is_core,
                    const Context& ctx) {
  return std::visit(
      [&](const auto& rows) {
        const DbscanRule rule = rule_of(eps, min_samples, {}, rows.n_rows);
        const DbscanResult out = result_of(labels, is_core, rows.n_rows);
        const ReleasedGil nogil;
        return cluster::dbscan_in_grid(rows, rule, out, ctx);
      },
      X.view());
}

void dbscan_of_lists(const InVector<std::int64_t>& starts, const InVector<std::int64_t>& index,
                     double min_samples, const OptionalVector<double>& weights,
                     const OutVector<std::int64_t>& labels, const OutVector<std::uint8_t>& is_core,
                     const Context& ctx) {
  const distance::NeighbourLists lists{vec(starts), vec(index), {}};
  require(!lists.starts.empty() && lists.starts.front() == 0 &&
              lists.starts.back() == static_cast<std::int64_t>(lists.index.size()) &&
              std::ranges::is_sorted(lists.starts),
          "starts must go from 0 to the number of neighbours");
  const std::int64_t n_rows = lists.n_queries();
  for (const std::int64_t row : lists.index)
    require(row >= 0 && row < n_rows, "index must name rows");
  const DbscanRule rule = rule_of(1.0, min_samples, weights, n_rows);
  const DbscanResult out = result_of(labels, is_core, n_rows);
  const ReleasedGil nogil;
  cluster::dbscan_of_lists(lists, rule, out, ctx);
}

void label_by_core(const InDense& X, const InDense& core_rows, const std::optional<nb::tuple>& tree,
                   std::string_view metric, double power, const InVector<std::int64_t>& core_labels,
                   double eps, const OutVector<std::int64_t>& labels, const Context& ctx) {
  visit_alike(X.view(), core_rows.view(), [&](const auto& rows, const auto& core) {
    require(rows.n_cols == core.n_cols, "X and core_rows must have the same number of columns");
    require_entries(core.n_rows, "core_labels must have one entry per core row", core_labels);
    require_entries(rows.n_rows, "labels must have one entry per row of X", labels);
    if (!tree) {
      require(metric == "euclidean", "other metrics than the Euclidean need a tree");
      const ReleasedGil nogil;
      return cluster::label_by_core_in_tiles(rows, core, vec(core_labels), eps, vec(labels), ctx);
    }
    const TreeArguments given(*tree, metric, power, rows.n_cols);
    require(given.tree.shape.n_rows == core.n_rows, "the tree must be that of core_rows");
    const ReleasedGil nogil;
    cluster::label_by_core_in_tree(rows, given.tree, vec(core_labels), eps, vec(labels), ctx);
  });
}

}  // namespace

void bind_cluster_density(nb::module_& m) {
  m.def("dbscan", &dbscan, "X"_a, "tree"_a.none(), nb::kw_only(), "metric"_a, "power"_a = 2.0,
        "eps"_a, "min_samples"_a, "weights"_a.none(), "labels"_a.noconvert(),
        "is_core"_a.noconvert(), "ctx"_a, "Clusters by density, in a tree or over all pairs.");
  m.def("dbscan_in_grid", &dbscan_in_grid, "X"_a, nb::kw_only(), "eps"_a, "min_samples"_a,
        "labels"_a.noconvert(), "is_core"_a.noconvert(), "ctx"_a,
        "Clusters by density in a grid of cells; whether there can be one.");
  m.def("dbscan_of_lists", &dbscan_of_lists, "starts"_a.noconvert(), "index"_a.noconvert(),
        nb::kw_only(), "min_samples"_a, "weights"_a.none(), "labels"_a.noconvert(),
        "is_core"_a.noconvert(), "ctx"_a, "Clusters by density, of given neighbours.");
  m.def("label_by_core", &label_by_core, "X"_a, "core_rows"_a, "tree"_a.none(), nb::kw_only(),
        "metric"_a, "power"_a = 2.0, "core_labels"_a.noconvert(), "eps"_a, "labels"_a.noconvert(),
        "ctx"_a, "The least label of the core rows within eps of each row of X.");
}

}  // namespace gramian
