// Iterative solvers: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "solve/sgd/sag.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

bool sag(const InRows& X, const InMatrix<double>& Y, const std::optional<InVector<double>>& weight,
         const InVector<double>& alpha, const InVector<double>& mean_x,
         const InVector<double>& mean_y, double tol, std::int64_t max_iter, bool saga,
         const OutMatrix<double>& coef, const OutVector<std::int64_t>& n_iter, const Context& ctx) {
  const auto rows = X.view();
  const auto n = static_cast<std::size_t>(n_rows_of(rows));
  const auto p = static_cast<std::size_t>(n_cols_of(rows));
  const auto t = Y.shape(1);
  require(Y.shape(0) == n, "Y must have one row per row of X");
  require(!weight || weight->shape(0) == n, "weight must have one entry per row of X");
  require(mean_x.shape(0) == p, "mean_x must have one entry per feature");
  require(alpha.shape(0) == t && mean_y.shape(0) == t && n_iter.shape(0) == t,
          "alpha, mean_y and n_iter must have one entry per target");
  require(coef.shape(0) == p && coef.shape(1) == t, "coef must be n_features x n_targets");
  const solve::SagProblem problem{matrix(Y), or_empty(weight), vec(alpha), vec(mean_x),
                                  vec(mean_y)};
  const ReleasedGil nogil;
  return solve::sag(rows, problem, {tol, max_iter, saga}, matrix(coef), vec(n_iter), ctx);
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("sag", &sag, "X"_a, "Y"_a.noconvert(), "weight"_a.noconvert().none(), "alpha"_a.noconvert(),
        "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), nb::kw_only(), "tol"_a, "max_iter"_a,
        "saga"_a, "coef"_a.noconvert(), "n_iter"_a.noconvert(), "ctx"_a,
        "Fit ridge regression by SAG or SAGA; whether every target met the tolerance.");
}

}  // namespace gramian
