// Distances between rows: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "distance/distance.hpp"

#include "bindings/binding.hpp"

namespace gramian {
namespace {

using distance::Measure;
using distance::Metric;

Measure measure_of(std::string_view name, double power) {
  require(power > 0.0, "power must be positive");
  const auto metric = named<Metric>({{"dot", Metric::dot},
                                     {"sqeuclidean", Metric::sqeuclidean},
                                     {"euclidean", Metric::euclidean},
                                     {"cosine", Metric::cosine},
                                     {"manhattan", Metric::manhattan},
                                     {"chebyshev", Metric::chebyshev},
                                     {"minkowski", Metric::minkowski},
                                     {"nan_euclidean", Metric::nan_euclidean},
                                     {"chi2", Metric::chi2}},
                                    name, "the metric is not one of the core's");
  return {metric, power};
}

void distance_matrix(const InDense& X, const InDense& Y, std::string_view metric, double power,
                     const OutDense& out, const Context& ctx) {
  const Measure measure = measure_of(metric, power);
  visit_alike(X.view(), Y.view(), [&]<class View>(const View& rows, const View& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    const auto result = out_matrix<typename View::Number>(out);
    require(result.n_rows == rows.n_rows && result.n_cols == others.n_rows,
            "out must have a row for each row of X and a column for each row of Y");
    const ReleasedGil nogil;
    distance::distance_matrix(measure, rows, others, result, ctx);
  });
}

void nearest_rows(const InDense& X, const InDense& Y, std::string_view metric, double power,
                  const OutVector<std::int64_t>& index, const OutVector<double>& distance,
                  const Context& ctx) {
  const Measure measure = measure_of(metric, power);
  visit_alike(X.view(), Y.view(), [&](const auto& rows, const auto& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    require(others.n_rows > 0, "Y must have rows");
    require_entries(rows.n_rows, "index and distance must have one entry per row of X", index,
                    distance);
    const ReleasedGil nogil;
    distance::nearest_rows(measure, rows, others, vec(index), vec(distance), ctx);
  });
}

void require_starts(std::span<const std::int64_t> starts, std::int64_t n_rows) {
  require(starts.size() >= 2 && starts.front() == 0 && starts.back() == n_rows,
          "starts must go from 0 to the number of rows");
  for (std::size_t c = 1; c < starts.size(); ++c)
    require(starts[c] > starts[c - 1], "every cluster must have a row");
}

void cluster_distances(const InDense& X, const InVector<std::int64_t>& starts,
                       std::string_view metric, double power, const OutVector<double>& own,
                       const OutVector<double>& other, const Context& ctx) {
  const auto view = X.view();
  const std::int64_t n = n_rows_of(view);
  require_starts(vec(starts), n);
  require_entries(n, "own and other must have one entry per row of X", own, other);
  const Measure measure = measure_of(metric, power);
  const ReleasedGil nogil;
  std::visit(
      [&](const auto& rows) {
        distance::cluster_distances(measure, rows, vec(starts), vec(own), vec(other), ctx);
      },
      view);
}

}  // namespace

void bind_distance(nb::module_& m) {
  m.def("distance_matrix", &distance_matrix, "X"_a, "Y"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "out"_a, "ctx"_a, "The distance of every row of X to every row of Y.");
  m.def("nearest_rows", &nearest_rows, "X"_a, "Y"_a, nb::kw_only(), "metric"_a, "power"_a = 2.0,
        "index"_a, "distance"_a, "ctx"_a,
        "The first nearest row of Y for each row of X, and its distance.");
  m.def("cluster_distances", &cluster_distances, "X"_a, "starts"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "own"_a, "other"_a, "ctx"_a,
        "For rows sorted by cluster: the sum of distances to the own cluster, and the least mean "
        "distance to another one.");
}

}  // namespace gramian
