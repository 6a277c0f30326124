// Bindings of core/linkage: spanning trees by mutual reachability, and HDBSCAN's clusters.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "base/index.hpp"
#include "bindings/binding.hpp"
#include "bindings/distance/kd_tree.hpp"
#include "linkage/condensed.hpp"
#include "linkage/mutual_reachability.hpp"

namespace gramian {
namespace {

using linkage::Reachability;
using linkage::Tree;

void store_edges(const std::vector<linkage::Merge>& edges, const MatrixView<std::int64_t>& ends,
                 std::span<double> lengths) {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    ends(static_cast<std::int64_t>(k), 0) = edges[k].first;
    ends(static_cast<std::int64_t>(k), 1) = edges[k].second;
    lengths[k] = edges[k].height;
  }
}

void require_edges(std::int64_t n, const OutMatrix<std::int64_t>& ends,
                   const OutVector<double>& lengths) {
  require(has_shape(n - 1, 2, ends), "ends must have two columns and a row for each edge");
  require_entries(n - 1, "lengths must have an entry for each edge", lengths);
}

Reachability reachability_of(const InVector<double>& cores, double alpha, std::int64_t n) {
  require(alpha > 0.0, "alpha must be positive");
  require_entries(n, "cores must have one entry per row", cores);
  return {vec(cores), alpha};
}

MatrixView<const std::int64_t> rows_near(const InMatrix<std::int64_t>& neighbours, std::int64_t n) {
  const auto near = matrix(neighbours);
  require(near.n_rows == n, "neighbours must have a row for each row");
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < near.n_cols; ++c)
      require(near(i, c) >= 0 && near(i, c) < n, "neighbours must be numbers of rows");
  return near;
}

void spanning_tree_in_tree(const nb::tuple& arrays, std::int64_t n_features,
                           std::string_view metric, double power, const InVector<double>& cores,
                           double alpha, const InMatrix<std::int64_t>& neighbours,
                           std::int64_t n_within_core, const OutMatrix<std::int64_t>& ends,
                           const OutVector<double>& lengths, const Context& ctx) {
  require(n_features > 0, "n_features must be positive");
  const TreeArguments given(arrays, metric, power, n_features);
  const std::int64_t n = given.tree.shape.n_rows;
  const Reachability reach = reachability_of(cores, alpha, n);
  require_edges(n, ends, lengths);
  const auto near = rows_near(neighbours, n);
  require(n_within_core >= 0 && n_within_core <= near.n_cols,
          "n_within_core must be a number of neighbours");
  const auto out = matrix(ends);
  const auto out_lengths = vec(lengths);
  const ReleasedGil nogil;
  const auto tree = linkage::spanning_tree_in_tree(given.tree, reach, near, ctx);
  store_edges(linkage::in_order_of_prim(tree, reach, near.cols(0, n_within_core), ctx), out,
              out_lengths);
}

void spanning_tree_of_rows(const InDense& X, std::string_view metric, double power,
                           const InVector<double>& cores, double alpha,
                           const OutMatrix<std::int64_t>& ends, const OutVector<double>& lengths,
                           const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const Reachability reach = reachability_of(cores, alpha, rows.n_rows);
        require_edges(rows.n_rows, ends, lengths);
        const Measure measure = measure_of(metric, power);
        const auto out = matrix(ends);
        const auto out_lengths = vec(lengths);
        const ReleasedGil nogil;
        store_edges(linkage::spanning_tree_of_rows(rows, measure, reach, ctx), out, out_lengths);
      },
      X.view());
}

void linkage_of_edges(const InMatrix<std::int64_t>& ends, const InVector<double>& lengths,
                      const OutMatrix<std::int64_t>& children, const OutVector<double>& heights,
                      const OutVector<std::int64_t>& sizes, const Context& ctx) {
  const auto view = matrix(ends);
  require(view.n_cols == 2 && has_entries(view.n_rows, lengths),
          "ends must have two columns, and lengths an entry for each edge");
  require(has_shape(view.n_rows, 2, children), "children must have a row for each edge");
  require_entries(view.n_rows, "heights and sizes must have an entry for each edge", heights,
                  sizes);
  std::vector<linkage::Merge> merges;
  for (std::int64_t k = 0; k < view.n_rows; ++k) {
    for (int side = 0; side < 2; ++side)
      require(view(k, side) >= 0 && view(k, side) <= view.n_rows, "ends must be numbers of rows");
    merges.push_back({view(k, 0), view(k, 1), vec(lengths)[at(k)]});
  }
  const Tree out{matrix(children), vec(heights), vec(sizes)};
  const ReleasedGil nogil;
  linkage::number_nodes(merges, true, linkage::ChildOrder::as_merged, out, ctx);
}

std::tuple<nb::object, nb::object> hdbscan_clusters(
    const InMatrix<std::int64_t>& children, const InVector<double>& heights,
    std::int64_t min_cluster_size, bool takes_leaves, bool allows_root, double epsilon,
    std::int64_t max_cluster_size, const OutVector<std::int64_t>& labels,
    const OutVector<double>& probabilities, const Context& ctx) {
  const auto view = matrix(children);
  const std::int64_t n = view.n_rows + 1;
  require(view.n_cols == 2 && view.n_rows > 0 && min_cluster_size > 1,
          "there must be a merge, and clusters of two rows");
  require_entries(view.n_rows, "heights must have an entry for each merge", heights);
  require_entries(n, "labels and probabilities must have an entry for each row", labels,
                  probabilities);
  std::vector<std::uint8_t> is_child(at(2 * n - 1), 0);
  for (std::int64_t k = 0; k < view.n_rows; ++k)
    for (int side = 0; side < 2; ++side) {
      const std::int64_t child = view(k, side);
      require(child >= 0 && child < n + k && !is_child[at(child)],
              "each node must be the child of one with a larger number");
      is_child[at(child)] = 1;
    }
  const linkage::Selection rule{takes_leaves, allows_root, epsilon, max_cluster_size};
  std::vector<double> births, stabilities;
  {
    const auto out = vec(labels);
    const auto shares = vec(probabilities);
    const auto merged_at = vec(heights);
    const ReleasedGil nogil;
    const auto tree = linkage::condense_tree(view, merged_at, min_cluster_size, ctx);
    const auto chosen = linkage::select_clusters(tree, rule);
    linkage::label_rows(tree, chosen, rule, out, shares);
    for (const std::int64_t cluster : chosen) {
      births.push_back(tree.births[at(cluster)]);
      stabilities.push_back(tree.stabilities[at(cluster)]);
    }
  }
  return {owned(std::move(births)), owned(std::move(stabilities))};
}

}  // namespace

void bind_hdbscan(nb::module_& m) {
  m.def("spanning_tree_in_tree", &spanning_tree_in_tree, "tree"_a, "n_features"_a, nb::kw_only(),
        "metric"_a = "euclidean", "power"_a = 2.0, "cores"_a, "alpha"_a = 1.0, "neighbours"_a,
        "n_within_core"_a, "ends"_a, "lengths"_a, "ctx"_a,
        "The minimum spanning tree by mutual reachability of the rows of a k-d tree, in the order "
        "of Prim's algorithm.");
  m.def("spanning_tree_of_rows", &spanning_tree_of_rows, "X"_a, nb::kw_only(),
        "metric"_a = "euclidean", "power"_a = 2.0, "cores"_a, "alpha"_a = 1.0, "ends"_a,
        "lengths"_a, "ctx"_a, "The same over all pairs of rows.");
  m.def("linkage_of_edges", &linkage_of_edges, "ends"_a, "lengths"_a, nb::kw_only(), "children"_a,
        "heights"_a, "sizes"_a, "ctx"_a, "The tree of clusters of sorted edges.");
  m.def("hdbscan_clusters", &hdbscan_clusters, "children"_a, "heights"_a, nb::kw_only(),
        "min_cluster_size"_a, "takes_leaves"_a, "allows_root"_a, "epsilon"_a, "max_cluster_size"_a,
        "labels"_a, "probabilities"_a, "ctx"_a,
        "Clusters that last: labels, probabilities, and the density at which each cluster begins "
        "and its stability.");
}

}  // namespace gramian
