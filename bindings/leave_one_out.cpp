// Ridge regression with many penalties: moments, kernel matrix, and leave-one-out errors.
#include "solve/least_squares/leave_one_out.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "linalg/moments.hpp"
#include "solve/least_squares/least_squares.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

bool least_squares_moments(const InRows& X, const InMatrix<double>& Y,
                           const std::optional<InVector<double>>& weight, bool fit_intercept,
                           const OutMatrix<double>& gram, const OutMatrix<double>& cross,
                           const OutVector<double>& mean_x, const OutVector<double>& mean_y,
                           const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  const auto targets = matrix(Y);
  const auto G = matrix(gram), C = matrix(cross);
  require(targets.n_rows == n, "Y must have one row per row of X");
  require(!weight || weight->shape(0) == static_cast<std::size_t>(n),
          "weight must have one entry per row of X");
  require(G.n_rows == p && G.n_cols == p && G.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
  require(C.n_rows == p && C.n_cols == targets.n_cols && C.is_c_contiguous(),
          "cross must be n_features x n_targets, C-contiguous");
  require(mean_x.shape(0) == static_cast<std::size_t>(p) && mean_y.shape(0) == Y.shape(1),
          "mean_x needs one entry per feature, mean_y one per target");
  solve::LeastSquaresResult result;
  const ReleasedGil nogil;
  const auto design = linalg::design_of(rows, targets, or_empty(weight));
  const linalg::Moments m = solve::centred_moments(*design, fit_intercept, result, ctx);
  std::copy_n(m.gram.data(), m.gram.size(), G.data);
  std::copy_n(m.cross.data(), m.cross.size(), C.data);
  std::copy(result.mean_x.begin(), result.mean_x.end(), mean_x.data());
  std::copy(result.mean_y.begin(), result.mean_y.end(), mean_y.data());
  return result.status != solve::Status::not_finite;
}

// The arguments of a leave-one-out pass that do not depend on the kind of X.
struct SpectrumArrays {
  InMatrix<double> Y;
  std::optional<InVector<double>> weight;
  InMatrix<double> vectors;
  InVector<double> values;
  InMatrix<double> cross;
  InVector<double> mean_x;
  InVector<double> mean_y;
  double offset;
  InVector<double> alpha;
  std::optional<OutMatrix<double>> errors;
  OutMatrix<double> sums;

  std::span<const double> weights() const { return or_empty(weight); }
  solve::RidgeSpectrum spectrum() const {
    return {matrix(vectors), vec(values), matrix(cross), vec(mean_x),
            vec(mean_y),     offset,      vec(alpha)};
  }
  solve::LeaveOneOutErrors out() const {
    return {errors ? matrix(*errors) : MatrixView<double>{}, matrix(sums)};
  }

  void check(std::int64_t n, std::int64_t p) const {
    const auto y = matrix(Y);
    const auto s = spectrum();
    const auto n_alphas = static_cast<std::int64_t>(s.alpha.size());
    const auto features = static_cast<std::size_t>(p);
    require(y.n_rows == n, "Y must have one row per row of X");
    require(weights().empty() || weights().size() == static_cast<std::size_t>(n),
            "weight must have one entry per row of X");
    require(s.vectors.n_rows == p && s.vectors.n_cols == p && s.values.size() == features,
            "vectors must be n_features x n_features, with one value each");
    require(s.cross.n_rows == p && s.cross.n_cols == y.n_cols,
            "cross must be n_features x n_targets");
    require(s.mean_x.size() == features && s.mean_y.size() == static_cast<std::size_t>(y.n_cols),
            "mean_x needs one entry per feature, mean_y one per target");
    require(sums.shape(0) == Y.shape(1) && sums.shape(1) == alpha.shape(0),
            "sums must be n_targets x n_alphas");
    require(
        !errors || (matrix(*errors).n_rows == n && matrix(*errors).n_cols == y.n_cols * n_alphas),
        "errors must be n_rows x (n_targets * n_alphas)");
  }
};

void kernel_matrix(const InDense& X, const InVector<double>& mean, const OutMatrix<double>& out,
                   const Context& ctx) {
  const auto view = X.view();
  const auto K = matrix(out);
  const std::int64_t n = n_rows_of(view);
  require(static_cast<std::int64_t>(mean.shape(0)) == n_cols_of(view),
          "mean must have one entry per column of X");
  require(K.n_rows == n && K.n_cols == n && K.is_c_contiguous(),
          "out must be n_rows x n_rows, C-contiguous");
  const ReleasedGil nogil;
  std::visit(
      [&](const auto& rows) { linalg::centred_gram(rows.transposed(), vec(mean), K.data, ctx); },
      view);
}

void leave_one_out(const InRows& X, const InMatrix<double>& Y,
                   const std::optional<InVector<double>>& weight, const InMatrix<double>& vectors,
                   const InVector<double>& values, const InMatrix<double>& cross,
                   const InVector<double>& mean_x, const InVector<double>& mean_y, double offset,
                   const InVector<double>& alpha, const std::optional<OutMatrix<double>>& errors,
                   const OutMatrix<double>& sums, const Context& ctx) {
  const SpectrumArrays arrays{Y,      weight, vectors, values, cross, mean_x,
                              mean_y, offset, alpha,   errors, sums};
  const auto rows = X.view();
  arrays.check(n_rows_of(rows), n_cols_of(rows));
  const ReleasedGil nogil;
  solve::leave_one_out(rows, matrix(Y), arrays.weights(), arrays.spectrum(), arrays.out(), ctx);
}

}  // namespace

void bind_leave_one_out(nb::module_& m) {
  m.def("least_squares_moments", &least_squares_moments, "X"_a, "Y"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "fit_intercept"_a, "gram"_a.noconvert(),
        "cross"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), "ctx"_a,
        "gram = X_c' W X_c and cross = X_c' W Y_c, about the means with an intercept. False if "
        "they are not finite.");
  m.def("kernel_matrix", &kernel_matrix, "X"_a, "mean"_a.noconvert(), nb::kw_only(),
        "out"_a.noconvert(), "ctx"_a, "out = (X - mean) (X - mean)'.");
  m.def("leave_one_out", &leave_one_out, "X"_a, "Y"_a.noconvert(), "weight"_a.noconvert().none(),
        "vectors"_a.noconvert(), "values"_a.noconvert(), "cross"_a.noconvert(),
        "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), nb::kw_only(), "offset"_a,
        "alpha"_a.noconvert(), "errors"_a.noconvert().none(), "sums"_a.noconvert(), "ctx"_a,
        "Leave-one-out errors of ridge regressions from the eigenvectors of the Gram matrix.");
}

}  // namespace gramian
