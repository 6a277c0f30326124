// Bindings of core/distance: Euclidean neighbours of sparse rows.
#include "distance/sparse_neighbours.hpp"

#include <utility>

#include "bindings/binding.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

template <class View>
struct IndexOf;  // of CSR matrices of float64
template <class Index>
struct IndexOf<CsrView<double, Index>> {
  using Type = Index;
};

// Calls function(X, Y) with CSR matrices of one kind.
template <class Function>
void with_sparse_rows(const InRows& X, const InRows& Y, const Function& function) {
  visit_alike(X.view(), Y.view(), [&]<class View>(const View& queries, const View& rows) {
    if constexpr (requires { typename IndexOf<View>::Type; }) {
      require(queries.n_cols == rows.n_cols, "X and Y must have the same number of columns");
      function(queries, rows);
    } else {
      throw nb::type_error("X must be a CSR matrix of float64");
    }
  });
}

void sparse_k_nearest(const InRows& X, const InRows& Y, const OutMatrix<std::int64_t>& index,
                      const OutMatrix<double>& distance, const Context& ctx) {
  with_sparse_rows(X, Y, [&](const auto& queries, const auto& rows) {
    require(has_shape(queries.n_rows(), index.shape(1), index) &&
                has_shape(queries.n_rows(), index.shape(1), distance),
            "index and distance must have a row for each row of X, and as many columns");
    const auto places = matrix(index);
    const auto values = matrix(distance);
    const ReleasedGil nogil;
    distance::sparse_k_nearest(queries, rows, places, values, ctx);
  });
}

nb::tuple sparse_within(const InRows& X, const InRows& Y, double radius, bool leaves_out_self,
                        const Context& ctx) {
  distance::FoundRows found;
  with_sparse_rows(X, Y, [&](const auto& queries, const auto& rows) {
    const ReleasedGil nogil;
    found = distance::sparse_within(queries, rows, radius, leaves_out_self, ctx);
  });
  return nb::make_tuple(owned(std::move(found.counts)), owned(std::move(found.index)),
                        owned(std::move(found.distance)));
}

}  // namespace

void bind_sparse_neighbours(nb::module_& m) {
  m.def("sparse_k_nearest", &sparse_k_nearest, "X"_a, "Y"_a, nb::kw_only(), "index"_a.noconvert(),
        "distance"_a.noconvert(), "ctx"_a, "The nearest rows of a sparse matrix, nearest first.");
  m.def("sparse_within", &sparse_within, "X"_a, "Y"_a, nb::kw_only(), "radius"_a,
        "leaves_out_self"_a = false, "ctx"_a,
        "The number of rows within a radius of each row of X, these rows and their distances.");
}

}  // namespace gramian
