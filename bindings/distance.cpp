// Distances between rows: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "distance/distance.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string_view>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using distance::Measure;
using distance::Metric;

constexpr std::pair<std::string_view, Metric> kMetrics[] = {
    {"dot", Metric::dot},
    {"sqeuclidean", Metric::sqeuclidean},
    {"euclidean", Metric::euclidean},
    {"cosine", Metric::cosine},
    {"manhattan", Metric::manhattan},
    {"chebyshev", Metric::chebyshev},
    {"minkowski", Metric::minkowski},
    {"nan_euclidean", Metric::nan_euclidean},
    {"chi2", Metric::chi2},
};

Measure measure_of(std::string_view name, double power) {
  require(power > 0.0, "power must be positive");
  for (const auto& [known, metric] : kMetrics)
    if (known == name) return {metric, power};
  throw nb::value_error("the metric is not one of the core's");
}

template <class T>
void distance_matrix(const InMatrix<T>& X, const InMatrix<T>& Y, std::string_view metric,
                     double power, const OutMatrix<T>& out, const Context& ctx) {
  require(X.shape(1) == Y.shape(1), "X and Y must have the same number of columns");
  require(out.shape(0) == X.shape(0) && out.shape(1) == Y.shape(0),
          "out must have a row for each row of X and a column for each row of Y");
  const Measure measure = measure_of(metric, power);
  const auto rows = matrix(X), others = matrix(Y);
  const ReleasedGil nogil;
  distance::distance_matrix(measure, rows, others, matrix(out), ctx);
}

template <class T>
void nearest_rows(const InMatrix<T>& X, const InMatrix<T>& Y, std::string_view metric, double power,
                  const OutVector<std::int64_t>& index, const OutVector<double>& distance,
                  const Context& ctx) {
  require(X.shape(1) == Y.shape(1), "X and Y must have the same number of columns");
  require(Y.shape(0) > 0, "Y must have rows");
  require(index.shape(0) == X.shape(0) && distance.shape(0) == X.shape(0),
          "index and distance must have one entry per row of X");
  const Measure measure = measure_of(metric, power);
  const auto rows = matrix(X), others = matrix(Y);
  const ReleasedGil nogil;
  distance::nearest_rows(measure, rows, others, vec(index), vec(distance), ctx);
}

void require_starts(std::span<const std::int64_t> starts, std::size_t n_rows) {
  require(starts.size() >= 2 && starts.front() == 0 &&
              starts.back() == static_cast<std::int64_t>(n_rows),
          "starts must go from 0 to the number of rows");
  for (std::size_t c = 1; c < starts.size(); ++c)
    require(starts[c] > starts[c - 1], "every cluster must have a row");
}

template <class T>
void cluster_distances(const InMatrix<T>& X, const InVector<std::int64_t>& starts,
                       std::string_view metric, double power, const OutVector<double>& own,
                       const OutVector<double>& other, const Context& ctx) {
  require_starts(vec(starts), X.shape(0));
  require(own.shape(0) == X.shape(0) && other.shape(0) == X.shape(0),
          "own and other must have one entry per row of X");
  const Measure measure = measure_of(metric, power);
  const auto rows = matrix(X);
  const ReleasedGil nogil;
  distance::cluster_distances(measure, rows, vec(starts), vec(own), vec(other), ctx);
}

template <class T>
void bind_distances(nb::module_& m) {
  m.def("distance_matrix", &distance_matrix<T>, "X"_a.noconvert(), "Y"_a.noconvert(), nb::kw_only(),
        "metric"_a, "power"_a = 2.0, "out"_a.noconvert(), "ctx"_a,
        "The distance of every row of X to every row of Y.");
  m.def("nearest_rows", &nearest_rows<T>, "X"_a.noconvert(), "Y"_a.noconvert(), nb::kw_only(),
        "metric"_a, "power"_a = 2.0, "index"_a.noconvert(), "distance"_a.noconvert(), "ctx"_a,
        "The first nearest row of Y for each row of X, and its distance.");
  m.def("cluster_distances", &cluster_distances<T>, "X"_a.noconvert(), "starts"_a.noconvert(),
        nb::kw_only(), "metric"_a, "power"_a = 2.0, "own"_a.noconvert(), "other"_a.noconvert(),
        "ctx"_a,
        "For rows sorted by cluster: the sum of distances to the own cluster, and the least mean "
        "distance to another one.");
}

}  // namespace

void bind_distance(nb::module_& m) {
  bind_distances<double>(m);
  bind_distances<float>(m);
}

}  // namespace gramian
