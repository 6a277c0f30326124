// Ridge regression with many penalties: moments, kernel matrix, and leave-one-out errors.
#include "solve/least_squares/leave_one_out.hpp"

#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "linalg/block_design.hpp"
#include "linalg/moments.hpp"
#include "solve/least_squares/least_squares.hpp"

namespace gramian {
namespace {

template <class Rows>
bool least_squares_moments(const Rows& X, const InMatrix<double>& Y,
                           const OptionalVector<double>& weight, bool fit_intercept,
                           const OutMatrix<double>& gram, const OutMatrix<double>& cross,
                           const OutVector<double>& mean_x, const OutVector<double>& mean_y,
                           const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  const auto targets = matrix(Y);
  const auto G = matrix(gram), C = matrix(cross);
  require(targets.n_rows == n, "Y must have one row per row of X");
  require_entries(n, "weight must have one entry per row of X", weight);
  require(G.n_rows == p && G.n_cols == p && G.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
  require(C.n_rows == p && C.n_cols == targets.n_cols && C.is_c_contiguous(),
          "cross must be n_features x n_targets, C-contiguous");
  require(has_entries(p, mean_x) && has_entries(Y.shape(1), mean_y),
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
  OptionalVector<double> weight;
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
    require(y.n_rows == n, "Y must have one row per row of X");
    require_entries(n, "weight must have one entry per row of X", weight);
    require(has_shape(p, p, vectors) && has_entries(p, values),
            "vectors must be n_features x n_features, with one value each");
    require(has_shape(p, y.n_cols, cross), "cross must be n_features x n_targets");
    require_entries(p, "mean_x must have one entry per feature", mean_x);
    require_entries(y.n_cols, "mean_y must have one entry per target", mean_y);
    require(has_shape(y.n_cols, alpha.shape(0), sums), "sums must be n_targets x n_alphas");
    require(!errors || has_shape(n, sums.size(), *errors),
            "errors must be n_rows x (n_targets * n_alphas)");
  }
};

void kernel_matrix(const InDense& X, const InVector<double>& mean, const OutMatrix<double>& out,
                   const Context& ctx) {
  const auto view = X.view();
  const auto K = matrix(out);
  const std::int64_t n = n_rows_of(view);
  require_entries(n_cols_of(view), "mean must have one entry per column of X", mean);
  require(K.n_rows == n && K.n_cols == n && K.is_c_contiguous(),
          "out must be n_rows x n_rows, C-contiguous");
  const ReleasedGil nogil;
  std::visit(
      [&](const auto& rows) { linalg::centred_gram(rows.transposed(), vec(mean), K.data, ctx); },
      view);
}

void leave_one_out(const InRows& X, const InMatrix<double>& Y, const OptionalVector<double>& weight,
                   const InMatrix<double>& vectors, const InVector<double>& values,
                   const InMatrix<double>& cross, const InVector<double>& mean_x,
                   const InVector<double>& mean_y, double offset, const InVector<double>& alpha,
                   const std::optional<OutMatrix<double>>& errors, const OutMatrix<double>& sums,
                   const Context& ctx) {
  const SpectrumArrays arrays{Y,      weight, vectors, values, cross, mean_x,
                              mean_y, offset, alpha,   errors, sums};
  const auto rows = X.view();
  arrays.check(n_rows_of(rows), n_cols_of(rows));
  const ReleasedGil nogil;
  solve::leave_one_out(rows, matrix(Y), arrays.weights(), arrays.spectrum(), arrays.out(), ctx);
}

template <class Rows>
void bind_moments(nb::module_& m) {
  m.def("least_squares_moments", &least_squares_moments<Rows>, "X"_a, "Y"_a, "weight"_a,
        nb::kw_only(), "fit_intercept"_a, "gram"_a, "cross"_a, "mean_x"_a, "mean_y"_a, "ctx"_a,
        "gram = X_c' W X_c and cross = X_c' W Y_c, about the means with an intercept. False if "
        "they are not finite.");
}

}  // namespace

void bind_leave_one_out(nb::module_& m) {
  bind_moments<InRows>(m);
  bind_moments<InBlocks>(m);
  m.def("kernel_matrix", &kernel_matrix, "X"_a, "mean"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "out = (X - mean) (X - mean)'.");
  m.def("leave_one_out", &leave_one_out, "X"_a, "Y"_a, "weight"_a, "vectors"_a, "values"_a,
        "cross"_a, "mean_x"_a, "mean_y"_a, nb::kw_only(), "offset"_a, "alpha"_a, "errors"_a,
        "sums"_a, "ctx"_a,
        "Leave-one-out errors of ridge regressions from the eigenvectors of the Gram matrix.");
}

}  // namespace gramian
