// Generalised linear models: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "solve/glm/glm.hpp"

#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "solve/glm/block_rows.hpp"
#include "solve/glm/glm_folds.hpp"
#include "solve/glm/glm_proof.hpp"
#include "solve/glm/sparse_glm.hpp"

namespace gramian {
namespace {

using solve::GlmMethod;
using solve::GlmProblem;
using solve::GlmProof;
using solve::GlmResult;

struct FittedGlm {
  GlmResult result;
  GlmProof proof;
};

std::optional<PointwiseLoss> loss_of(std::string_view name) {
  if (name == "multinomial") return std::nullopt;
  if (name == "logistic") return PointwiseLoss::logistic;
  if (name == "poisson") return PointwiseLoss::poisson;
  if (name == "gamma") return PointwiseLoss::gamma;
  if (name == "tweedie") return PointwiseLoss::tweedie;
  if (name == "tweedie-identity") return PointwiseLoss::tweedie_identity;
  if (name == "squared") return PointwiseLoss::squared;
  throw nb::value_error(
      "loss must be 'logistic', 'multinomial', 'poisson', 'gamma', 'tweedie', 'tweedie-identity' "
      "or 'squared'");
}

GlmMethod method_of(std::string_view name) {
  return named<GlmMethod>({{"auto", GlmMethod::automatic},
                           {"newton-cholesky", GlmMethod::newton_cholesky},
                           {"newton-cg", GlmMethod::newton_cg},
                           {"gd", GlmMethod::gradient_descent}},
                          name, "method must be 'auto', 'newton-cholesky', 'newton-cg' or 'gd'");
}

void require_shapes(const GlmProblem& problem, std::int64_t n, std::int64_t p,
                    const OutMatrix<double>& params) {
  const auto rows = static_cast<std::size_t>(n);
  require(n > 0 && p > 0, "X must have rows and columns");
  require(problem.y.size() == rows, "y must have one entry per row of X");
  require(problem.weight.empty() || problem.weight.size() == rows,
          "weight must have one entry per row of X");
  require(problem.n_outputs > 0 && (problem.n_outputs == 1) == problem.pointwise.has_value(),
          "params must have one row, or one for each class of the multinomial loss");
  require(matrix(params).is_c_contiguous() && params.shape(1) == static_cast<std::size_t>(p + 1),
          "params must be n_outputs x (n_features + 1), C-contiguous");
  const auto n_classes = static_cast<double>(problem.n_outputs);
  if (!problem.pointwise)
    require(std::ranges::all_of(problem.y, [&](double y) { return y >= 0.0 && y < n_classes; }),
            "y must hold the numbers of the classes");
}

template <class Matrix>
FittedGlm fit_glm(const Matrix& X, const InVector<double>& y, const OptionalVector<double>& weight,
                  std::string_view loss, double power, double l2, double l2_intercept, double l1,
                  double l1_intercept, bool fit_intercept, std::string_view method, double tol,
                  std::int64_t max_iter, bool round_to_float, const OutMatrix<double>& params,
                  const Context& ctx) {
  const auto view = X.view();
  const auto n_outputs = static_cast<std::int64_t>(params.shape(0));
  const GlmProblem problem{loss_of(loss),    power, n_outputs,    vec(y),
                           or_empty(weight), l2,    l2_intercept, fit_intercept};
  require_shapes(problem, n_rows_of(view), n_cols_of(view), params);
  const solve::GlmOptions options{method_of(method), tol, max_iter};
  const solve::L1Penalty penalty{l1, l1_intercept};
  const bool is_centred = fit_intercept && l2_intercept == 0.0 && l1_intercept == 0.0;
  const std::span<double> point{params.data(), params.size()};
  const ReleasedGil nogil;
  const auto rows = solve::rows_for_passes(view, problem.weight, is_centred);
  FittedGlm out;
  out.result = l1 > 0.0 ? solve::fit_sparse_glm(*rows, problem, penalty, options, point, ctx)
                        : solve::fit_glm(*rows, problem, options, point, ctx);
  if (round_to_float)
    for (double& value : point) value = static_cast<double>(static_cast<float>(value));
  out.proof = solve::prove_glm(*rows, problem, penalty, point, ctx);
  return out;
}

bool run_folds(const solve::Rows& rows, const solve::FoldsProblem& problem, double tol,
               std::int64_t max_iter, const OutMatrix<double>& params,
               const OutMatrix<double>& reached, const Context& ctx) {
  std::vector<solve::FoldFit> fits(params.shape(0));
  const solve::GlmOptions options{GlmMethod::automatic, tol, max_iter};
  without_gil([&] {
    solve::fit_glm_folds(rows, problem, options, {params.data(), params.size()}, fits, ctx);
  });
  bool is_finite = true;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const auto& fit = fits[k];
    double* out = reached.data() + 3 * k;
    out[0] = fit.gradient_size;
    out[1] = static_cast<double>(fit.n_iter);
    out[2] = fit.converged ? 1.0 : 0.0;
    is_finite &= fit.is_finite;
  }
  return is_finite;
}

bool fit_logistic_folds(const InDense& X, const InVector<double>& y, const InMatrix<double>& weight,
                        const InVector<double>& strength, bool fit_intercept, double tol,
                        std::int64_t max_iter, const OutMatrix<double>& params,
                        const OutMatrix<double>& reached, const Context& ctx) {
  const auto view = X.any();
  const auto weights = matrix(weight);
  const std::int64_t n = n_rows_of(view), p = n_cols_of(view);
  const std::size_t count = weight.shape(0) * strength.shape(0);
  require(n > 0 && p > 0, "X must have rows and columns");
  require(has_entries(n, y) && weights.n_cols == n && weights.is_c_contiguous(),
          "y and each row of weight must have one entry per row of X");
  require(has_shape(count, p + 1, params) && has_shape(count, 3, reached) &&
              matrix(params).is_c_contiguous() && matrix(reached).is_c_contiguous(),
          "params must be n_strengths * n_folds x (n_features + 1), and reached likewise x 3");
  const solve::FoldsProblem problem{PointwiseLoss::logistic, vec(y), weights, vec(strength),
                                    fit_intercept};
  const auto rows = solve::rows_for_passes(view, {}, fit_intercept);
  return run_folds(*rows, problem, tol, max_iter, params, reached, ctx);
}

template <class Matrix>
void bind_fit_glm(nb::module_& m) {
  m.def("fit_glm", &fit_glm<Matrix>, "X"_a, "y"_a, "weight"_a, nb::kw_only(), "loss"_a, "power"_a,
        "l2"_a, "l2_intercept"_a, "l1"_a, "l1_intercept"_a, "fit_intercept"_a, "method"_a, "tol"_a,
        "max_iter"_a, "round_to_float"_a, "params"_a, "ctx"_a,
        "Fit a generalised linear model, with an L1 penalty if l1 is positive; params is start and "
        "result.");
}

}  // namespace

void bind_glm(nb::module_& m) {
  nb::class_<FittedGlm>(m, "FittedGlm",
                        "What a solver says about its result, and what the data prove about it.")
      .def_prop_ro("objective", [](const FittedGlm& fit) { return fit.proof.objective; })
      .def_prop_ro("gradient_size", [](const FittedGlm& fit) { return fit.proof.gradient_size; })
      .def_prop_ro("excess_bound", [](const FittedGlm& fit) { return fit.proof.excess; })
      .def_prop_ro("is_finite", [](const FittedGlm& fit) { return fit.proof.is_finite; })
      .def_prop_ro("estimated_excess", [](const FittedGlm& fit) { return fit.result.excess; })
      .def_prop_ro("n_iter", [](const FittedGlm& fit) { return fit.result.n_iter; })
      .def_prop_ro("converged", [](const FittedGlm& fit) { return fit.result.converged; })
      .def_prop_ro("is_singular", [](const FittedGlm& fit) { return fit.result.is_singular; });
  m.def("fit_logistic_folds", &fit_logistic_folds, "X"_a, "y"_a, "weight"_a, "strength"_a,
        nb::kw_only(), "fit_intercept"_a, "tol"_a, "max_iter"_a, "params"_a, "reached"_a, "ctx"_a,
        "Fit logistic regressions on several weightings of the rows, for descending strengths of "
        "the L2 penalty; params (strength by strength, fold by fold) and reached (gradient, "
        "iterations, converged) are filled. Returns whether all is finite.");
  bind_fit_glm<InRows>(m);
  bind_fit_glm<InBlocks>(m);
}

}  // namespace gramian
