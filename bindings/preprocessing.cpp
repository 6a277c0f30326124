// Passes over columns: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include <nanobind/stl/string_view.h>

#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "preprocessing/columns.hpp"
#include "preprocessing/level_codes.hpp"
#include "preprocessing/splines.hpp"

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

preprocessing::Beyond beyond_of(std::string_view name) {
  using enum preprocessing::Beyond;
  if (name == "constant") return constant;
  if (name == "linear") return linear;
  if (name == "continue") return continued;
  if (name == "periodic") return periodic;
  require(name == "error", "no such extrapolation of splines");
  return refused;
}

preprocessing::Splines splines_of(const InMatrix<double>& knots, std::int64_t n_cols,
                                  std::int64_t degree, std::int64_t n_splines,
                                  std::string_view beyond) {
  const preprocessing::Splines found{matrix(knots), degree, n_splines, beyond_of(beyond)};
  require(found.knots.n_rows == n_cols && found.knots.is_c_contiguous(),
          "knots must have a contiguous row for each column of X");
  require(degree >= 0 && found.knots.n_cols / 2 > degree, "there are too few knots for the degree");
  require(n_splines > 0 && n_splines < found.knots.n_cols - degree,
          "there are more splines than the knots have");
  return found;
}

bool spline_values(const InDense& X, const InMatrix<double>& knots, std::int64_t degree,
                   std::int64_t n_splines, std::string_view beyond, const OutDense& out,
                   const Context& ctx) {
  return std::visit(
      [&]<class View>(const View& rows) {
        const auto splines = splines_of(knots, rows.n_cols, degree, n_splines, beyond);
        const auto result = out_matrix<typename View::Number>(out);
        require(result.n_rows == rows.n_rows && rows.n_cols > 0 &&
                    result.n_cols % rows.n_cols == 0 && result.n_cols / rows.n_cols <= n_splines,
                "out must have X's rows and as many columns for each of X's");
        const ReleasedGil nogil;
        return preprocessing::spline_values(rows, splines, result, ctx);
      },
      X.view());
}

template <class T>
bool spline_entries(const InMatrix<T>& X, const InMatrix<double>& knots, std::int64_t degree,
                    std::int64_t n_splines, std::string_view beyond,
                    const OutVector<std::int64_t>& places, const OutVector<T>& values,
                    const Context& ctx) {
  const auto rows = matrix(X);
  const auto splines = splines_of(knots, rows.n_cols, degree, n_splines, beyond);
  require_entries(rows.n_rows * rows.n_cols * (degree + 1),
                  "places and values must have degree + 1 entries for each of X's", places, values);
  const ReleasedGil nogil;
  return preprocessing::spline_entries(rows, splines, vec(places), vec(values), ctx);
}

template <class T>
void bind_spline_entries(nb::module_& m) {
  m.def(
      "spline_entries", &spline_entries<T>, "X"_a, "knots"_a, nb::kw_only(), "degree"_a,
      "n_splines"_a, "extrapolation"_a, "places"_a, "values"_a, "ctx"_a,
      "Number and value of the splines of each entry that may not be 0; whether none is refused.");
}

preprocessing::NumberSlots number_slots(const InVector<std::int64_t>& least,
                                        const InVector<std::int64_t>& first, std::int64_t n_cols,
                                        std::int64_t n_slots) {
  const preprocessing::NumberSlots slots{vec(least), vec(first)};
  require_entries(n_cols, "least must have one entry per column of X", least);
  require(std::ssize(slots.first) == n_cols + 1 && slots.first.front() == 0 &&
              slots.first.back() == n_slots && std::ranges::is_sorted(slots.first),
          "first must say where the slots of each column begin, and how many there are");
  return slots;
}

bool mark_numbers(const InDense& X, const OptionalVector<double>& weight,
                  const InVector<std::int64_t>& least, const InVector<std::int64_t>& first,
                  const OutVector<std::uint8_t>& is_present, const Context& ctx) {
  return std::visit(
      [&]<class View>(const View& rows) {
        const auto marks = vec(is_present);
        const auto slots = number_slots(least, first, rows.n_cols, std::ssize(marks));
        require_entries(rows.n_rows, "weight must have one entry per row of X", weight);
        const ReleasedGil nogil;
        return preprocessing::mark_numbers(rows, or_empty(weight), slots, marks, ctx);
      },
      X.view());
}

bool number_codes(const InDense& X, const InVector<std::int64_t>& least,
                  const InVector<std::int64_t>& first, const InVector<std::int32_t>& code,
                  const OutMatrix<std::int32_t>& codes, const Context& ctx) {
  return std::visit(
      [&]<class View>(const View& rows) {
        const auto known = vec(code);
        const auto slots = number_slots(least, first, rows.n_cols, std::ssize(known));
        const auto out = matrix(codes);
        require(out.n_rows == rows.n_rows && out.n_cols == rows.n_cols,
                "codes must have X's shape");
        const ReleasedGil nogil;
        return preprocessing::number_codes(rows, slots, known, out, ctx);
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
  m.def("spline_values", &spline_values, "X"_a, "knots"_a, nb::kw_only(), "degree"_a, "n_splines"_a,
        "extrapolation"_a, "out"_a, "ctx"_a,
        "The first splines of each column, side by side; whether no entry is refused.");
  bind_spline_entries<double>(m);
  bind_spline_entries<float>(m);
  m.def(
      "mark_numbers", &mark_numbers, "X"_a, "weight"_a, "least"_a, "first"_a, nb::kw_only(),
      "is_present"_a, "ctx"_a,
      "Marks the whole numbers of each column in rows of positive weight; whether all have slots.");
  m.def(
      "number_codes", &number_codes, "X"_a, "least"_a, "first"_a, "code"_a, nb::kw_only(),
      "codes"_a, "ctx"_a,
      "Codes of the whole numbers of each column; -1 missing, -2 without a slot; whether none is.");
}

}  // namespace gramian
