// Bindings of core/cluster: OPTICS.
#include "cluster/optics.hpp"

#include "base/index.hpp"
#include "bindings/binding.hpp"
#include "bindings/distance/kd_tree.hpp"

namespace gramian {
namespace {

using cluster::Density;
using cluster::Reached;

Density density_of(const InVector<double>& cores, double max_eps, std::int64_t n_rows) {
  require(max_eps >= 0.0, "max_eps must not be negative");
  require_entries(n_rows, "cores must have an entry for each row", cores);
  return {vec(cores), max_eps};
}

Reached reached_of(const OutVector<double>& reachability, const OutVector<std::int64_t>& from,
                   std::int64_t n_rows) {
  require_entries(n_rows, "reachability and predecessor must have an entry for each row",
                  reachability, from);
  return {vec(reachability), vec(from)};
}

void optics_in_tree(const nb::tuple& tree, std::int64_t n_features, std::string_view metric,
                    double power, const InVector<double>& cores, double max_eps,
                    const OutVector<std::int64_t>& ordering, const OutVector<double>& reachability,
                    const OutVector<std::int64_t>& predecessor, const Context& ctx) {
  require(n_features > 0, "a tree needs columns");
  const TreeArguments given(tree, metric, power, n_features);
  const std::int64_t n_rows = given.tree.shape.n_rows;
  const Density density = density_of(cores, max_eps, n_rows);
  const Reached out = reached_of(reachability, predecessor, n_rows);
  require_entries(n_rows, "ordering must have an entry for each row", ordering);
  std::vector<std::uint8_t> is_named(at(n_rows), 0);
  for (const std::int64_t row : given.tree.order) is_named[at(row)] = 1;
  require(std::ranges::find(is_named, 0) == is_named.end(), "the tree must name each row once");
  const auto order = vec(ordering);
  const ReleasedGil nogil;
  cluster::optics_in_tree(given.tree, density, order, out, ctx);
}

std::int64_t optics_step(std::int64_t row, const InVector<std::int64_t>& neighbours,
                         const InVector<double>& distances, const InVector<double>& cores,
                         double max_eps, const OutVector<std::uint8_t>& is_processed,
                         const OutVector<double>& reachability,
                         const OutVector<std::int64_t>& predecessor) {
  const auto n_rows = static_cast<std::int64_t>(is_processed.shape(0));
  const Density density = density_of(cores, max_eps, n_rows);
  const Reached out = reached_of(reachability, predecessor, n_rows);
  require(row >= 0 && row < n_rows, "row must be the number of one");
  require_entries(neighbours.shape(0), "distances must have an entry for each neighbour",
                  distances);
  for (const std::int64_t other : vec(neighbours))
    require(other >= 0 && other < n_rows, "neighbours must be numbers of rows");
  return cluster::optics_step(row, vec(neighbours), vec(distances), density, vec(is_processed),
                              out);
}

nb::object xi_clusters(const InVector<double>& plot, const InVector<std::int64_t>& reached_from,
                       double xi, std::int64_t min_samples, std::int64_t min_cluster_size,
                       bool corrects_predecessors, const Context& ctx) {
  require_entries(plot.shape(0), "reached_from must have an entry for each place", reached_from);
  const cluster::Steepness rule{xi, min_samples, min_cluster_size, corrects_predecessors};
  std::vector<std::int64_t> ends;
  const auto heights = vec(plot);
  const auto from = vec(reached_from);
  {
    const ReleasedGil nogil;
    for (const cluster::Span& span : cluster::xi_clusters(heights, from, rule, ctx))
      ends.insert(ends.end(), {span.first, span.last});
  }
  return owned(std::move(ends));
}

void reach_rows(const InDense& X, const nb::tuple& tree, std::string_view metric, double power,
                const InVector<double>& cores, double max_eps, const OutVector<std::int64_t>& index,
                const OutVector<double>& reachability, const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(tree, metric, power, rows.n_cols);
        const Density density = density_of(cores, max_eps, given.tree.shape.n_rows);
        require_entries(rows.n_rows, "index and reachability must have an entry for each row",
                        index, reachability);
        const auto found = vec(index);
        const auto lengths = vec(reachability);
        const ReleasedGil nogil;
        cluster::reach_rows(rows, given.tree, density, found, lengths, ctx);
      },
      X.view());
}

}  // namespace

void bind_optics(nb::module_& m) {
  m.def("optics_in_tree", &optics_in_tree, "tree"_a, "n_features"_a, nb::kw_only(),
        "metric"_a = "euclidean", "power"_a = 2.0, "cores"_a, "max_eps"_a, "ordering"_a,
        "reachability"_a, "predecessor"_a, "ctx"_a,
        "The order of a tree's rows in which each next one is reached at the least distance.");
  m.def("optics_step", &optics_step, "row"_a, "neighbours"_a, "distances"_a, nb::kw_only(),
        "cores"_a, "max_eps"_a, "is_processed"_a, "reachability"_a, "predecessor"_a,
        "One step of that order by given distances of one row; the number of the next row, or -1.");
  m.def("xi_clusters", &xi_clusters, "plot"_a, "reached_from"_a, nb::kw_only(), "xi"_a,
        "min_samples"_a, "min_cluster_size"_a, "corrects_predecessors"_a, "ctx"_a,
        "The first and last places of the clusters of a reachability plot, one after the other.");
  m.def("reach_rows", &reach_rows, "X"_a, "tree"_a, nb::kw_only(), "metric"_a = "euclidean",
        "power"_a = 2.0, "cores"_a, "max_eps"_a, "index"_a, "reachability"_a, "ctx"_a,
        "The row of a tree that reaches each row of X at the least distance, or -1.");
}

}  // namespace gramian
