// Coordinate descent and the moments it can start from: shapes checked, GIL released, results
// written into arrays that Python allocated.
#include "solve/descent/coordinate_descent.hpp"

#include <memory>

#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "linalg/block_design.hpp"
#include "linalg/moments.hpp"

namespace gramian {
namespace {

using Coef = Array<double, nb::ndim<3>, nb::c_contig>;

// The arguments that do not depend on how the columns are stored.
struct PathArguments {
  InVector<double> l1;
  InVector<double> l2;
  double tol;
  std::int64_t max_iter;
  bool positive;
  bool random;
  bool path;
  Coef coef;              // n_penalties x n_targets x n_features
  OutMatrix<double> out;  // n_penalties x 3: objective, gap, iterations
};

struct TargetArrays {
  InMatrix<double> Y;
  OptionalVector<double> weight;
  InVector<double> mean_x;
  InVector<double> mean_y;
};

solve::Targets targets_of(const TargetArrays& arrays, std::int64_t n, std::int64_t p) {
  require(std::cmp_equal(arrays.Y.shape(0), n), "Y must have one row per row of X");
  require_entries(n, "weight must have one entry per row of X", arrays.weight);
  require_entries(p, "mean_x must have one entry per feature", arrays.mean_x);
  require_entries(arrays.Y.shape(1), "mean_y must have one entry per target", arrays.mean_y);
  return {matrix(arrays.Y), or_empty(arrays.weight), vec(arrays.mean_x), vec(arrays.mean_y)};
}

void run_path(const solve::Columns& columns, const PathArguments& arguments, bool is_float,
              const Context& ctx) {
  const std::size_t count = arguments.l1.shape(0);
  const auto out = matrix(arguments.out);
  require(count > 0 && arguments.l2.shape(0) == count, "l1 and l2 must have the same length, >= 1");
  require(arguments.coef.shape(0) == count &&
              arguments.coef.shape(1) == static_cast<std::size_t>(columns.n_targets()) &&
              arguments.coef.shape(2) == static_cast<std::size_t>(columns.n_features()),
          "coef must be n_penalties x n_targets x n_features");
  require(has_shape(count, 3, arguments.out), "out must be n_penalties x 3");
  require(!arguments.positive || columns.n_targets() == 1, "positive is for one target");
  std::vector<solve::Penalty> penalties;
  for (std::size_t k = 0; k < count; ++k)
    penalties.push_back({vec(arguments.l1)[k], vec(arguments.l2)[k], arguments.positive});
  std::vector<solve::DescentResult> results(count);
  without_gil([&] {
    solve::coordinate_descent(columns, penalties,
                              {arguments.tol, arguments.max_iter, arguments.positive,
                               arguments.random, is_float, arguments.path},
                              arguments.coef.data(), results.data(), ctx);
  });
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = static_cast<std::int64_t>(k);
    out(row, 0) = results[k].primal;
    out(row, 1) = results[k].gap;
    out(row, 2) = static_cast<double>(results[k].n_iter);
  }
}

void data_path(const InColumns& X, const InMatrix<double>& Y, const OptionalVector<double>& weight,
               const InVector<double>& mean_x, const InVector<double>& mean_y,
               const InVector<double>& l1, const InVector<double>& l2, double tol,
               std::int64_t max_iter, bool positive, bool random, bool path, const Coef& coef,
               const OutMatrix<double>& out, const Context& ctx) {
  const auto view = X.view();
  const auto require_layout = []<class View>(const View& columns) {
    if constexpr (!kIsSparse<View>)
      require(columns.has_contiguous_rows() || columns.has_contiguous_cols(),
              "X must have contiguous rows or contiguous columns");
  };
  std::visit(require_layout, view);
  std::int64_t n = n_rows_of(view), p = n_cols_of(view);
  if (is_sparse(view)) std::swap(n, p);  // the view is that of the transpose
  const auto columns = solve::columns_of(view, targets_of({Y, weight, mean_x, mean_y}, n, p));
  run_path(*columns, {l1, l2, tol, max_iter, positive, random, path, coef, out},
           !holds_doubles(view), ctx);
}

void gram_path(const InMatrix<double>& gram, const InMatrix<double>& cross, double yy,
               std::int64_t n_rows, const InVector<double>& l1, const InVector<double>& l2,
               double tol, std::int64_t max_iter, bool positive, bool random, bool path,
               const Coef& coef, const OutMatrix<double>& out, const Context& ctx) {
  const auto G = matrix(gram);
  require(G.n_rows == G.n_cols && G.has_contiguous_rows(),
          "gram must be square, with contiguous rows");
  require(matrix(cross).n_rows == G.n_rows, "cross must have one row per feature");
  const auto columns = solve::gram_columns(G, matrix(cross), yy, n_rows);
  run_path(*columns, {l1, l2, tol, max_iter, positive, random, path, coef, out}, false, ctx);
}

// Writes sums about the shifts, and returns the sum of the weights.
template <class Rows>
double moments(const Rows& X, const InMatrix<double>& Y, const OptionalVector<double>& weight,
               const InVector<double>& shift_x, const InVector<double>& shift_y,
               const OutMatrix<double>& gram, const OutMatrix<double>& cross,
               const OutVector<double>& sum_x, const OutVector<double>& sum_y,
               const OutVector<double>& yy, const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t p = n_cols_of(rows);
  const auto t = Y.shape(1);
  targets_of({Y, weight, shift_x, shift_y}, n_rows_of(rows), p);
  const auto G = matrix(gram);
  const auto C = matrix(cross);
  require(has_shape(p, p, gram) && G.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
  require(has_shape(p, t, cross) && C.is_c_contiguous(),
          "cross must be n_features x n_targets, C-contiguous");
  require_entries(p, "sum_x must have one entry per feature", sum_x);
  require_entries(t, "sum_y and yy must have one entry per target", sum_y, yy);
  const ReleasedGil nogil;
  const auto design = linalg::design_of(rows, matrix(Y), or_empty(weight));
  const linalg::Moments found = design->moments(vec(shift_x), vec(shift_y), ctx);
  std::copy_n(found.gram.data(), found.gram.size(), G.data);
  std::copy_n(found.cross.data(), found.cross.size(), C.data);
  std::copy(found.sum_x.begin(), found.sum_x.end(), sum_x.data());
  std::copy(found.sum_y.begin(), found.sum_y.end(), sum_y.data());
  std::copy(found.yy.begin(), found.yy.end(), yy.data());
  return found.weight;
}

template <class Rows>
void bind_moments(nb::module_& m) {
  m.def("moments", &moments<Rows>, "X"_a, "Y"_a, "weight"_a, "shift_x"_a, "shift_y"_a,
        nb::kw_only(), "gram"_a, "cross"_a, "sum_x"_a, "sum_y"_a, "yy"_a, "ctx"_a,
        "Second moments of X and Y about the shifts; returns the sum of the weights.");
}

}  // namespace

void bind_coordinate_descent(nb::module_& m) {
  m.def("coordinate_descent", &data_path, "X"_a, "Y"_a, "weight"_a, "mean_x"_a, "mean_y"_a, "l1"_a,
        "l2"_a, nb::kw_only(), "tol"_a, "max_iter"_a, "positive"_a, "random"_a, "path"_a, "coef"_a,
        "out"_a, "ctx"_a, "Least squares with L1 and L2 penalties, for each pair of them in turn.");
  bind_moments<InRows>(m);
  bind_moments<InBlocks>(m);
  m.def("coordinate_descent_gram", &gram_path, "gram"_a, "cross"_a, "yy"_a, "n_rows"_a, "l1"_a,
        "l2"_a, nb::kw_only(), "tol"_a, "max_iter"_a, "positive"_a, "random"_a, "path"_a, "coef"_a,
        "out"_a, "ctx"_a, "coordinate_descent on centred moments instead of data.");
}

}  // namespace gramian
