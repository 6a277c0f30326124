// Linear support vector machines: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "solve/svm/linear_svm.hpp"

#include "bindings/binding.hpp"
#include "solve/svm/crammer_singer.hpp"

namespace gramian {
namespace {

using solve::LinearSvmFit;
using solve::LinearSvmProblem;
using solve::SvmLoss;
using solve::SvmSide;

SvmLoss loss_of(std::string_view name) {
  return named<SvmLoss>({{"hinge", SvmLoss::hinge},
                         {"squared_hinge", SvmLoss::squared_hinge},
                         {"epsilon_insensitive", SvmLoss::epsilon_insensitive},
                         {"squared_epsilon_insensitive", SvmLoss::squared_epsilon_insensitive}},
                        name, "linear support vector machines have no such loss");
}

SvmSide side_of(std::string_view name) {
  return named<SvmSide>(
      {{"any", SvmSide::any}, {"primal", SvmSide::primal}, {"dual", SvmSide::dual}}, name,
      "side must be 'any', 'primal' or 'dual'");
}

void require_shapes(const LinearSvmProblem& problem, std::int64_t n, std::int64_t p,
                    const OutMatrix<double>& params, const OutMatrix<double>& reached) {
  const auto rows = static_cast<std::size_t>(n);
  const auto& factor = problem.class_factor;
  const std::int64_t k = factor.data == nullptr ? 1 : factor.n_rows;
  require(n > 0 && p > 0, "X must have rows and columns");
  require(problem.y.size() == rows && problem.cost.size() == rows,
          "y and cost must have one entry per row of X");
  require(factor.data == nullptr || factor.n_cols == 2, "class_factor must be k x 2");
  require(has_shape(k, p + 1, params) && matrix(params).is_c_contiguous(),
          "params must be k x (n_features + 1), C-contiguous");
  require(has_shape(k, 6, reached) && matrix(reached).is_c_contiguous(),
          "reached must be k x 6, C-contiguous");
  require(!problem.is_l1 || problem.loss == SvmLoss::squared_hinge,
          "the L1 penalty goes with the squared hinge");
}

void report(const LinearSvmFit& fit, double* out) {
  out[0] = fit.objective;
  out[1] = fit.bound;
  out[2] = static_cast<double>(fit.n_iter);
  out[3] = static_cast<double>(fit.solver);
  out[4] = fit.converged ? 1.0 : 0.0;
  out[5] = fit.is_finite ? 1.0 : 0.0;
}

void linear_svm(const InRows& X, const InVector<double>& y, const InVector<double>& cost,
                const OptionalMatrix<double>& class_factor, std::string_view loss, double epsilon,
                bool is_l1, double intercept_scaling, std::string_view side, double tol,
                std::int64_t max_iter, std::uint64_t seed, const OutMatrix<double>& params,
                const OutMatrix<double>& reached, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  const LinearSvmProblem problem{loss_of(loss),
                                 epsilon,
                                 is_l1,
                                 intercept_scaling,
                                 vec(y),
                                 vec(cost),
                                 class_factor ? matrix(*class_factor) : MatrixView<const double>{}};
  require_shapes(problem, n_rows_of(rows), n_cols_of(rows), params, reached);
  const solve::LinearSvmOptions options{side_of(side), tol, max_iter, seed};
  const ReleasedGil nogil;
  double* out = reached.data();
  for (const LinearSvmFit& fit :
       solve::fit_linear_svm(rows, problem, options, {params.data(), params.size()}, ctx)) {
    report(fit, out);
    out += 6;
  }
}

solve::CrammerSingerProblem joint_problem(std::int64_t n, std::int64_t p, const InVector<double>& y,
                                          const InVector<double>& cost, double intercept_scaling,
                                          const OutMatrix<double>& params) {
  const std::size_t k = params.shape(0);
  require(n > 0 && p > 0, "X must have rows and columns");
  require_entries(n, "y and cost must have one entry per row of X", y, cost);
  require(k >= 2 && has_shape(k, p + 1, params) && matrix(params).is_c_contiguous(),
          "params must be n_classes x (n_features + 1), C-contiguous");
  for (const double code : vec(y))
    require(code >= 0.0 && code < static_cast<double>(k), "y must hold the numbers of classes");
  return {static_cast<std::int64_t>(k), intercept_scaling, vec(y), vec(cost)};
}

void crammer_singer(const InRows& X, const InVector<double>& y, const InVector<double>& cost,
                    double intercept_scaling, double tol, std::int64_t max_iter, std::uint64_t seed,
                    const OutMatrix<double>& params, const OutVector<double>& reached,
                    const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  require_entries(6, "reached must have six entries", reached);
  const auto problem =
      joint_problem(n_rows_of(rows), n_cols_of(rows), y, cost, intercept_scaling, params);
  const solve::LinearSvmOptions options{SvmSide::dual, tol, max_iter, seed};
  const ReleasedGil nogil;
  report(solve::fit_crammer_singer(rows, problem, options, {params.data(), params.size()}, ctx),
         reached.data());
}

}  // namespace

void bind_linear_svm(nb::module_& m) {
  m.def("linear_svm", &linear_svm, "X"_a, "y"_a, "cost"_a, "class_factor"_a, nb::kw_only(),
        "loss"_a, "epsilon"_a, "is_l1"_a, "intercept_scaling"_a, "side"_a, "tol"_a, "max_iter"_a,
        "seed"_a, "params"_a, "reached"_a, "ctx"_a,
        "Fit linear support vector machines side by side; params and reached (objective, bound, "
        "iterations, solver, converged, finite) are filled.");
  m.def("crammer_singer", &crammer_singer, "X"_a, "y"_a, "cost"_a, nb::kw_only(),
        "intercept_scaling"_a, "tol"_a, "max_iter"_a, "seed"_a, "params"_a, "reached"_a, "ctx"_a,
        "Fit the machine of Crammer and Singer for several classes at once; params and reached, as "
        "of linear_svm, are filled.");
}

}  // namespace gramian
