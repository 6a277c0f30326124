// Stochastic gradient descent: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "solve/sgd/sgd.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/binding.hpp"
#include "solve/sgd/sgd_epoch.hpp"

namespace gramian {
namespace {

using solve::SgdEnd;
using solve::SgdLoss;
using solve::SgdOptions;
using solve::SgdOutcome;
using solve::SgdPenalty;
using solve::SgdRate;
using solve::SgdReport;

constexpr Named<SgdLoss> kLosses[] = {
    {"hinge", SgdLoss::hinge},
    {"squared_hinge", SgdLoss::squared_hinge},
    {"modified_huber", SgdLoss::modified_huber},
    {"log_loss", SgdLoss::log_loss},
    {"squared_error", SgdLoss::squared_error},
    {"huber", SgdLoss::huber},
    {"epsilon_insensitive", SgdLoss::epsilon_insensitive},
    {"squared_epsilon_insensitive", SgdLoss::squared_epsilon_insensitive},
};
constexpr Named<SgdPenalty> kPenalties[] = {
    {"none", SgdPenalty::none},
    {"l1", SgdPenalty::l1},
    {"l2", SgdPenalty::l2},
    {"elasticnet", SgdPenalty::elastic_net},
};
constexpr Named<SgdRate> kRates[] = {
    {"constant", SgdRate::constant},
    {"optimal", SgdRate::optimal},
    {"invscaling", SgdRate::invscaling},
    {"adaptive", SgdRate::adaptive},
    {"pa1", SgdRate::pa1},
    {"pa2", SgdRate::pa2},
};
constexpr Named<SgdEnd> kEnds[] = {
    {"max_iter", SgdEnd::max_iter},
    {"tolerance", SgdEnd::tolerance},
    {"not_finite", SgdEnd::not_finite},
    {"time_limit", SgdEnd::time_limit},
};

// What is trained on, but for the rows.
struct SgdTarget {
  InVector<double> y;
  OptionalVector<double> weight;
  OptionalVector<std::uint8_t> is_validation;
  OptionalMatrix<double> class_weight;  // none for regression

  solve::SgdProblem problem() const {
    solve::SgdProblem out;
    out.y = vec(y);
    out.weight = or_empty(weight);
    out.is_validation = or_empty(is_validation);
    if (class_weight) {
      out.class_weight = matrix(*class_weight);
      out.is_classification = true;
    }
    return out;
  }

  void require_shapes(std::int64_t n_rows, std::size_t n_targets) const {
    require_entries(n_rows, "y, weight and is_validation must have one entry per row of X", y,
                    weight, is_validation);
    require(!class_weight || has_shape(n_targets, 2, *class_weight),
            "class_weight must be n_targets x 2");
    require(class_weight || n_targets == 1, "regression takes one target");
  }
};

struct SgdArrays {
  OutMatrix<double> coef;
  OutVector<double> intercept;
  std::optional<OutMatrix<double>> average_coef;
  std::optional<OutVector<double>> average_intercept;
  InVector<std::uint32_t> seeds;

  solve::SgdState state() const {
    solve::SgdState out{matrix(coef), vec(intercept), {}, {}};
    if (average_coef) out.average_coef = matrix(*average_coef);
    if (average_intercept) out.average_intercept = vec(*average_intercept);
    return out;
  }

  void require_shapes(std::int64_t n_cols, bool averages) const {
    const std::size_t t = coef.shape(0);
    require(has_shape(t, n_cols, coef) && coef.stride(1) == 1,
            "coef must be n_targets x n_features, by rows");
    require_entries(t, "intercept and seeds must have one entry per target", intercept, seeds);
    require(averages == (average_coef && average_intercept), "averaging needs both averages");
    if (!averages) return;
    require(has_shape(t, n_cols, *average_coef) && average_coef->stride(1) == 1 &&
                has_entries(t, average_intercept),
            "the averages must have the shapes of coef and intercept");
  }
};

nb::list as_list(const std::vector<SgdOutcome>& outcomes) {
  nb::list out;
  for (const SgdOutcome& outcome : outcomes) {
    nb::list reports;
    for (const SgdReport& r : outcome.reports)
      reports.append(nb::make_tuple(r.norm, r.n_nonzero, r.intercept, r.n_steps, r.loss,
                                    r.objective, r.score));
    out.append(nb::make_tuple(outcome.n_iter, name_of(kEnds, outcome.end), reports));
  }
  return out;
}

nb::list sgd(const InRows& X, const SgdTarget& target, const SgdArrays& arrays,
             const SgdOptions& options, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  target.require_shapes(n_rows_of(rows), arrays.coef.shape(0));
  arrays.require_shapes(n_cols_of(rows), options.average > 0);
  const solve::SgdProblem problem = target.problem();
  const solve::SgdState state = arrays.state();
  const auto seeds = vec(arrays.seeds);
  return as_list(
      without_gil([&] { return solve::sgd(rows, problem, options, seeds, state, ctx); }));
}

// Where the gradient is taken, and where it goes.
struct SgdGradientArrays {
  InMatrix<double> coef;
  InVector<double> intercept;
  OutVector<double> loss;
  OutVector<double> norms;
  OutMatrix<double> gradient;
  OutVector<double> intercept_gradient;
};

void sgd_gradient(const InRows& X, const SgdTarget& target, const SgdGradientArrays& arrays,
                  const SgdOptions& options, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  const std::size_t t = arrays.coef.shape(0);
  const std::int64_t p = n_cols_of(rows);
  target.require_shapes(n_rows_of(rows), t);
  require(has_shape(t, p, arrays.coef) && arrays.coef.stride(1) == 1 &&
              has_shape(t, p, arrays.gradient),
          "coef and gradient must be n_targets x n_features, coef by rows");
  require_entries(t, "intercept, loss, norms and intercept_gradient must have one entry per target",
                  arrays.intercept, arrays.loss, arrays.norms, arrays.intercept_gradient);
  const solve::SgdProblem problem = target.problem();
  const solve::SgdPoint point{matrix(arrays.coef), vec(arrays.intercept)};
  const solve::SgdGradient out{vec(arrays.loss), vec(arrays.norms), matrix(arrays.gradient),
                               vec(arrays.intercept_gradient)};
  const ReleasedGil nogil;
  solve::sgd_gradient(rows, problem, options, point, out, ctx);
}

// The rows in the order of every epoch, one epoch per row of `out`.
void sgd_orders(std::uint32_t seed, const OutMatrix<std::int64_t>& out) {
  const auto orders = matrix(out);
  solve::RowOrder order(orders.n_cols, true, seed);
  for (std::int64_t epoch = 0; epoch < orders.n_rows; ++epoch) {
    order.begin_epoch();
    for (std::int64_t k = 0; k < orders.n_cols; ++k) orders(epoch, k) = order[k];
  }
}

SgdOptions options_of(std::string_view loss, double loss_parameter, std::string_view penalty,
                      double alpha, double l1_ratio, std::string_view learning_rate, double eta0,
                      double power_t, double t, double intercept_decay, std::int64_t average,
                      std::int64_t batch_size, std::int64_t max_iter, double tol,
                      std::int64_t n_iter_no_change, bool fit_intercept, bool shuffle,
                      bool early_stopping, bool one_class, bool reports) {
  require(batch_size >= 1, "batch_size must be at least 1");
  return {named(kLosses, loss, "stochastic gradient descent knows no such loss"),
          loss_parameter,
          named(kPenalties, penalty, "stochastic gradient descent knows no such penalty"),
          alpha,
          l1_ratio,
          named(kRates, learning_rate, "stochastic gradient descent knows no such learning rate"),
          eta0,
          power_t,
          t,
          intercept_decay,
          average,
          batch_size,
          max_iter,
          tol,
          n_iter_no_change,
          fit_intercept,
          shuffle,
          early_stopping,
          one_class,
          reports};
}

void bind_structs(nb::module_& m) {
  nb::class_<SgdOptions>(m, "SgdOptions", "What a stochastic gradient descent does.")
      .def(nb::new_(&options_of), nb::kw_only(), "loss"_a, "loss_parameter"_a, "penalty"_a,
           "alpha"_a, "l1_ratio"_a, "learning_rate"_a, "eta0"_a, "power_t"_a, "t"_a,
           "intercept_decay"_a, "average"_a, "batch_size"_a, "max_iter"_a, "tol"_a,
           "n_iter_no_change"_a, "fit_intercept"_a, "shuffle"_a, "early_stopping"_a, "one_class"_a,
           "reports"_a);
  nb::class_<SgdTarget>(m, "SgdTarget", "Targets and weights of the rows.")
      .def(nb::init<InVector<double>, OptionalVector<double>, OptionalVector<std::uint8_t>,
                    OptionalMatrix<double>>(),
           "y"_a, "weight"_a, "is_validation"_a, "class_weight"_a);
  nb::class_<SgdArrays>(m, "SgdArrays", "Where a descent starts, and ends.")
      .def(nb::init<OutMatrix<double>, OutVector<double>, std::optional<OutMatrix<double>>,
                    std::optional<OutVector<double>>, InVector<std::uint32_t>>(),
           "coef"_a, "intercept"_a, "average_coef"_a, "average_intercept"_a, "seeds"_a);
  nb::class_<SgdGradientArrays>(m, "SgdGradientArrays", "A point, and its loss and gradient.")
      .def(nb::init<InMatrix<double>, InVector<double>, OutVector<double>, OutVector<double>,
                    OutMatrix<double>, OutVector<double>>(),
           "coef"_a, "intercept"_a, "loss"_a, "norms"_a, "gradient"_a, "intercept_gradient"_a);
}

}  // namespace

void bind_sgd(nb::module_& m) {
  bind_structs(m);
  m.def("sgd_orders", &sgd_orders, "seed"_a, nb::kw_only(), "out"_a,
        "The rows in the order of every shuffled epoch, one epoch per row of out.");
  m.def("sgd", &sgd, "X"_a, "target"_a, "arrays"_a, "options"_a, "ctx"_a,
        "Descend; for each target the epochs, how it ended, and the reports of the epochs.");
  m.def("sgd_gradient", &sgd_gradient, "X"_a, "target"_a, "arrays"_a, "options"_a, "ctx"_a,
        "The mean loss of each target and its gradient.");
}

}  // namespace gramian
