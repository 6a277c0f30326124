// Linear support vector machines: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "solve/svm/linear_svm.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "solve/svm/crammer_singer.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using solve::LinearSvmFit;
using solve::LinearSvmProblem;
using solve::SvmLoss;
using solve::SvmSide;

SvmLoss loss_of(std::string_view name) {
  if (name == "hinge") return SvmLoss::hinge;
  if (name == "squared_hinge") return SvmLoss::squared_hinge;
  if (name == "epsilon_insensitive") return SvmLoss::epsilon_insensitive;
  if (name == "squared_epsilon_insensitive") return SvmLoss::squared_epsilon_insensitive;
  throw nb::value_error("linear support vector machines have no such loss");
}

SvmSide side_of(std::string_view name) {
  if (name == "any") return SvmSide::any;
  if (name == "primal") return SvmSide::primal;
  if (name == "dual") return SvmSide::dual;
  throw nb::value_error("side must be 'any', 'primal' or 'dual'");
}

struct LinearSvmArguments {
  InVector<double> y;
  InVector<double> price;
  std::optional<InMatrix<double>> class_factor;
  std::string_view loss;
  double epsilon;
  bool is_l1;
  double intercept_scaling;
  std::string_view side;
  double tol;
  std::int64_t max_iter;
  std::uint64_t seed;
  OutMatrix<double> params;
  OutMatrix<double> reached;

  LinearSvmProblem problem(std::int64_t n, std::int64_t p) const {
    const auto rows = static_cast<std::size_t>(n);
    require(n > 0 && p > 0, "X must have rows and columns");
    require(y.shape(0) == rows && price.shape(0) == rows,
            "y and price must have one entry per row of X");
    const std::size_t k = class_factor ? class_factor->shape(0) : 1;
    require(!class_factor || class_factor->shape(1) == 2, "class_factor must be k x 2");
    require(params.shape(0) == k && params.shape(1) == static_cast<std::size_t>(p + 1) &&
                matrix(params).is_c_contiguous(),
            "params must be k x (n_features + 1), C-contiguous");
    require(reached.shape(0) == k && reached.shape(1) == 6 && matrix(reached).is_c_contiguous(),
            "reached must be k x 6, C-contiguous");
    LinearSvmProblem out;
    out.loss = loss_of(loss);
    out.epsilon = epsilon;
    out.is_l1 = is_l1;
    out.intercept_scaling = intercept_scaling;
    out.y = vec(y);
    out.price = vec(price);
    if (class_factor) out.class_factor = matrix(*class_factor);
    require(!is_l1 || out.loss == SvmLoss::squared_hinge,
            "the L1 penalty goes with the squared hinge");
    return out;
  }
};

void report(const LinearSvmFit& fit, double* out) {
  out[0] = fit.objective;
  out[1] = fit.bound;
  out[2] = static_cast<double>(fit.n_iter);
  out[3] = static_cast<double>(fit.way);
  out[4] = fit.converged ? 1.0 : 0.0;
  out[5] = fit.is_finite ? 1.0 : 0.0;
}

template <class Data>
void run(const Data& X, std::int64_t n, std::int64_t p, const LinearSvmArguments& a,
         const Context& ctx) {
  const LinearSvmProblem problem = a.problem(n, p);
  const solve::LinearSvmOptions options{side_of(a.side), a.tol, a.max_iter, a.seed};
  const ReleasedGil nogil;
  double* out = a.reached.data();
  for (const LinearSvmFit& fit :
       solve::fit_linear_svm(X, problem, options, {a.params.data(), a.params.size()}, ctx)) {
    report(fit, out);
    out += 6;
  }
}

#define GRAMIAN_PARAMETERS                                                                       \
  const InVector<double>&y, const InVector<double>&price,                                        \
      const std::optional<InMatrix<double>>&class_factor, std::string_view loss, double epsilon, \
      bool is_l1, double intercept_scaling, std::string_view side, double tol,                   \
      std::int64_t max_iter, std::uint64_t seed, const OutMatrix<double>&params,                 \
      const OutMatrix<double>&reached, const Context &ctx

#define GRAMIAN_ARGUMENTS                                               \
  {y,    price, class_factor, loss, epsilon, is_l1,  intercept_scaling, \
   side, tol,   max_iter,     seed, params,  reached}

#define GRAMIAN_NAMES                                                                           \
  "y"_a.noconvert(), "price"_a.noconvert(), "class_factor"_a.noconvert().none(), nb::kw_only(), \
      "loss"_a, "epsilon"_a, "is_l1"_a, "intercept_scaling"_a, "side"_a, "tol"_a, "max_iter"_a, \
      "seed"_a, "params"_a.noconvert(), "reached"_a.noconvert(), "ctx"_a

template <class T>
void linear_svm(const InMatrix<T>& X, GRAMIAN_PARAMETERS) {
  const auto view = matrix(X);
  require(view.has_contiguous_rows(), "the rows of X must be contiguous");
  run(view, view.n_rows, view.n_cols, GRAMIAN_ARGUMENTS, ctx);
}

template <class T, class Index>
void linear_svm_csr(const InVector<T>& values, const InVector<Index>& indices,
                    const InVector<Index>& indptr, std::int64_t n_cols, GRAMIAN_PARAMETERS) {
  const auto view = csr(values, indices, indptr, n_cols);
  run(view, view.n_rows(), n_cols, GRAMIAN_ARGUMENTS, ctx);
}

struct CrammerSingerArguments {
  InVector<double> y;
  InVector<double> price;
  double intercept_scaling;
  double tol;
  std::int64_t max_iter;
  std::uint64_t seed;
  OutMatrix<double> params;
  OutVector<double> reached;

  solve::CrammerSingerProblem problem(std::int64_t n, std::int64_t p) const {
    const auto rows = static_cast<std::size_t>(n);
    const std::size_t k = params.shape(0);
    require(n > 0 && p > 0, "X must have rows and columns");
    require(y.shape(0) == rows && price.shape(0) == rows,
            "y and price must have one entry per row of X");
    require(k >= 2 && params.shape(1) == static_cast<std::size_t>(p + 1) &&
                matrix(params).is_c_contiguous(),
            "params must be n_classes x (n_features + 1), C-contiguous");
    require(reached.shape(0) == 6, "reached must have six entries");
    for (const double code : vec(y))
      require(code >= 0.0 && code < static_cast<double>(k), "y must hold the numbers of classes");
    return {static_cast<std::int64_t>(k), intercept_scaling, vec(y), vec(price)};
  }
};

template <class Data>
void run_crammer_singer(const Data& X, std::int64_t n, std::int64_t p,
                        const CrammerSingerArguments& a, const Context& ctx) {
  const solve::CrammerSingerProblem problem = a.problem(n, p);
  const solve::LinearSvmOptions options{SvmSide::dual, a.tol, a.max_iter, a.seed};
  const ReleasedGil nogil;
  const std::span<double> params{a.params.data(), a.params.size()};
  report(solve::fit_crammer_singer(X, problem, options, params, ctx), a.reached.data());
}

#define GRAMIAN_JOINT_PARAMETERS                                                                \
  const InVector<double>&y, const InVector<double>&price, double intercept_scaling, double tol, \
      std::int64_t max_iter, std::uint64_t seed, const OutMatrix<double>&params,                \
      const OutVector<double>&reached, const Context &ctx

#define GRAMIAN_JOINT_NAMES                                                                \
  "y"_a.noconvert(), "price"_a.noconvert(), nb::kw_only(), "intercept_scaling"_a, "tol"_a, \
      "max_iter"_a, "seed"_a, "params"_a.noconvert(), "reached"_a.noconvert(), "ctx"_a

template <class T>
void crammer_singer(const InMatrix<T>& X, GRAMIAN_JOINT_PARAMETERS) {
  const auto view = matrix(X);
  require(view.has_contiguous_rows(), "the rows of X must be contiguous");
  run_crammer_singer(view, view.n_rows, view.n_cols,
                     {y, price, intercept_scaling, tol, max_iter, seed, params, reached}, ctx);
}

template <class T, class Index>
void crammer_singer_csr(const InVector<T>& values, const InVector<Index>& indices,
                        const InVector<Index>& indptr, std::int64_t n_cols,
                        GRAMIAN_JOINT_PARAMETERS) {
  const auto view = csr(values, indices, indptr, n_cols);
  run_crammer_singer(view, view.n_rows(), n_cols,
                     {y, price, intercept_scaling, tol, max_iter, seed, params, reached}, ctx);
}

}  // namespace

void bind_linear_svm(nb::module_& m) {
  for_each_number([&]<class T>() {
    m.def("linear_svm", &linear_svm<T>, "X"_a.noconvert(), GRAMIAN_NAMES,
          "Fit linear support vector machines side by side; params and reached (objective, bound, "
          "iterations, way, converged, finite) are filled.");
    m.def("crammer_singer", &crammer_singer<T>, "X"_a.noconvert(), GRAMIAN_JOINT_NAMES,
          "Fit the machine of Crammer and Singer for several classes at once; params and reached, "
          "as of linear_svm, are filled.");
  });
  for_each_sparse([&]<class T, class Index>() {
    m.def("linear_svm_csr", &linear_svm_csr<T, Index>, "values"_a.noconvert(),
          "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a, GRAMIAN_NAMES,
          "linear_svm for a CSR matrix, never made dense.");
    m.def("crammer_singer_csr", &crammer_singer_csr<T, Index>, "values"_a.noconvert(),
          "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a, GRAMIAN_JOINT_NAMES,
          "crammer_singer for a CSR matrix, never made dense.");
  });
}

}  // namespace gramian
