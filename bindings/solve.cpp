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

// The arguments that do not depend on how the rows are stored.
struct SagArrays {
  InMatrix<double> Y;
  std::optional<InVector<double>> weight;
  InVector<double> alpha;
  InVector<double> mean_x;
  InVector<double> mean_y;
  OutMatrix<double> coef;
  OutVector<std::int64_t> n_iter;
};

void require_shapes(std::int64_t n, std::int64_t p, const SagArrays& arrays) {
  const auto t = arrays.Y.shape(1);
  const auto features = static_cast<std::size_t>(p);
  require(arrays.Y.shape(0) == static_cast<std::size_t>(n), "Y must have one row per row of X");
  require(!arrays.weight || arrays.weight->shape(0) == static_cast<std::size_t>(n),
          "weight must have one entry per row of X");
  require(arrays.mean_x.shape(0) == features, "mean_x must have one entry per feature");
  require(arrays.alpha.shape(0) == t && arrays.mean_y.shape(0) == t && arrays.n_iter.shape(0) == t,
          "alpha, mean_y and n_iter must have one entry per target");
  require(arrays.coef.shape(0) == features && arrays.coef.shape(1) == t,
          "coef must be n_features x n_targets");
}

bool sag(const InRows& X, const InMatrix<double>& Y, const std::optional<InVector<double>>& weight,
         const InVector<double>& alpha, const InVector<double>& mean_x,
         const InVector<double>& mean_y, double tol, std::int64_t max_iter, bool saga,
         const OutMatrix<double>& coef, const OutVector<std::int64_t>& n_iter, const Context& ctx) {
  const auto rows = X.view();
  require_shapes(n_rows_of(rows), n_cols_of(rows),
                 {Y, weight, alpha, mean_x, mean_y, coef, n_iter});
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
