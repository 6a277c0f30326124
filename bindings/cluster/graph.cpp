// Bindings of core/graph, and of the products of classical scaling with the distances it gives.
#include "bindings/binding.hpp"
#include "graph/shortest_paths.hpp"
#include "manifold/scaling.hpp"

namespace gramian {
namespace {

void require_places(std::span<const std::int64_t> places, std::int64_t n) {
  require(std::ranges::all_of(places, [&](std::int64_t place) { return place >= 0 && place < n; }),
          "nodes must be numbers of rows");
}

void shortest_paths(const InVector<double>& lengths, const InVector<std::int64_t>& indices,
                    const InVector<std::int64_t>& indptr, const InVector<std::int64_t>& sources,
                    const OutDense& out, const Context& ctx) {
  const auto n = static_cast<std::int64_t>(indptr.shape(0)) - 1;
  require(n >= 0 && n < (std::int64_t{1} << 31), "there are too many rows");
  const auto edges = csr(lengths, indices, indptr, n);
  require_places(vec(sources), n);
  std::visit(
      [&](const auto& array) {
        const auto distances = matrix(array);
        require(has_entries(distances.n_rows, sources) && distances.n_cols == n,
                "out must have a row for each source and a column for each node");
        const ReleasedGil nogil;
        const graph::ShortestPaths paths(edges);
        paths(vec(sources), distances, ctx);
      },
      out);
}

void squared_product(const InDense& D, double scale, const InMatrix<double>& V,
                     const OutMatrix<double>& out, const Context& ctx) {
  std::visit(
      [&](const auto& distances) {
        require(has_shape(distances.n_cols, matrix(V).n_cols, V), "V must have a row per column");
        require(has_shape(distances.n_rows, matrix(V).n_cols, out), "out must be as D V");
        const ReleasedGil nogil;
        manifold::squared_product(distances, scale, matrix(V), matrix(out), ctx);
      },
      D.view());
}

void fourth_powers(const InDense& D, double scale, const OutVector<double>& out,
                   const Context& ctx) {
  std::visit(
      [&](const auto& distances) {
        require_entries(distances.n_rows, "out must have one entry per row of D", out);
        const ReleasedGil nogil;
        manifold::fourth_powers(distances, scale, vec(out), ctx);
      },
      D.view());
}

void distances_through(const InDense& D, const InVector<std::int64_t>& starts,
                       const InVector<std::int64_t>& index, const InVector<double>& lengths,
                       const OutMatrix<double>& out, const Context& ctx) {
  const auto first = vec(starts);
  const auto result = matrix(out);
  require_entries(result.n_rows + 1, "starts must have one entry more than out rows", starts);
  require(first.front() == 0 && std::ranges::is_sorted(first) && has_entries(first.back(), index),
          "starts must go from 0 to the number of edges");
  require_entries(first.back(), "lengths must have one entry per edge", lengths);
  std::visit(
      [&](const auto& distances) {
        require_places(vec(index), distances.n_rows);
        require(result.n_cols == distances.n_cols && result.has_contiguous_rows() &&
                    distances.has_contiguous_rows(),
                "out must have the columns of D, and rows be contiguous");
        const ReleasedGil nogil;
        manifold::distances_through(distances, first, vec(index), vec(lengths), result, ctx);
      },
      D.view());
}

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("shortest_paths", &shortest_paths, "lengths"_a, "indices"_a, "indptr"_a, "sources"_a,
        nb::kw_only(), "out"_a, "ctx"_a,
        "Lengths of the shortest paths from some nodes of an undirected graph to all.");
  m.def("squared_product", &squared_product, "D"_a, "scale"_a, "V"_a, nb::kw_only(), "out"_a,
        "ctx"_a, "The matrix of squared distances times V.");
  m.def("fourth_powers", &fourth_powers, "D"_a, "scale"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "Sums of the fourth powers of the distances of each row.");
  m.def("distances_through", &distances_through, "D"_a, "starts"_a, "index"_a, "lengths"_a,
        nb::kw_only(), "out"_a, "ctx"_a, "Distances of new nodes that are joined to known ones.");
}

}  // namespace gramian
