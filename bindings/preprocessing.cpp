// Passes over columns: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "preprocessing/columns.hpp"

namespace gramian {
namespace {

template <class Rows>
void column_moments(const Rows& X, const OptionalVector<double>& weight,
                    const OutVector<double>& total_weight, const OutVector<double>& mean,
                    const OutVector<double>& squares, const Context& ctx) {
  const auto view = X.view();
  require_entries(n_rows_of(view), "weight must have one entry per row of X", weight);
  require_entries(n_cols_of(view),
                  "total_weight, mean and squares must have one entry per column of X",
                  total_weight, mean, squares);
  const ReleasedGil nogil;
  const preprocessing::ColumnMomentsOut out{vec(total_weight), vec(mean), vec(squares)};
  visit_rows(view, [&](const auto& rows) {
    preprocessing::column_moments(rows, or_empty(weight), out, ctx);
  });
}

template <class Rows>
void column_ranges(const Rows& X, const OutVector<double>& low, const OutVector<double>& high,
                   const Context& ctx) {
  const auto view = X.view();
  require_entries(n_cols_of(view), "low and high must have one entry per column of X", low, high);
  const ReleasedGil nogil;
  visit_rows(view, [&](const auto& rows) {
    preprocessing::column_ranges(rows, vec(low), vec(high), ctx);
  });
}

void map_columns(const InDense& X, const InVector<double>& shift, const InVector<double>& scale,
                 bool restore, const OutDense& out, const Context& ctx) {
  const auto what = restore ? Affine::restore : Affine::standardise;
  std::visit(
      [&]<class View>(const View& rows) {
        require_entries(rows.n_cols, "shift and scale must have one entry per column of X", shift,
                        scale);
        const auto result = out_matrix<typename View::Number>(out);
        require(result.n_rows == rows.n_rows && result.n_cols == rows.n_cols,
                "out must have X's shape");
        const ReleasedGil nogil;
        preprocessing::map_columns(rows, vec(shift), vec(scale), what, result, ctx);
      },
      X.view());
}

template <class Rows>
void bind_passes(nb::module_& m) {
  m.def("column_moments", &column_moments<Rows>, "X"_a, "weight"_a, nb::kw_only(), "total_weight"_a,
        "mean"_a, "squares"_a, "ctx"_a,
        "Weight, mean and centred sum of squares of each column, NaN left out.");
  m.def("column_ranges", &column_ranges<Rows>, "X"_a, nb::kw_only(), "low"_a, "high"_a, "ctx"_a,
        "Least and largest entry of each column, NaN left out.");
}

}  // namespace

void bind_preprocessing(nb::module_& m) {
  bind_passes<InDense>(m);
  bind_passes<InBlocks>(m);
  m.def("map_columns", &map_columns, "X"_a, "shift"_a, "scale"_a, nb::kw_only(), "restore"_a,
        "out"_a, "ctx"_a,
        "out = (X - shift) / scale, or X * scale + shift if restore; out may be X.");
}

}  // namespace gramian
