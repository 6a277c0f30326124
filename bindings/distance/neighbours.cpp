// Bindings of core/distance: nearest rows, rows within a radius, votes and means of neighbours.
#include "distance/neighbours.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings/binding.hpp"
#include "distance/donors.hpp"
#include "distance/neighbour_lists.hpp"
#include "distance/outlier_factor.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using distance::NeighbourLists;
using distance::Order;
using distance::Self;

Self self_of(bool leaves_out_self) { return leaves_out_self ? Self::is_left_out : Self::counts; }

void require_same_rows(std::int64_t n_rows, const OutMatrix<std::int64_t>& index,
                       const OutMatrix<double>& distance) {
  const auto n = static_cast<std::size_t>(n_rows);
  require(index.shape(0) == n && distance.shape(0) == n && index.shape(1) == distance.shape(1),
          "index and distance must have a row for each row of X, and as many columns");
}

void k_nearest(const InDense& X, const InDense& Y, bool leaves_out_self,
               const OutMatrix<std::int64_t>& index, const OutMatrix<double>& distance,
               const Context& ctx) {
  visit_alike(X.view(), Y.view(), [&](const auto& rows, const auto& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    require_same_rows(rows.n_rows, index, distance);
    const auto places = matrix(index);
    const auto values = matrix(distance);
    const ReleasedGil nogil;
    distance::k_nearest(rows, others, self_of(leaves_out_self), places, values, ctx);
  });
}

void count_within(const InDense& X, const InDense& Y, double radius, bool leaves_out_self,
                  const OutVector<std::int64_t>& counts, const Context& ctx) {
  visit_alike(X.view(), Y.view(), [&](const auto& rows, const auto& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    require(counts.shape(0) == static_cast<std::size_t>(rows.n_rows),
            "counts must have one entry per row of X");
    const ReleasedGil nogil;
    distance::count_within(rows, others, radius, self_of(leaves_out_self), vec(counts), ctx);
  });
}

void require_starts(std::span<const std::int64_t> starts, std::size_t n_rows, std::size_t n_all) {
  require(starts.size() == n_rows + 1 && starts.front() == 0 &&
              starts.back() == static_cast<std::int64_t>(n_all) &&
              std::is_sorted(starts.begin(), starts.end()),
          "starts must go from 0 to the number of neighbours");
}

void fill_within(const InDense& X, const InDense& Y, double radius, bool leaves_out_self,
                 bool by_distance, const InVector<std::int64_t>& starts,
                 const OutVector<std::int64_t>& index, const OutVector<double>& distance,
                 const Context& ctx) {
  visit_alike(X.view(), Y.view(), [&](const auto& rows, const auto& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    require_starts(vec(starts), static_cast<std::size_t>(rows.n_rows), index.shape(0));
    require(index.shape(0) == distance.shape(0), "index and distance must be of the same length");
    const ReleasedGil nogil;
    distance::fill_within(rows, others, radius, self_of(leaves_out_self),
                          by_distance ? Order::by_distance : Order::by_number, vec(starts),
                          vec(index), vec(distance), ctx);
  });
}

void k_smallest(const InDense& distances, const OutMatrix<std::int64_t>& index,
                const OutMatrix<double>& least, const Context& ctx) {
  std::visit(
      [&](const auto& values) {
        require_same_rows(values.n_rows, index, least);
        require(static_cast<std::int64_t>(index.shape(1)) <= values.n_cols,
                "index must not have more columns than distances");
        const auto places = matrix(index);
        const auto entries = matrix(least);
        const ReleasedGil nogil;
        distance::k_smallest(values, places, entries, ctx);
      },
      distances.view());
}

NeighbourLists lists_of(const InVector<std::int64_t>& starts, const InVector<std::int64_t>& index,
                        const std::optional<InVector<double>>& weights, std::int64_t n_rows) {
  const NeighbourLists lists{vec(starts), vec(index), or_empty(weights)};
  require(lists.starts.size() >= 1, "starts must not be empty");
  require_starts(lists.starts, lists.starts.size() - 1, lists.index.size());
  require(!weights || lists.weights.size() == lists.index.size(),
          "weights must have one entry per neighbour");
  for (const std::int64_t row : lists.index)
    require(row >= 0 && row < n_rows, "index must name rows of the target");
  return lists;
}

void count_votes(const InVector<std::int64_t>& starts, const InVector<std::int64_t>& index,
                 const std::optional<InVector<double>>& weights,
                 const InVector<std::int64_t>& codes, const OutMatrix<double>& votes,
                 const Context& ctx) {
  const auto n_rows = static_cast<std::int64_t>(codes.shape(0));
  const NeighbourLists lists = lists_of(starts, index, weights, n_rows);
  const auto out = matrix(votes);
  require(out.n_rows == lists.n_queries(), "votes must have a row for each query");
  for (const std::int64_t code : vec(codes))
    require(code >= 0 && code < out.n_cols, "codes must name columns of votes");
  const ReleasedGil nogil;
  distance::count_votes(lists, vec(codes), out, ctx);
}

void mean_of_neighbours(const InVector<std::int64_t>& starts, const InVector<std::int64_t>& index,
                        const std::optional<InVector<double>>& weights, const InMatrix<double>& Y,
                        const OutMatrix<double>& out, const Context& ctx) {
  const auto targets = matrix(Y);
  const NeighbourLists lists = lists_of(starts, index, weights, targets.n_rows);
  const auto means = matrix(out);
  require(means.n_rows == lists.n_queries() && means.n_cols == targets.n_cols,
          "out must have a row for each query and a column for each of Y");
  const ReleasedGil nogil;
  distance::mean_of_neighbours(lists, targets, means, ctx);
}

MatrixView<const std::int64_t> checked_index(const InMatrix<std::int64_t>& index,
                                             std::size_t n_rows) {
  const auto places = matrix(index);
  require(places.n_cols > 0, "index must have columns");
  for (std::int64_t i = 0; i < places.n_rows; ++i)
    for (std::int64_t c = 0; c < places.n_cols; ++c)
      require(places(i, c) >= 0 && std::cmp_less(places(i, c), n_rows), "index must name rows");
  return places;
}

void reachability_density(const InMatrix<double>& distance, const InMatrix<std::int64_t>& index,
                          const InVector<double>& k_distance, const OutVector<double>& out,
                          const Context& ctx) {
  const auto places = checked_index(index, k_distance.shape(0));
  require(has_shape(places.n_rows, places.n_cols, distance), "distance must be shaped as index");
  require_entries(places.n_rows, "out must have one entry per row of index", out);
  const auto values = matrix(distance);
  const ReleasedGil nogil;
  distance::reachability_density(values, places, vec(k_distance), vec(out), ctx);
}

void outlier_factors(const InMatrix<std::int64_t>& index, const InVector<double>& density,
                     const InVector<double>& own_density, const OutVector<double>& out,
                     const Context& ctx) {
  const auto places = checked_index(index, density.shape(0));
  require_entries(places.n_rows, "own_density and out must have one entry per row of index",
                  own_density, out);
  const ReleasedGil nogil;
  distance::outlier_factors(places, vec(density), vec(own_density), vec(out), ctx);
}

void nearest_donors(const InDense& X, const InVector<std::int64_t>& starts,
                    const InVector<std::int64_t>& columns, const InDense& Y,
                    const OutMatrix<std::int64_t>& index, const OutMatrix<double>& distance,
                    const Context& ctx) {
  visit_alike(X.view(), Y.view(), [&](const auto& rows, const auto& others) {
    require(rows.n_cols == others.n_cols, "X and Y must have the same number of columns");
    require_starts(vec(starts), static_cast<std::size_t>(rows.n_rows), columns.shape(0));
    for (const std::int64_t column : vec(columns))
      require(column >= 0 && column < rows.n_cols, "columns must name columns of X");
    require_same_rows(static_cast<std::int64_t>(columns.shape(0)), index, distance);
    const auto places = matrix(index);
    const auto values = matrix(distance);
    const ReleasedGil nogil;
    distance::nearest_donors(rows, vec(starts), vec(columns), others, places, values, ctx);
  });
}

}  // namespace

void bind_neighbours(nb::module_& m) {
  m.def("k_nearest", &k_nearest, "X"_a, "Y"_a, nb::kw_only(), "leaves_out_self"_a = false,
        "index"_a.noconvert(), "distance"_a.noconvert(), "ctx"_a,
        "The nearest rows of Y for each row of X by Euclidean distance, nearest first.");
  m.def("count_within", &count_within, "X"_a, "Y"_a, nb::kw_only(), "radius"_a,
        "leaves_out_self"_a = false, "counts"_a.noconvert(), "ctx"_a,
        "The number of rows of Y within a Euclidean distance of each row of X.");
  m.def("fill_within", &fill_within, "X"_a, "Y"_a, nb::kw_only(), "radius"_a,
        "leaves_out_self"_a = false, "by_distance"_a, "starts"_a.noconvert(), "index"_a.noconvert(),
        "distance"_a.noconvert(), "ctx"_a,
        "The rows of Y within a Euclidean distance of each row of X, as counted before.");
  m.def("k_smallest", &k_smallest, "distances"_a, nb::kw_only(), "index"_a.noconvert(),
        "least"_a.noconvert(), "ctx"_a, "The least entries of each row, least first.");
  m.def("count_votes", &count_votes, "starts"_a.noconvert(), "index"_a.noconvert(),
        "weights"_a.noconvert(), "codes"_a.noconvert(), nb::kw_only(), "votes"_a.noconvert(),
        "ctx"_a, "The weight of each class among each query's neighbours.");
  m.def("mean_of_neighbours", &mean_of_neighbours, "starts"_a.noconvert(), "index"_a.noconvert(),
        "weights"_a.noconvert(), "Y"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
        "The weighted mean of the targets of each query's neighbours.");
  m.def("nearest_donors", &nearest_donors, "X"_a, "starts"_a, "columns"_a, "Y"_a, nb::kw_only(),
        "index"_a.noconvert(), "distance"_a.noconvert(), "ctx"_a,
        "The nearest rows of Y that have a value where a row of X has a gap.");
  m.def("reachability_density", &reachability_density, "distance"_a, "index"_a, "k_distance"_a,
        nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
        "The inverse of the mean reachability distance of each row's neighbours.");
  m.def("outlier_factors", &outlier_factors, "index"_a, "density"_a, "own_density"_a, nb::kw_only(),
        "out"_a.noconvert(), "ctx"_a, "The mean density of each row's neighbours over its own.");
}

}  // namespace gramian
