// The k-d tree of core/distance: its arrays are Python's, checked before each search.
#include "bindings/distance/kd_tree.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string_view>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using distance::Order;
using distance::Self;

void build_kd_tree(const InDense& Y, const OutVector<std::int64_t>& order,
                   const OutVector<double>& splits, const OutVector<double>& boxes,
                   const OutVector<double>& points, const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        require_sizes(rows.n_rows, rows.n_cols, order.shape(0), splits.shape(0), boxes.shape(0),
                      points.shape(0));
        const ReleasedGil nogil;
        distance::build_kd_tree(rows, {vec(order), vec(splits), vec(boxes), vec(points)}, ctx);
      },
      Y.view());
}

Self self_of(bool leaves_out_self) { return leaves_out_self ? Self::is_left_out : Self::counts; }

void require_radii(const InVector<double>& radii, std::int64_t n_queries) {
  require(radii.shape(0) == 1 || std::cmp_equal(radii.shape(0), n_queries),
          "radii must have one entry, or one per row of X");
}

void k_nearest_in_tree(const InDense& X, const nb::tuple& arrays, std::string_view metric,
                       double power, bool leaves_out_self, const OutMatrix<std::int64_t>& index,
                       const OutMatrix<double>& distance, const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(arrays, metric, power, rows.n_cols);
        const auto n = static_cast<std::size_t>(rows.n_rows);
        require(
            index.shape(0) == n && distance.shape(0) == n && index.shape(1) == distance.shape(1),
            "index and distance must have a row for each row of X, and as many columns");
        const auto places = matrix(index);
        const auto values = matrix(distance);
        const ReleasedGil nogil;
        distance::k_nearest_in_tree(rows, given.tree, self_of(leaves_out_self), places, values,
                                    ctx);
      },
      X.view());
}

void count_within_in_tree(const InDense& X, const nb::tuple& arrays, std::string_view metric,
                          double power, const InVector<double>& radii, bool leaves_out_self,
                          const OutVector<std::int64_t>& counts, const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(arrays, metric, power, rows.n_cols);
        require(counts.shape(0) == static_cast<std::size_t>(rows.n_rows),
                "counts must have one entry per row of X");
        require_radii(radii, rows.n_rows);
        const ReleasedGil nogil;
        distance::count_within_in_tree(rows, given.tree, vec(radii), self_of(leaves_out_self),
                                       vec(counts), ctx);
      },
      X.view());
}

void fill_within_in_tree(const InDense& X, const nb::tuple& arrays, std::string_view metric,
                         double power, const InVector<double>& radii, bool leaves_out_self,
                         bool by_distance, const InVector<std::int64_t>& starts,
                         const OutVector<std::int64_t>& index, const OutVector<double>& distance,
                         const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(arrays, metric, power, rows.n_cols);
        const auto begins = vec(starts);
        require(begins.size() == static_cast<std::size_t>(rows.n_rows) + 1 && begins.front() == 0 &&
                    std::is_sorted(begins.begin(), begins.end()) &&
                    begins.back() == static_cast<std::int64_t>(index.shape(0)) &&
                    index.shape(0) == distance.shape(0),
                "starts must go from 0 to the number of neighbours");
        require_radii(radii, rows.n_rows);
        const ReleasedGil nogil;
        distance::fill_within_in_tree(rows, given.tree, vec(radii), self_of(leaves_out_self),
                                      by_distance ? Order::by_distance : Order::by_number, begins,
                                      vec(index), vec(distance), ctx);
      },
      X.view());
}

}  // namespace

void bind_kd_tree(nb::module_& m) {
  m.def("kd_tree_sizes", &kd_tree_sizes, "n_rows"_a, "n_features"_a,
        "The lengths of the splits, boxes and points of a tree.");
  m.def("build_kd_tree", &build_kd_tree, "Y"_a, nb::kw_only(), "order"_a.noconvert(),
        "splits"_a.noconvert(), "boxes"_a.noconvert(), "points"_a.noconvert(), "ctx"_a,
        "Build a k-d tree of the rows.");
  m.def("k_nearest_in_tree", &k_nearest_in_tree, "X"_a, "tree"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "leaves_out_self"_a = false, "index"_a.noconvert(),
        "distance"_a.noconvert(), "ctx"_a, "The nearest rows of a tree for each row of X.");
  m.def("count_within_in_tree", &count_within_in_tree, "X"_a, "tree"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "radii"_a, "leaves_out_self"_a = false, "counts"_a.noconvert(), "ctx"_a,
        "The number of a tree's rows within a distance of each row of X.");
  m.def("fill_within_in_tree", &fill_within_in_tree, "X"_a, "tree"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "radii"_a, "leaves_out_self"_a = false, "by_distance"_a,
        "starts"_a.noconvert(), "index"_a.noconvert(), "distance"_a.noconvert(), "ctx"_a,
        "A tree's rows within a distance of each row of X, as counted before.");
}

}  // namespace gramian
