// Passes over columns: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "preprocessing/columns.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

template <class T>
void column_moments(const InMatrix<T>& X, const std::optional<InVector<double>>& weight,
                    const OutVector<double>& total_weight, const OutVector<double>& mean,
                    const OutVector<double>& squares, const Context& ctx) {
  const auto rows = matrix(X);
  const auto weights = weight ? vec(*weight) : std::span<const double>{};
  const auto p = X.shape(1);
  require(!weight || weight->shape(0) == X.shape(0), "weight must have one entry per row of X");
  require(total_weight.shape(0) == p && mean.shape(0) == p && squares.shape(0) == p,
          "total_weight, mean and squares must have one entry per column of X");
  const ReleasedGil nogil;
  preprocessing::column_moments(rows, weights, vec(total_weight), vec(mean), vec(squares), ctx);
}

template <class T>
void column_ranges(const InMatrix<T>& X, const OutVector<double>& low,
                   const OutVector<double>& high, const Context& ctx) {
  const auto rows = matrix(X);
  require(low.shape(0) == X.shape(1) && high.shape(0) == X.shape(1),
          "low and high must have one entry per column of X");
  const ReleasedGil nogil;
  preprocessing::column_ranges(rows, vec(low), vec(high), ctx);
}

template <class T>
void map_columns(const InMatrix<T>& X, const InVector<double>& shift, const InVector<double>& scale,
                 bool restore, const OutMatrix<T>& out, const Context& ctx) {
  const auto rows = matrix(X);
  require(shift.shape(0) == X.shape(1) && scale.shape(0) == X.shape(1),
          "shift and scale must have one entry per column of X");
  require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(1), "out must have X's shape");
  const auto what = restore ? Affine::restore : Affine::standardise;
  const ReleasedGil nogil;
  preprocessing::map_columns(rows, vec(shift), vec(scale), what, matrix(out), ctx);
}

template <class T>
void bind_columns(nb::module_& m) {
  m.def("column_moments", &column_moments<T>, "X"_a.noconvert(), "weight"_a.noconvert().none(),
        nb::kw_only(), "total_weight"_a.noconvert(), "mean"_a.noconvert(), "squares"_a.noconvert(),
        "ctx"_a, "Weight, mean and centred sum of squares of each column, NaN left out.");
  m.def("column_ranges", &column_ranges<T>, "X"_a.noconvert(), nb::kw_only(), "low"_a.noconvert(),
        "high"_a.noconvert(), "ctx"_a, "Least and largest entry of each column, NaN left out.");
  m.def("map_columns", &map_columns<T>, "X"_a.noconvert(), "shift"_a.noconvert(),
        "scale"_a.noconvert(), nb::kw_only(), "restore"_a, "out"_a.noconvert(), "ctx"_a,
        "out = (X - shift) / scale, or X * scale + shift if restore; out may be X.");
}

}  // namespace

void bind_preprocessing(nb::module_& m) {
  bind_columns<double>(m);
  bind_columns<float>(m);
}

}  // namespace gramian
