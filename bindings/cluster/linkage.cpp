// Bindings of core/linkage: hierarchical clustering.
#include "linkage/linkage.hpp"

#include "base/index.hpp"
#include "bindings/binding.hpp"
#include "linkage/constrained.hpp"

namespace gramian {
namespace {

using distance::Measure;
using distance::Metric;
using linkage::Graph;
using linkage::Method;
using linkage::Tree;
using linkage::Triangle;

Measure measure_named(std::string_view name, double power) {
  require(power >= 1.0, "power must be at least 1");
  const auto metric = named<Metric>({{"sqeuclidean", Metric::sqeuclidean},
                                     {"euclidean", Metric::euclidean},
                                     {"cosine", Metric::cosine},
                                     {"manhattan", Metric::manhattan},
                                     {"chebyshev", Metric::chebyshev},
                                     {"minkowski", Metric::minkowski}},
                                    name, "the metric is not one of the core's");
  return {metric, power};
}

Method method_named(std::string_view name) {
  return named<Method>({{"single", Method::single},
                        {"complete", Method::complete},
                        {"average", Method::average},
                        {"weighted", Method::weighted},
                        {"ward", Method::ward},
                        {"centroid", Method::centroid},
                        {"median", Method::median}},
                       name, "there is no such method");
}

bool is_of_centroids(Method method) {
  return method == Method::ward || method == Method::centroid || method == Method::median;
}

Triangle triangle_of(const OutVector<double>& values, std::int64_t n) {
  require(n > 0 && has_entries(Triangle::size_for(n), values),
          "the triangle must have the size for n rows");
  return {vec(values).data(), n};
}

Tree tree_of(const OutMatrix<std::int64_t>& children, const OutVector<double>& heights,
             const OutVector<std::int64_t>& sizes, std::int64_t n) {
  const auto view = matrix(children);
  require(view.n_cols == 2 && view.n_rows < n, "children must have two columns for each merge");
  require_entries(view.n_rows, "heights and sizes must have an entry for each merge", heights,
                  sizes);
  return {view, vec(heights), vec(sizes)};
}

std::int64_t linkage_triangle_size(std::int64_t n) {
  require(n > 0 && n < (std::int64_t{1} << 31), "n must be positive, and not too large");
  return Triangle::size_for(n);
}

void linkage_fill(const InDense& X, std::string_view metric, double power,
                  const OutVector<double>& triangle, const Context& ctx) {
  const Measure measure = measure_named(metric, power);
  std::visit(
      [&](const auto& rows) {
        Triangle out = triangle_of(triangle, rows.n_rows);
        const ReleasedGil nogil;
        linkage::fill_triangle(measure, rows, out, ctx);
      },
      X.view());
}

void linkage_fill_rows(const InDense& block, std::int64_t first, bool squares,
                       const OutVector<double>& triangle, const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        require(first >= 0 && first + rows.n_rows <= rows.n_cols,
                "the block must be rows of a square matrix");
        Triangle out = triangle_of(triangle, rows.n_cols);
        const ReleasedGil nogil;
        linkage::fill_triangle_rows(rows, first, squares, out, ctx);
      },
      block.view());
}

void linkage_fill_condensed(const InVector<double>& condensed, std::int64_t n, bool squares,
                            const OutVector<double>& triangle, const Context& ctx) {
  Triangle out = triangle_of(triangle, n);
  require_entries(n * (n - 1) / 2, "condensed must have an entry for each pair", condensed);
  const auto values = vec(condensed);
  const ReleasedGil nogil;
  linkage::fill_triangle_condensed(values, squares, out, ctx);
}

void linkage_of_triangle(const OutVector<double>& triangle, std::int64_t n, std::string_view method,
                         const OutMatrix<std::int64_t>& children, const OutVector<double>& heights,
                         const OutVector<std::int64_t>& sizes, const Context& ctx) {
  Triangle distances = triangle_of(triangle, n);
  const Tree out = tree_of(children, heights, sizes, n);
  require(out.children.n_rows == n - 1, "children must have a row for each merge");
  const Method how = method_named(method);
  const bool is_sorted = how == Method::centroid || how == Method::median;
  const ReleasedGil nogil;
  auto merges = linkage::merge_triangle(distances, how, ctx);
  linkage::number_nodes(merges, is_sorted, linkage::ChildOrder::by_number, out, ctx);
}

void linkage_of_rows(const InDense& X, std::string_view method, std::string_view metric,
                     double power, bool sorts_children, const OutMatrix<std::int64_t>& children,
                     const OutVector<double>& heights, const OutVector<std::int64_t>& sizes,
                     const Context& ctx) {
  const Measure measure = measure_named(metric, power);
  const Method how = method_named(method);
  require(is_of_centroids(how) || how == Method::single, "this method needs all distances");
  std::visit(
      [&](const auto& rows) {
        const Tree out = tree_of(children, heights, sizes, rows.n_rows);
        require(out.children.n_rows == rows.n_rows - 1, "children must have a row for each merge");
        const ReleasedGil nogil;
        auto merges = how == Method::single ? linkage::merge_nearest_rows(rows, measure, ctx)
                                            : linkage::merge_centroids(rows, how, ctx);
        const bool is_sorted = how == Method::centroid || how == Method::median;
        const auto order =
            sorts_children ? linkage::ChildOrder::by_number : linkage::ChildOrder::as_merged;
        linkage::number_nodes(merges, is_sorted, order, out, ctx);
      },
      X.view());
}

Graph graph_of(const InVector<std::int64_t>& starts, const InVector<std::int64_t>& index) {
  const Graph graph{vec(starts), vec(index)};
  const auto n = graph.n_rows();
  require(n > 0 && graph.starts.front() == 0 && std::ranges::is_sorted(graph.starts) &&
              graph.starts.back() == static_cast<std::int64_t>(graph.index.size()),
          "starts must go from 0 to the number of neighbours");
  for (std::int64_t i = 0; i < n; ++i)
    for (auto k = graph.starts[at(i)]; k < graph.starts[at(i + 1)]; ++k) {
      const std::int64_t j = graph.index[at(k)];
      require(j >= 0 && j < n && j != i, "the graph must name rows, and have no loops");
      require(k == graph.starts[at(i)] || graph.index[at(k - 1)] < j,
              "the neighbours of a row must ascend");
    }
  return graph;
}

void linkage_in_graph(const std::optional<InDense>& X, const InVector<std::int64_t>& starts,
                      const InVector<std::int64_t>& index, const OptionalVector<double>& distances,
                      std::string_view method, const OutMatrix<std::int64_t>& children,
                      const OutVector<double>& heights, const OutVector<std::int64_t>& sizes,
                      const Context& ctx) {
  const Graph graph = graph_of(starts, index);
  const Tree out = tree_of(children, heights, sizes, graph.n_rows());
  const Method how = method_named(method);
  if (how == Method::ward) {
    require(X.has_value(), "ward needs the rows");
    return std::visit(
        [&](const auto& rows) {
          require(rows.n_rows == graph.n_rows(), "X must have a row for each row of the graph");
          const ReleasedGil nogil;
          linkage::ward_in_graph(rows, graph, out, ctx);
        },
        X->view());
  }
  require(distances && has_entries(index.shape(0), *distances),
          "distances must have an entry for each edge");
  const auto values = vec(*distances);
  if (how == Method::single) {
    require(out.children.n_rows == graph.n_rows() - 1, "children must have a row for each merge");
    const ReleasedGil nogil;
    auto merges = linkage::spanning_tree_of_graph(graph, values, ctx);
    return linkage::number_nodes(merges, true, linkage::ChildOrder::as_merged, out, ctx);
  }
  require(how == Method::complete || how == Method::average, "this method does not take a graph");
  const ReleasedGil nogil;
  linkage::merge_in_graph(graph, values, how, out, ctx);
}

void linkage_cut(const InMatrix<std::int64_t>& children, std::int64_t n_clusters,
                 const OutVector<std::int64_t>& labels) {
  const auto view = matrix(children);
  const std::int64_t n = view.n_rows + 1;
  require(view.n_cols == 2 && has_entries(n, labels),
          "children must have a row for each merge, and labels an entry for each row");
  for (std::int64_t k = 0; k < view.n_rows; ++k)
    for (int side = 0; side < 2; ++side)
      require(view(k, side) >= 0 && view(k, side) < n + k,
              "a child must have a smaller number than its parent");
  const auto out = vec(labels);
  const ReleasedGil nogil;
  linkage::cut_tree(view, n_clusters, out);
}

}  // namespace

void bind_linkage(nb::module_& m) {
  m.def("linkage_triangle_size", &linkage_triangle_size, "n"_a,
        "The length of the array that holds the distances of n rows.");
  m.def("linkage_fill", &linkage_fill, "X"_a, nb::kw_only(), "metric"_a, "power"_a = 2.0,
        "triangle"_a, "ctx"_a, "The distances of all pairs of rows.");
  m.def("linkage_fill_rows", &linkage_fill_rows, "block"_a, "first"_a, nb::kw_only(), "squares"_a,
        "triangle"_a, "ctx"_a, "The same of given rows of the square matrix.");
  m.def("linkage_fill_condensed", &linkage_fill_condensed, "condensed"_a, "n"_a, nb::kw_only(),
        "squares"_a, "triangle"_a, "ctx"_a, "The same of the rows of the upper half, in turn.");
  m.def("linkage_of_triangle", &linkage_of_triangle, "triangle"_a, "n"_a, nb::kw_only(), "method"_a,
        "children"_a, "heights"_a, "sizes"_a, "ctx"_a,
        "The tree of clusters of given distances, which are overwritten.");
  m.def("linkage_of_rows", &linkage_of_rows, "X"_a, nb::kw_only(), "method"_a,
        "metric"_a = "euclidean", "power"_a = 2.0, "sorts_children"_a = true, "children"_a,
        "heights"_a, "sizes"_a, "ctx"_a, "The tree of clusters of rows, without all distances.");
  m.def("linkage_in_graph", &linkage_in_graph, "X"_a.none(), "starts"_a, "index"_a, nb::kw_only(),
        "distances"_a.none(), "method"_a, "children"_a, "heights"_a, "sizes"_a, "ctx"_a,
        "The tree of clusters of which only neighbours in a graph may merge.");
  m.def("linkage_cut", &linkage_cut, "children"_a, "n_clusters"_a, nb::kw_only(), "labels"_a,
        "The labels of the rows when the tree is cut into so many clusters.");
}

}  // namespace gramian
