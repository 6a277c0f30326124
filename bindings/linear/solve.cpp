// Iterative solvers: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "bindings/binding.hpp"
#include "solve/sgd/sag.hpp"

namespace gramian {
namespace {

bool sag(const InRows& X, const InMatrix<double>& Y, const OptionalVector<double>& weight,
         const InVector<double>& alpha, const InVector<double>& mean_x,
         const InVector<double>& mean_y, double tol, std::int64_t max_iter, bool saga,
         const OutMatrix<double>& coef, const OutVector<std::int64_t>& n_iter, const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  const auto t = Y.shape(1);
  require(std::cmp_equal(Y.shape(0), n), "Y must have one row per row of X");
  require_entries(n, "weight must have one entry per row of X", weight);
  require_entries(p, "mean_x must have one entry per feature", mean_x);
  require_entries(t, "alpha, mean_y and n_iter must have one entry per target", alpha, mean_y,
                  n_iter);
  require(has_shape(p, t, coef), "coef must be n_features x n_targets");
  const solve::SagProblem problem{matrix(Y), or_empty(weight), vec(alpha), vec(mean_x),
                                  vec(mean_y)};
  const ReleasedGil nogil;
  return solve::sag(rows, problem, {tol, max_iter, saga}, matrix(coef), vec(n_iter), ctx);
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("sag", &sag, "X"_a, "Y"_a, "weight"_a, "alpha"_a, "mean_x"_a, "mean_y"_a, nb::kw_only(),
        "tol"_a, "max_iter"_a, "saga"_a, "coef"_a, "n_iter"_a, "ctx"_a,
        "Fit ridge regression by SAG or SAGA; whether every target met the tolerance.");
}

}  // namespace gramian
