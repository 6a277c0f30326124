// Classes with full covariances: scatter matrices and answers; shapes checked, GIL released,
// results written into arrays that Python allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <limits>
#include <optional>
#include <string>

#include "bayes/normal.hpp"
#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bayes.hpp"
#include "bindings/gil.hpp"
#include "bindings/row_blocks.hpp"
#include "linalg/class_scatter.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

void class_scatter(const InDense& X, const InVector<std::int64_t>& codes,
                   const std::optional<InVector<double>>& weight, const InMatrix<double>& mean,
                   const OutMatrix<double>& out, const Context& ctx) {
  const auto view = X.view();
  const auto centres = matrix(mean);
  const auto result = matrix(out);
  const std::int64_t p = n_cols_of(view), k = centres.n_rows;
  require_rows(codes, weight, n_rows_of(view));
  require(centres.n_cols == p, "mean must be n_classes x n_features");
  require(n_rows_of(view) < std::numeric_limits<std::int32_t>::max(), "X has too many rows");
  const bool is_pooled = result.n_rows == p;
  require(result.is_c_contiguous() && result.n_cols == p && (is_pooled || result.n_rows == k * p),
          "out must be n_features x n_features, once or for each class, C-contiguous");
  const ReleasedGil nogil;
  std::visit(
      [&]<class View>(const View& rows) {
        const linalg::ClassedRows<typename View::Number> classed{rows, vec(codes), or_empty(weight),
                                                                 centres};
        if (is_pooled)
          linalg::pooled_scatter(classed, result.data, ctx);
        else
          linalg::class_scatters(classed, result.data, ctx);
      },
      view);
}

void block_scatter(const InBlocks& X, const InVector<std::int64_t>& codes,
                   const std::optional<InVector<double>>& weight, const InMatrix<double>& mean,
                   const OutMatrix<double>& out, const Context& ctx) {
  const auto view = X.view();
  const auto centres = matrix(mean);
  const auto result = matrix(out);
  const std::int64_t p = n_cols_of(view);
  require_rows(codes, weight, n_rows_of(view));
  require(centres.n_cols == p, "mean must be n_classes x n_features");
  require(result.is_c_contiguous() && result.n_rows == p && result.n_cols == p,
          "out must be n_features x n_features, C-contiguous, for rows in blocks");
  const ReleasedGil nogil;
  linalg::pooled_scatter(view, vec(codes), or_empty(weight), centres, result.data, ctx);
}

bool normal_answers(const InDense& X, const InMatrix<double>& mean, const InMatrix<double>& factor,
                    const InVector<double>& constant, const InVector<double>& log_prior,
                    const std::string& answer, const OutAnswers& out, const Context& ctx) {
  const auto means = matrix(mean), factors = matrix(factor);
  const std::int64_t k = means.n_rows, p = means.n_cols;
  require(means.is_c_contiguous() && has_entries(k, constant),
          "mean must be n_classes x n_features, C-contiguous, and constant n_classes");
  require(factors.is_c_contiguous() && factors.n_rows == k * p && factors.n_cols == p,
          "factor must be n_classes x n_features rows of n_features, C-contiguous");
  return std::visit(
      [&]<class View>(const View& rows) {
        require(rows.n_cols == p, "mean must have one column per column of X");
        const auto asked =
            asked_of<typename View::Number>(answer, vec(log_prior), out, rows.n_rows, k);
        const ReleasedGil nogil;
        const bayes::NormalClasses classes(means, {factors.data, factor.size()}, vec(constant));
        return bayes::normal_answers(rows, classes, asked, ctx);
      },
      X.view());
}

}  // namespace

void bind_bayes_normal(nb::module_& m) {
  m.def("class_scatter", &class_scatter, "X"_a, "codes"_a.noconvert(),
        "weight"_a.noconvert().none(), "mean"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(),
        "ctx"_a, "Scatter matrices about the means of the classes, summed or one for each class.");
  m.def("class_scatter", &block_scatter, "X"_a, "codes"_a.noconvert(),
        "weight"_a.noconvert().none(), "mean"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(),
        "ctx"_a, "The sum of the scatter matrices of the classes.");
  m.def("normal_answers", &normal_answers, "X"_a, "mean"_a.noconvert(), "factor"_a.noconvert(),
        "constant"_a.noconvert(), "log_prior"_a.noconvert(), nb::kw_only(), "answer"_a,
        "out"_a.noconvert(), "ctx"_a,
        "Joint log-probabilities, (log-)probabilities or labels of normal classes; whether all "
        "squares were finite.");
}

}  // namespace gramian
