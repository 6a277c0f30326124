// Robust regression: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "bindings/binding.hpp"
#include "solve/robust/huber.hpp"
#include "solve/robust/quantile.hpp"

namespace gramian {
namespace {

// `point` is coefficients, intercept and, of Huber's regression, the scale.
void require_shapes(const solve::WeightedRows& X, const InVector<double>& y,
                    const OptionalVector<double>& weight, const OutVector<double>& point,
                    std::int64_t n_others) {
  require_entries(X.n_rows(), "y and weight must have one entry per row of X", y, weight);
  require_entries(X.n_features() + n_others, "point must have one entry per unknown", point);
}

struct HuberInfo {
  std::int64_t n_iter;
  bool converged;
  double decrement;
};

HuberInfo huber(const InRows& X, const InVector<double>& y, const OptionalVector<double>& weight,
                double epsilon, double alpha, double tol, std::int64_t max_iter, bool fit_intercept,
                bool warm_start, const OutVector<double>& unknowns, const Context& ctx) {
  const solve::WeightedRows rows(X.view(), fit_intercept);
  require_shapes(rows, y, weight, unknowns, 2);
  const auto point = vec(unknowns);
  const auto p = static_cast<std::size_t>(rows.n_features());
  solve::HuberPoint solution{{point.begin(), point.end() - 2}, point[p], point[p + 1]};
  const auto result = without_gil([&] {
    return solve::fit_huber(rows, vec(y), or_empty(weight),
                            {epsilon, alpha, tol, max_iter, fit_intercept, warm_start}, solution,
                            ctx);
  });
  std::copy(solution.coef.begin(), solution.coef.end(), point.begin());
  point[p] = solution.intercept;
  point[p + 1] = solution.scale;
  return {result.n_iter, result.converged, result.decrement};
}

struct QuantileInfo {
  std::int64_t n_iter;
  bool converged;
  double gap;
};

QuantileInfo quantile_regression(const InRows& X, const InVector<double>& y,
                                 const OptionalVector<double>& weight, double quantile,
                                 double penalty, double tol, std::int64_t max_iter,
                                 bool fit_intercept, const OutVector<double>& point,
                                 const OutVector<double>& dual, const Context& ctx) {
  const solve::WeightedRows rows(X.view(), fit_intercept);
  require_shapes(rows, y, weight, point, 1);
  const std::int64_t n_dual = rows.n_rows() + (penalty > 0.0 ? rows.n_features() : 0);
  require_entries(n_dual, "dual must have one entry per row and per penalised coefficient", dual);
  const auto result = without_gil([&] {
    return solve::fit_quantile(rows, vec(y), or_empty(weight),
                               {quantile, penalty, tol, max_iter, fit_intercept}, ctx);
  });
  std::copy(result.coef.begin(), result.coef.end(), point.data());
  point.data()[result.coef.size()] = result.intercept;
  std::copy(result.dual.begin(), result.dual.end(), dual.data());
  return {result.n_iter, result.converged, result.gap};
}

void residuals(const InRows& X, const InVector<double>& y, const InVector<double>& coef,
               double intercept, const OutVector<double>& out, const Context& ctx) {
  const solve::WeightedRows rows(X.view(), false);
  require_entries(rows.n_rows(), "y and out must have one entry per row of X", y, out);
  require_entries(rows.n_features(), "coef must have one entry per column of X", coef);
  const ReleasedGil nogil;
  rows.residuals(vec(y), vec(coef), intercept, vec(out), ctx);
}

}  // namespace

void bind_robust(nb::module_& m) {
  nb::class_<HuberInfo>(m, "HuberInfo", "How Newton's method went.")
      .def_ro("n_iter", &HuberInfo::n_iter)
      .def_ro("converged", &HuberInfo::converged)
      .def_ro("decrement", &HuberInfo::decrement,
              "What the last step was expected to gain, relative to the objective.");
  nb::class_<QuantileInfo>(m, "QuantileInfo", "How the interior-point method went.")
      .def_ro("n_iter", &QuantileInfo::n_iter)
      .def_ro("converged", &QuantileInfo::converged)
      .def_ro("gap", &QuantileInfo::gap, "Complementarity left, relative to the objective.");
  m.def("residuals", &residuals, "X"_a, "y"_a, "coef"_a, "intercept"_a, nb::kw_only(), "out"_a,
        "ctx"_a, "out = y - intercept - X @ coef, in double precision.");
  m.def("huber", &huber, "X"_a, "y"_a, "weight"_a, nb::kw_only(), "epsilon"_a, "alpha"_a, "tol"_a,
        "max_iter"_a, "fit_intercept"_a, "warm_start"_a, "point"_a, "ctx"_a,
        "Fit Huber's regression by Newton's method.");
  m.def("quantile", &quantile_regression, "X"_a, "y"_a, "weight"_a, nb::kw_only(), "quantile"_a,
        "penalty"_a, "tol"_a, "max_iter"_a, "fit_intercept"_a, "point"_a, "dual"_a, "ctx"_a,
        "Fit quantile regression by an interior-point method.");
}

}  // namespace gramian
