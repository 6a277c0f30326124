// Iterative solvers: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "loss/squared.hpp"
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

template <class Rows>
bool run_sag(const Rows& X, const SagArrays& arrays, const solve::SagOptions& options,
             const Context& ctx) {
  const solve::SagProblem problem{matrix(arrays.Y),
                                  arrays.weight ? vec(*arrays.weight) : std::span<const double>{},
                                  vec(arrays.alpha), vec(arrays.mean_x), vec(arrays.mean_y)};
  const ReleasedGil nogil;
  return solve::sag<loss::Squared>(X, problem, options, matrix(arrays.coef), vec(arrays.n_iter),
                                   ctx);
}

template <class T>
bool sag(const InMatrix<T>& X, const InMatrix<double>& Y,
         const std::optional<InVector<double>>& weight, const InVector<double>& alpha,
         const InVector<double>& mean_x, const InVector<double>& mean_y, double tol,
         std::int64_t max_iter, bool saga, const OutMatrix<double>& coef,
         const OutVector<std::int64_t>& n_iter, const Context& ctx) {
  const auto rows = matrix(X);
  const SagArrays arrays{Y, weight, alpha, mean_x, mean_y, coef, n_iter};
  require_shapes(rows.n_rows, rows.n_cols, arrays);
  return run_sag(rows, arrays, {tol, max_iter, saga}, ctx);
}

template <class T, class Index>
bool sag_csr(const InVector<T>& values, const InVector<Index>& indices,
             const InVector<Index>& indptr, std::int64_t n_cols, const InMatrix<double>& Y,
             const std::optional<InVector<double>>& weight, const InVector<double>& alpha,
             const InVector<double>& mean_x, const InVector<double>& mean_y, double tol,
             std::int64_t max_iter, bool saga, const OutMatrix<double>& coef,
             const OutVector<std::int64_t>& n_iter, const Context& ctx) {
  const auto rows = csr(values, indices, indptr, n_cols);
  const SagArrays arrays{Y, weight, alpha, mean_x, mean_y, coef, n_iter};
  require_shapes(rows.n_rows(), n_cols, arrays);
  return run_sag(rows, arrays, {tol, max_iter, saga}, ctx);
}

template <class T>
void bind_dense(nb::module_& m) {
  m.def("sag", &sag<T>, "X"_a.noconvert(), "Y"_a.noconvert(), "weight"_a.noconvert().none(),
        "alpha"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), nb::kw_only(),
        "tol"_a, "max_iter"_a, "saga"_a, "coef"_a.noconvert(), "n_iter"_a.noconvert(), "ctx"_a,
        "Fit ridge regression by SAG or SAGA; whether every target met the tolerance.");
}

template <class T, class Index>
void bind_sparse(nb::module_& m) {
  m.def("sag_csr", &sag_csr<T, Index>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_cols"_a, "Y"_a.noconvert(), "weight"_a.noconvert().none(),
        "alpha"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), nb::kw_only(),
        "tol"_a, "max_iter"_a, "saga"_a, "coef"_a.noconvert(), "n_iter"_a.noconvert(), "ctx"_a,
        "sag for a CSR matrix, never made dense.");
}

}  // namespace

void bind_solve(nb::module_& m) {
  for_each_number([&]<class T>() { bind_dense<T>(m); });
  for_each_sparse([&]<class T, class Index>() { bind_sparse<T, Index>(m); });
}

}  // namespace gramian
