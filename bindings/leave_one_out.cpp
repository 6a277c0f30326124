// Ridge regression with many penalties: moments, kernel matrix, and leave-one-out errors.
#include "solve/least_squares/leave_one_out.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "linalg/moments.hpp"
#include "solve/least_squares/least_squares.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

struct MomentArrays {
  OutMatrix<double> gram;
  OutMatrix<double> cross;
  OutVector<double> mean_x;
  OutVector<double> mean_y;
};

bool fill_moments(const linalg::Design& design, std::int64_t rows_of_targets,
                  std::span<const double> weight, bool fit_intercept, const MomentArrays& out,
                  const Context& ctx) {
  const std::int64_t p = design.n_features();
  const std::int64_t t = design.n_targets();
  const auto gram = matrix(out.gram), cross = matrix(out.cross);
  require(rows_of_targets == design.n_rows(), "Y must have one row per row of X");
  require(weight.empty() || weight.size() == static_cast<std::size_t>(design.n_rows()),
          "weight must have one entry per row of X");
  require(gram.n_rows == p && gram.n_cols == p && gram.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
  require(cross.n_rows == p && cross.n_cols == t && cross.is_c_contiguous(),
          "cross must be n_features x n_targets, C-contiguous");
  require(vec(out.mean_x).size() == static_cast<std::size_t>(p) &&
              vec(out.mean_y).size() == static_cast<std::size_t>(t),
          "mean_x needs one entry per feature, mean_y one per target");
  solve::LeastSquaresResult result;
  const ReleasedGil nogil;
  const linalg::Moments m = solve::centred_moments(design, fit_intercept, result, ctx);
  std::copy_n(m.gram.data(), m.gram.size(), gram.data);
  std::copy_n(m.cross.data(), m.cross.size(), cross.data);
  std::copy(result.mean_x.begin(), result.mean_x.end(), out.mean_x.data());
  std::copy(result.mean_y.begin(), result.mean_y.end(), out.mean_y.data());
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

  std::span<const double> weights() const {
    return weight ? vec(*weight) : std::span<const double>{};
  }
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

template <class T>
void bind_dense(nb::module_& m) {
  m.def(
      "least_squares_moments",
      [](const InMatrix<T>& X, const InMatrix<double>& Y,
         const std::optional<InVector<double>>& weight, bool fit_intercept,
         const OutMatrix<double>& gram, const OutMatrix<double>& cross,
         const OutVector<double>& mean_x, const OutVector<double>& mean_y, const Context& ctx) {
        const auto weights = weight ? vec(*weight) : std::span<const double>{};
        const linalg::DenseDesign<T> design(matrix(X), matrix(Y), weights);
        return fill_moments(design, matrix(Y).n_rows, weights, fit_intercept,
                            {gram, cross, mean_x, mean_y}, ctx);
      },
      "X"_a.noconvert(), "Y"_a.noconvert(), "weight"_a.noconvert().none(), nb::kw_only(),
      "fit_intercept"_a, "gram"_a.noconvert(), "cross"_a.noconvert(), "mean_x"_a.noconvert(),
      "mean_y"_a.noconvert(), "ctx"_a,
      "gram = X_c' W X_c and cross = X_c' W Y_c, about the means with an intercept. False if they "
      "are not finite.");
  m.def(
      "kernel_matrix",
      [](const InMatrix<T>& X, const InVector<double>& mean, const OutMatrix<double>& out,
         const Context& ctx) {
        const auto rows = matrix(X);
        const auto K = matrix(out);
        require(mean.shape(0) == X.shape(1), "mean must have one entry per column of X");
        require(K.n_rows == rows.n_rows && K.n_cols == rows.n_rows && K.is_c_contiguous(),
                "out must be n_rows x n_rows, C-contiguous");
        const ReleasedGil nogil;
        linalg::centred_gram(rows.transposed(), vec(mean), K.data, ctx);
      },
      "X"_a.noconvert(), "mean"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
      "out = (X - mean) (X - mean)'.");
  m.def(
      "leave_one_out",
      [](const InMatrix<T>& X, const InMatrix<double>& Y,
         const std::optional<InVector<double>>& weight, const InMatrix<double>& vectors,
         const InVector<double>& values, const InMatrix<double>& cross,
         const InVector<double>& mean_x, const InVector<double>& mean_y, double offset,
         const InVector<double>& alpha, const std::optional<OutMatrix<double>>& errors,
         const OutMatrix<double>& sums, const Context& ctx) {
        const SpectrumArrays arrays{Y,      weight, vectors, values, cross, mean_x,
                                    mean_y, offset, alpha,   errors, sums};
        const auto rows = matrix(X);
        arrays.check(rows.n_rows, rows.n_cols);
        const ReleasedGil nogil;
        solve::leave_one_out(rows, matrix(Y), arrays.weights(), arrays.spectrum(), arrays.out(),
                             ctx);
      },
      "X"_a.noconvert(), "Y"_a.noconvert(), "weight"_a.noconvert().none(), "vectors"_a.noconvert(),
      "values"_a.noconvert(), "cross"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(),
      nb::kw_only(), "offset"_a, "alpha"_a.noconvert(), "errors"_a.noconvert().none(),
      "sums"_a.noconvert(), "ctx"_a,
      "Leave-one-out errors of ridge regressions from the eigenvectors of the Gram matrix.");
}

template <class T, class Index>
void bind_sparse(nb::module_& m) {
  m.def(
      "least_squares_moments_csr",
      [](const InVector<T>& data, const InVector<Index>& indices, const InVector<Index>& indptr,
         std::int64_t n_cols, const InMatrix<double>& Y,
         const std::optional<InVector<double>>& weight, bool fit_intercept,
         const OutMatrix<double>& gram, const OutMatrix<double>& cross,
         const OutVector<double>& mean_x, const OutVector<double>& mean_y, const Context& ctx) {
        const auto rows = csr(data, indices, indptr, n_cols);
        const auto weights = weight ? vec(*weight) : std::span<const double>{};
        const linalg::CsrDesign<T, Index> design(rows, matrix(Y), weights);
        return fill_moments(design, matrix(Y).n_rows, weights, fit_intercept,
                            {gram, cross, mean_x, mean_y}, ctx);
      },
      "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a,
      "Y"_a.noconvert(), "weight"_a.noconvert().none(), nb::kw_only(), "fit_intercept"_a,
      "gram"_a.noconvert(), "cross"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(),
      "ctx"_a, "least_squares_moments for a CSR matrix.");
  m.def(
      "leave_one_out_csr",
      [](const InVector<T>& data, const InVector<Index>& indices, const InVector<Index>& indptr,
         std::int64_t n_cols, const InMatrix<double>& Y,
         const std::optional<InVector<double>>& weight, const InMatrix<double>& vectors,
         const InVector<double>& values, const InMatrix<double>& cross,
         const InVector<double>& mean_x, const InVector<double>& mean_y, double offset,
         const InVector<double>& alpha, const std::optional<OutMatrix<double>>& errors,
         const OutMatrix<double>& sums, const Context& ctx) {
        const SpectrumArrays arrays{Y,      weight, vectors, values, cross, mean_x,
                                    mean_y, offset, alpha,   errors, sums};
        const auto rows = csr(data, indices, indptr, n_cols);
        arrays.check(rows.n_rows(), n_cols);
        const ReleasedGil nogil;
        solve::leave_one_out(rows, matrix(Y), arrays.weights(), arrays.spectrum(), arrays.out(),
                             ctx);
      },
      "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a,
      "Y"_a.noconvert(), "weight"_a.noconvert().none(), "vectors"_a.noconvert(),
      "values"_a.noconvert(), "cross"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(),
      nb::kw_only(), "offset"_a, "alpha"_a.noconvert(), "errors"_a.noconvert().none(),
      "sums"_a.noconvert(), "ctx"_a, "leave_one_out for a CSR matrix.");
}

}  // namespace

void bind_leave_one_out(nb::module_& m) {
  for_each_number([&]<class T>() { bind_dense<T>(m); });
  for_each_sparse([&]<class T, class Index>() { bind_sparse<T, Index>(m); });
}

}  // namespace gramian
