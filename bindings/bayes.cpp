// Moments of classes and naive Bayes: shapes checked, GIL released, results written into arrays
// that Python allocated.
#include "bindings/bayes.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <limits>
#include <optional>
#include <string>

#include "bayes/gaussian.hpp"
#include "bayes/linear.hpp"
#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "bindings/row_blocks.hpp"
#include "linalg/class_moments.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

template <class Rows>
void class_moments(const Rows& X, const InVector<std::int64_t>& codes,
                   const std::optional<InVector<double>>& weight,
                   const OutVector<double>& class_weight, const OutMatrix<double>& mean,
                   const OutMatrix<double>& scatter, const Context& ctx) {
  const auto view = X.view();
  const linalg::ClassMomentsOut out{vec(class_weight), matrix(mean), matrix(scatter)};
  require_rows(codes, weight, n_rows_of(view));
  for (const auto& moments : {out.mean, out.scatter})
    require(moments.n_rows == std::ssize(out.weight) && moments.n_cols == n_cols_of(view),
            "mean and scatter must be n_classes x n_features");
  const ReleasedGil nogil;
  visit_rows(view, [&](const auto& rows) {
    linalg::class_moments(rows, vec(codes), or_empty(weight), out, ctx);
  });
}

template <class Rows>
void class_sums(const Rows& X, const InVector<std::int64_t>& codes,
                const std::optional<InVector<double>>& weight,
                const OutVector<double>& class_weight, const OutMatrix<double>& sum,
                const Context& ctx) {
  const auto view = X.view();
  const auto out = matrix(sum);
  const auto total = vec(class_weight);
  require_rows(codes, weight, n_rows_of(view));
  require(n_rows_of(view) < std::numeric_limits<std::int32_t>::max(), "X has too many rows");
  require(out.is_c_contiguous() && out.n_rows == std::ssize(total) && out.n_cols == n_cols_of(view),
          "sum must be n_classes x n_features, C-contiguous");
  const ReleasedGil nogil;
  visit_rows(view, [&](const auto& rows) {
    linalg::class_sums(rows, vec(codes), or_empty(weight), total, out, ctx);
  });
}

void linear_answers(const InRows& X, const InMatrix<double>& coef, const InVector<double>& constant,
                    const InVector<double>& log_prior, const std::string& answer,
                    const OutAnswers& out, const Context& ctx) {
  const auto factors = matrix(coef);
  const auto k = static_cast<std::int64_t>(constant.shape(0));
  std::visit(
      [&]<class View>(const View& rows) {
        constexpr bool is_dense = requires { rows.row_stride; };
        require(factors.n_rows == k && factors.n_cols == rows.n_cols &&
                    (factors.is_c_contiguous() || (!is_dense && factors.is_f_contiguous())),
                "coef must be n_classes x n_features, C-contiguous, or for sparse X by columns");
        const auto asked = asked_of<double>(answer, vec(log_prior), out, n_rows_of(rows), k);
        const ReleasedGil nogil;
        bayes::linear_answers(rows, factors, vec(constant), asked, ctx);
      },
      X.view());
}

void log_shares(const InMatrix<double>& counts, const InVector<double>& base,
                const InVector<double>& added, const InVector<double>& total, double sign,
                const OutMatrix<double>& out, const Context& ctx) {
  const auto given = matrix(counts);
  const auto result = matrix(out);
  require(given.is_c_contiguous() && result.n_rows == given.n_rows &&
              result.n_cols == given.n_cols && result.is_f_contiguous(),
          "counts must be C-contiguous, and out of its shape, by columns");
  require_entries(given.n_cols, "base and added must have one entry per column", base, added);
  require_entries(given.n_rows, "total must have one entry per class", total);
  const ReleasedGil nogil;
  bayes::log_shares(given, {vec(base), vec(added), sign}, vec(total), result, ctx);
}

void joint_answers(const InMatrix<double>& joint, const InVector<double>& log_prior,
                   const std::string& answer, const OutAnswers& out, const Context& ctx) {
  const auto rows = matrix(joint);
  const auto asked = asked_of<double>(answer, vec(log_prior), out, rows.n_rows, rows.n_cols);
  const ReleasedGil nogil;
  bayes::joint_answers(rows, asked, ctx);
}

bool gaussian_answers(const InDense& X, const InVector<double>& shift,
                      const InMatrix<double>& scale, const InMatrix<double>& offset,
                      const InVector<double>& constant, const InVector<double>& log_prior,
                      const std::string& answer, const OutAnswers& out, const Context& ctx) {
  const auto k = static_cast<std::int64_t>(constant.shape(0));
  return std::visit(
      [&]<class View>(const View& rows) {
        for (const auto& factors : {matrix(scale), matrix(offset)})
          require(factors.is_c_contiguous() && factors.n_rows == k && factors.n_cols == rows.n_cols,
                  "scale and offset must be n_classes x n_features, C-contiguous");
        require(static_cast<std::int64_t>(shift.shape(0)) == rows.n_cols,
                "shift must have one entry per column of X");
        const auto asked =
            asked_of<typename View::Number>(answer, vec(log_prior), out, rows.n_rows, k);
        const GaussianClasses classes{shift.data(), scale.data(), offset.data(), constant.data(),
                                      k};
        const ReleasedGil nogil;
        return bayes::gaussian_answers(rows, classes, asked, ctx);
      },
      X.view());
}

template <class Rows>
void bind_class_moments(nb::module_& m) {
  m.def("class_moments", &class_moments<Rows>, "X"_a, "codes"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "class_weight"_a.noconvert(),
        "mean"_a.noconvert(), "scatter"_a.noconvert(), "ctx"_a,
        "Weight, means and centred sums of squares of the rows of each class.");
}

template <class Rows>
void bind_class_sums(nb::module_& m) {
  m.def("class_sums", &class_sums<Rows>, "X"_a, "codes"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "class_weight"_a.noconvert(),
        "sum"_a.noconvert(), "ctx"_a, "Weight and sum of the rows of each class.");
}

}  // namespace

void bind_bayes(nb::module_& m) {
  bind_class_sums<InRows>(m);
  bind_class_sums<InBlocks>(m);
  m.def("linear_answers", &linear_answers, "X"_a, "coef"_a.noconvert(), "constant"_a.noconvert(),
        "log_prior"_a.noconvert(), nb::kw_only(), "answer"_a, "out"_a.noconvert(), "ctx"_a,
        "Answers about classes whose joint log-probability is constant + X coef'.");
  m.def("log_shares", &log_shares, "counts"_a.noconvert(), "base"_a.noconvert(),
        "added"_a.noconvert(), "total"_a.noconvert(), nb::kw_only(), "sign"_a, "out"_a.noconvert(),
        "ctx"_a,
        "sign log((base + sign counts + added) / total) for counts of classes in columns.");
  m.def("joint_answers", &joint_answers, "joint"_a.noconvert(), "log_prior"_a.noconvert(),
        nb::kw_only(), "answer"_a, "out"_a.noconvert(), "ctx"_a,
        "Answers that follow from joint log-probabilities.");
  bind_class_moments<InDense>(m);
  bind_class_moments<InBlocks>(m);
  m.def("gaussian_answers", &gaussian_answers, "X"_a, "shift"_a.noconvert(), "scale"_a.noconvert(),
        "offset"_a.noconvert(), "constant"_a.noconvert(), "log_prior"_a.noconvert(), nb::kw_only(),
        "answer"_a, "out"_a.noconvert(), "ctx"_a,
        "Joint log-probabilities, (log-)probabilities or labels of classes with normal columns; "
        "whether all squares were finite.");
}

}  // namespace gramian
