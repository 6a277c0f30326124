// Normal mixtures: shapes checked, GIL released, results written into arrays that Python allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <string>
#include <tuple>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bayes.hpp"
#include "bindings/gil.hpp"
#include "mixture/em.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using mixture::Components;
using mixture::Form;

Form form_named(const std::string& name) {
  if (name == "full") return Form::full;
  if (name == "tied") return Form::tied;
  require(name == "diag", "form must be 'full', 'tied' or 'diag'");
  return Form::diagonal;
}

// Rows of the factor, each of n_features: k x p, p, or k.
std::int64_t factor_rows(Form form, std::int64_t k, std::int64_t p) {
  return form == Form::full ? k * p : form == Form::tied ? p : k;
}

Components components_of(const std::string& name, const InMatrix<double>& mean,
                         const InMatrix<double>& factor, const InVector<double>& constant,
                         std::int64_t p) {
  const Form form = form_named(name);
  const auto means = matrix(mean), factors = matrix(factor);
  require(means.is_c_contiguous() && means.n_cols == p && means.n_rows > 0,
          "mean must be n_components x n_features, C-contiguous");
  require(has_entries(means.n_rows, constant), "constant must have one entry per component");
  require(factors.is_c_contiguous() && factors.n_cols == p &&
              factors.n_rows == factor_rows(form, means.n_rows, p),
          "factor must have the rows of its form, C-contiguous");
  return {form, means, {factors.data, factor.size()}, vec(constant)};
}

mixture::StepSums sums_of(const Components& components, const OutVector<double>& weight,
                          const OutMatrix<double>& sum,
                          const std::optional<OutMatrix<double>>& scatter) {
  const std::int64_t k = components.k(), p = components.p();
  const mixture::StepSums out{
      vec(weight), matrix(sum),
      scatter ? std::span<double>(scatter->data(), scatter->size()) : std::span<double>{}};
  require(std::ssize(out.weight) == k && has_shape(k, p, sum),
          "total and sum must have one entry and one row per component");
  require(components.form() == Form::tied ||
              (scatter && matrix(*scatter).is_c_contiguous() &&
               has_shape(factor_rows(components.form(), k, p), p, *scatter)),
          "scatter must have the rows of its form, C-contiguous");
  return out;
}

std::tuple<double, double, bool> mixture_step(
    const InDense& X, const OptionalVector<double>& weight, const std::string& form,
    const InMatrix<double>& mean, const InMatrix<double>& factor, const InVector<double>& constant,
    const OptionalMatrix<double>& parts, const OutVector<double>& total,
    const OutMatrix<double>& sum, const std::optional<OutMatrix<double>>& scatter,
    const Context& ctx) {
  const auto view = X.view();
  require_entries(n_rows_of(view), "weight must have one entry per row of X", weight);
  const auto components = components_of(form, mean, factor, constant, n_cols_of(view));
  const auto out = sums_of(components, total, sum, scatter);
  require(!parts || has_shape(n_rows_of(view), components.k(), *parts),
          "parts must be n_samples x n_components");
  const ReleasedGil nogil;
  const auto found = std::visit(
      [&](const auto& rows) {
        if (!parts) return mixture::step(rows, or_empty(weight), components, out, ctx);
        mixture::sum_parts(rows, or_empty(weight), matrix(*parts), components, out, ctx);
        return mixture::StepFigures{};
      },
      view);
  return {found.likelihood, found.entropy, found.is_finite};
}

bool mixture_evidence(const InDense& X, const std::string& form, const InMatrix<double>& mean,
                      const InMatrix<double>& factor, const InVector<double>& constant,
                      const OutVector<double>& out, const Context& ctx) {
  const auto view = X.view();
  const auto components = components_of(form, mean, factor, constant, n_cols_of(view));
  require_entries(n_rows_of(view), "out must have one entry per row of X", out);
  const ReleasedGil nogil;
  return std::visit(
      [&](const auto& rows) { return mixture::evidence(rows, components, vec(out), ctx); }, view);
}

bool mixture_answers(const InDense& X, const std::string& form, const InMatrix<double>& mean,
                     const InMatrix<double>& factor, const InVector<double>& constant,
                     const InVector<double>& log_prior, const std::string& answer,
                     const OutAnswers& out, const Context& ctx) {
  const auto view = X.view();
  const auto components = components_of(form, mean, factor, constant, n_cols_of(view));
  const auto asked = asked_of<double>(answer, vec(log_prior), out, n_rows_of(view), components.k());
  const ReleasedGil nogil;
  return std::visit(
      [&](const auto& rows) { return mixture::answers(rows, components, asked, ctx); }, view);
}

}  // namespace

void bind_mixture(nb::module_& m) {
  m.def("mixture_step", &mixture_step, "X"_a, "weight"_a.noconvert().none(), "form"_a,
        "mean"_a.noconvert(), "factor"_a.noconvert(), "constant"_a.noconvert(), nb::kw_only(),
        "parts"_a.noconvert().none(), "total"_a.noconvert(), "sum"_a.noconvert(),
        "scatter"_a.noconvert().none(), "ctx"_a,
        "Sums of one EM step about the means; log-likelihood, entropy, whether all was finite.");
  m.def("mixture_evidence", &mixture_evidence, "X"_a, "form"_a, "mean"_a.noconvert(),
        "factor"_a.noconvert(), "constant"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(),
        "ctx"_a, "Log-density of each row; whether all squares were finite.");
  m.def("mixture_answers", &mixture_answers, "X"_a, "form"_a, "mean"_a.noconvert(),
        "factor"_a.noconvert(), "constant"_a.noconvert(), "log_prior"_a.noconvert(), nb::kw_only(),
        "answer"_a, "out"_a.noconvert(), "ctx"_a,
        "Joint log-densities, (log-)probabilities or labels; whether all squares were finite.");
}

}  // namespace gramian
