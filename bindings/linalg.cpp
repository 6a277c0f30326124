// Linear algebra and least squares: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "linalg/extended.hpp"
#include "linalg/moments.hpp"
#include "solve/least_squares/least_squares.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using solve::LeastSquaresOptions;
using solve::LeastSquaresResult;

// The arrays a least-squares fit writes to, and the targets and weights it reads.
struct Outputs {
  OutMatrix<double> coef;  // n_features x n_targets
  OutVector<double> mean_x;
  OutVector<double> mean_y;
  OutMatrix<double> sums;  // 3 x n_targets: rss, total, squared gradient norm
};

void require_shapes(std::int64_t n, std::int64_t p, MatrixView<const double> Y,
                    std::span<const double> weight, std::span<const double> alpha,
                    const Outputs& out) {
  const auto t = static_cast<std::size_t>(Y.n_cols);
  const auto features = static_cast<std::size_t>(p);
  require(Y.n_rows == n, "Y must have one row per row of X");
  require(weight.empty() || weight.size() == static_cast<std::size_t>(n),
          "weight must have one entry per row of X");
  require(alpha.size() == 1 || alpha.size() == t, "alpha must have one entry, or one per target");
  require(out.coef.shape(0) == features && out.coef.shape(1) == t,
          "coef must be n_features x n_targets");
  require(out.mean_x.shape(0) == features, "mean_x must have one entry per feature");
  require(out.mean_y.shape(0) == t, "mean_y must have one entry per target");
  require(out.sums.shape(0) == 3 && out.sums.shape(1) == t, "sums must be 3 x n_targets");
}

void require_gram(const std::optional<OutMatrix<double>>& gram, std::int64_t n_features) {
  if (!gram) return;
  const auto G = matrix(*gram);
  require(G.n_rows == n_features && G.n_cols == n_features && G.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
}

const char* status_name(solve::Status status) {
  switch (status) {
    case solve::Status::ok:
      return "ok";
    case solve::Status::not_finite:
      return "not_finite";
    default:
      return "ill_conditioned";
  }
}

void write(const LeastSquaresResult& result, const Outputs& out) {
  std::copy(result.mean_x.begin(), result.mean_x.end(), out.mean_x.data());
  std::copy(result.mean_y.begin(), result.mean_y.end(), out.mean_y.data());
  if (result.status != solve::Status::ok) return;
  const auto coef = matrix(out.coef);
  const auto sums = matrix(out.sums);
  for (std::int64_t j = 0; j < coef.n_rows; ++j)
    for (std::int64_t c = 0; c < coef.n_cols; ++c)
      coef(j, c) = result.coef[static_cast<std::size_t>(j * coef.n_cols + c)];
  for (std::int64_t c = 0; c < coef.n_cols; ++c) {
    const auto k = static_cast<std::size_t>(c);
    sums(0, c) = result.rss[k];
    sums(1, c) = result.total[k];
    sums(2, c) = result.squared_norm[k];
  }
}

struct Info {
  const char* status;
  double optimality;
  double rcond;
  std::int64_t rank;
  int n_refinements;
  double weight;
};

Info info_of(const LeastSquaresResult& r) {
  return {status_name(r.status), r.optimality, r.rcond, r.rank, r.n_refinements, r.weight};
}

template <class T>
Info dense_least_squares(const InMatrix<T>& X, const InMatrix<double>& Y,
                         const std::optional<InVector<double>>& weight,
                         const InVector<double>& alpha, bool fit_intercept,
                         const OutMatrix<double>& coef, const OutVector<double>& mean_x,
                         const OutVector<double>& mean_y, const OutMatrix<double>& sums,
                         const std::optional<OutMatrix<double>>& gram,
                         const std::optional<InMatrix<double>>& kernel, const Context& ctx) {
  const auto rows = matrix(X);
  const auto targets = matrix(Y);
  const auto weights = weight ? vec(*weight) : std::span<const double>{};
  const Outputs out{coef, mean_x, mean_y, sums};
  require_shapes(rows.n_rows, rows.n_cols, targets, weights, vec(alpha), out);
  require(rows.n_rows > 0 && rows.n_cols > 0, "X must have rows and columns");
  require_gram(gram, rows.n_cols);
  // Centring takes one rank: with as many columns as rows their Gram matrix is singular.
  const bool is_wide = rows.n_cols > rows.n_rows - (fit_intercept ? 1 : 0);
  require(
      !kernel || (is_wide && matrix(*kernel).is_c_contiguous() &&
                  matrix(*kernel).n_rows == rows.n_rows && matrix(*kernel).n_cols == rows.n_rows),
      "kernel must be n_samples x n_samples, C-contiguous, and X wide");
  const LeastSquaresOptions options{vec(alpha), fit_intercept, sizeof(T) == sizeof(float),
                                    kernel ? kernel->data() : nullptr};
  LeastSquaresResult result;
  {
    const ReleasedGil nogil;
    if (!is_wide)
      result = solve::solve_normal_equations(linalg::DenseDesign<T>(rows, targets, weights),
                                             options, gram ? gram->data() : nullptr, ctx);
    else
      result = solve::solve_kernel_equations(rows, targets, weights, options, ctx);
  }
  write(result, out);
  return info_of(result);
}

template <class T, class Index>
Info sparse_least_squares(const InVector<T>& values, const InVector<Index>& indices,
                          const InVector<Index>& indptr, std::int64_t n_cols,
                          const InMatrix<double>& Y, const std::optional<InVector<double>>& weight,
                          const InVector<double>& alpha, bool fit_intercept,
                          const OutMatrix<double>& coef, const OutVector<double>& mean_x,
                          const OutVector<double>& mean_y, const OutMatrix<double>& sums,
                          const std::optional<OutMatrix<double>>& gram, const Context& ctx) {
  const auto rows = csr(values, indices, indptr, n_cols);
  const auto targets = matrix(Y);
  const auto weights = weight ? vec(*weight) : std::span<const double>{};
  const Outputs out{coef, mean_x, mean_y, sums};
  require_shapes(rows.n_rows(), n_cols, targets, weights, vec(alpha), out);
  require_gram(gram, n_cols);
  const LeastSquaresOptions options{vec(alpha), fit_intercept, sizeof(T) == sizeof(float)};
  LeastSquaresResult result;
  {
    const ReleasedGil nogil;
    result = solve::solve_normal_equations(linalg::CsrDesign<T, Index>(rows, targets, weights),
                                           options, gram ? gram->data() : nullptr, ctx);
  }
  write(result, out);
  return info_of(result);
}

// The arguments of a gradient: where it is taken, and where it goes.
struct GradientArrays {
  InMatrix<double> Y;
  std::optional<InVector<double>> weight;
  InMatrix<double> coef;
  InVector<double> mean_x;
  InVector<double> mean_y;
  OutMatrix<double> gradient;
  OutVector<double> rss;
};

void fill_gradient(std::int64_t n, std::int64_t p, const GradientArrays& arrays,
                   const linalg::Design& design, const Context& ctx) {
  const auto t = arrays.Y.shape(1);
  const auto features = static_cast<std::size_t>(p);
  require(arrays.Y.shape(0) == static_cast<std::size_t>(n), "Y must have one row per row of X");
  require(!arrays.weight || arrays.weight->shape(0) == static_cast<std::size_t>(n),
          "weight must have one entry per row of X");
  for (const auto& array : {matrix(arrays.coef), MatrixView<const double>(matrix(arrays.gradient))})
    require(array.n_rows == p && array.n_cols == static_cast<std::int64_t>(t) &&
                array.is_c_contiguous(),
            "coef and gradient must be n_features x n_targets, C-contiguous");
  require(
      arrays.mean_x.shape(0) == features && arrays.mean_y.shape(0) == t && arrays.rss.shape(0) == t,
      "mean_x needs one entry per feature, mean_y and rss one per target");
  const linalg::AffineMap at{
      {arrays.coef.data(), arrays.coef.size()}, vec(arrays.mean_x), vec(arrays.mean_y)};
  linalg::Gradient result;
  {
    const ReleasedGil nogil;
    result = design.gradient(at, nullptr, ctx);
  }
  std::copy(result.values.begin(), result.values.end(), arrays.gradient.data());
  std::copy(result.rss.begin(), result.rss.end(), arrays.rss.data());
}

std::span<const double> weights_of(const GradientArrays& arrays) {
  return arrays.weight ? vec(*arrays.weight) : std::span<const double>{};
}

template <class T>
void dense_gradient(const InMatrix<T>& X, const InMatrix<double>& Y,
                    const std::optional<InVector<double>>& weight, const InMatrix<double>& coef,
                    const InVector<double>& mean_x, const InVector<double>& mean_y,
                    const OutMatrix<double>& gradient, const OutVector<double>& rss,
                    const Context& ctx) {
  const GradientArrays arrays{Y, weight, coef, mean_x, mean_y, gradient, rss};
  const linalg::DenseDesign<T> design(matrix(X), matrix(Y), weights_of(arrays));
  fill_gradient(design.n_rows(), design.n_features(), arrays, design, ctx);
}

template <class T, class Index>
void sparse_gradient(const InVector<T>& values, const InVector<Index>& indices,
                     const InVector<Index>& indptr, std::int64_t n_cols, const InMatrix<double>& Y,
                     const std::optional<InVector<double>>& weight, const InMatrix<double>& coef,
                     const InVector<double>& mean_x, const InVector<double>& mean_y,
                     const OutMatrix<double>& gradient, const OutVector<double>& rss,
                     const Context& ctx) {
  const GradientArrays arrays{Y, weight, coef, mean_x, mean_y, gradient, rss};
  const linalg::CsrDesign<T, Index> design(csr(values, indices, indptr, n_cols), matrix(Y),
                                           weights_of(arrays));
  fill_gradient(design.n_rows(), n_cols, arrays, design, ctx);
}

void extended_residuals(const InMatrix<double>& X, const InMatrix<double>& Y,
                        const InVector<double>& root_weight, const InMatrix<double>& coef,
                        const InVector<double>& intercept, const InMatrix<double>& residual,
                        const OutMatrix<double>& f, const OutMatrix<double>& g,
                        const OutVector<double>& g0, const Context& ctx) {
  const auto n = X.shape(0);
  const auto p = X.shape(1);
  const auto t = Y.shape(1);
  require(Y.shape(0) == n && residual.shape(0) == n && f.shape(0) == n && root_weight.shape(0) == n,
          "Y, residual, f and root_weight must have one row per row of X");
  require(coef.shape(0) == p && g.shape(0) == p, "coef and g must have one row per column of X");
  require(residual.shape(1) == t && f.shape(1) == t && coef.shape(1) == t && g.shape(1) == t &&
              intercept.shape(0) == t && g0.shape(0) == t,
          "all arrays must have one column per target");
  const auto y = matrix(Y), v = matrix(coef), r = matrix(residual);
  const ReleasedGil nogil;
  std::vector<double> target(n), old(n), column(p), new_f(n), new_g(p + 1);
  for (std::int64_t c = 0; c < y.n_cols; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      target[i] = y(static_cast<std::int64_t>(i), c);
      old[i] = r(static_cast<std::int64_t>(i), c);
    }
    for (std::size_t j = 0; j < p; ++j) column[j] = v(static_cast<std::int64_t>(j), c);
    const ExtendedRows rows{matrix(X),     target.data(),       root_weight.data(),
                            column.data(), intercept.data()[c], old.data()};
    linalg::extended_residuals(rows, new_f.data(), new_g.data(), ctx);
    for (std::size_t i = 0; i < n; ++i) matrix(f)(static_cast<std::int64_t>(i), c) = new_f[i];
    for (std::size_t j = 0; j < p; ++j) matrix(g)(static_cast<std::int64_t>(j), c) = new_g[j];
    g0.data()[c] = new_g[p];
  }
}

template <class T>
void require_prediction_shapes(std::int64_t n, std::int64_t p, MatrixView<const double> coef,
                               std::span<const double> intercept, MatrixView<T> out) {
  require(coef.n_rows == p, "coef must have one row per column of X");
  require(intercept.size() == static_cast<std::size_t>(coef.n_cols),
          "intercept must have one entry per column of coef");
  require(out.n_rows == n && out.n_cols == coef.n_cols, "out must be n_rows x n_targets");
}

template <class T>
void bind_dense(nb::module_& m) {
  m.def("least_squares", &dense_least_squares<T>, "X"_a.noconvert(), "Y"_a.noconvert(),
        "weight"_a.noconvert().none(), "alpha"_a.noconvert(), nb::kw_only(), "fit_intercept"_a,
        "coef"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), "sums"_a.noconvert(),
        "gram"_a.noconvert().none(), "kernel"_a.noconvert().none(), "ctx"_a,
        "Fit ridge regression (alpha may be zero) through a Gram matrix; see LeastSquaresInfo.");
  m.def("least_squares_gradient", &dense_gradient<T>, "X"_a.noconvert(), "Y"_a.noconvert(),
        "weight"_a.noconvert().none(), "coef"_a.noconvert(), "mean_x"_a.noconvert(),
        "mean_y"_a.noconvert(), nb::kw_only(), "gradient"_a.noconvert(), "rss"_a.noconvert(),
        "ctx"_a, "gradient = (X - mean_x)' W R with R = Y - mean_y - (X - mean_x) coef.");
  m.def(
      "affine_predict",
      [](const InMatrix<T>& X, const InMatrix<double>& coef, const InVector<double>& intercept,
         const OutMatrix<T>& out, const Context& ctx) {
        const auto rows = matrix(X);
        require_prediction_shapes(rows.n_rows, rows.n_cols, matrix(coef), vec(intercept),
                                  matrix(out));
        const ReleasedGil nogil;
        linalg::affine_predict(rows, matrix(coef), vec(intercept), matrix(out), ctx);
      },
      "X"_a.noconvert(), "coef"_a.noconvert(), "intercept"_a.noconvert(), nb::kw_only(),
      "out"_a.noconvert(), "ctx"_a, "out = X @ coef + intercept.");
  m.def(
      "column_means",
      [](const InMatrix<T>& X, const std::optional<InVector<double>>& weight,
         const OutVector<double>& out, const Context& ctx) {
        const auto weights = weight ? vec(*weight) : std::span<const double>{};
        require(weights.empty() || weights.size() == X.shape(0),
                "weight must have one entry per row of X");
        require(out.shape(0) == X.shape(1), "out must have one entry per column of X");
        const ReleasedGil nogil;
        linalg::column_means(matrix(X), weights, vec(out), ctx);
      },
      "X"_a.noconvert(), "weight"_a.noconvert().none(), nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
      "Weighted means of the columns.");
  m.def(
      "all_finite",
      [](const InMatrix<T>& X, const Context& ctx) {
        const auto rows = matrix(X);
        const ReleasedGil nogil;
        return linalg::all_finite(rows, ctx);
      },
      "X"_a.noconvert(), nb::kw_only(), "ctx"_a, "Whether X holds neither NaN nor infinity.");
}

template <class T, class Index>
void bind_sparse(nb::module_& m) {
  m.def("least_squares_csr", &sparse_least_squares<T, Index>, "values"_a.noconvert(),
        "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a, "Y"_a.noconvert(),
        "weight"_a.noconvert().none(), "alpha"_a.noconvert(), nb::kw_only(), "fit_intercept"_a,
        "coef"_a.noconvert(), "mean_x"_a.noconvert(), "mean_y"_a.noconvert(), "sums"_a.noconvert(),
        "gram"_a.noconvert().none(), "ctx"_a, "least_squares for a CSR matrix, never made dense.");
  m.def("least_squares_gradient_csr", &sparse_gradient<T, Index>, "values"_a.noconvert(),
        "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a, "Y"_a.noconvert(),
        "weight"_a.noconvert().none(), "coef"_a.noconvert(), "mean_x"_a.noconvert(),
        "mean_y"_a.noconvert(), nb::kw_only(), "gradient"_a.noconvert(), "rss"_a.noconvert(),
        "ctx"_a, "least_squares_gradient for a CSR matrix.");
  m.def(
      "affine_predict_csr",
      [](const InVector<T>& values, const InVector<Index>& indices, const InVector<Index>& indptr,
         std::int64_t n_cols, const InMatrix<double>& coef, const InVector<double>& intercept,
         const OutMatrix<T>& out, const Context& ctx) {
        const auto rows = csr(values, indices, indptr, n_cols);
        require_prediction_shapes(rows.n_rows(), n_cols, matrix(coef), vec(intercept), matrix(out));
        const ReleasedGil nogil;
        linalg::affine_predict(rows, matrix(coef), vec(intercept), matrix(out), ctx);
      },
      "values"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "n_cols"_a,
      "coef"_a.noconvert(), "intercept"_a.noconvert(), nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
      "out = X @ coef + intercept for a CSR matrix X.");
}

}  // namespace

void bind_linalg(nb::module_& m) {
  nb::class_<Info>(m, "LeastSquaresInfo", "How a least-squares fit went.")
      .def_ro("status", &Info::status, "'ok', 'not_finite' or 'ill_conditioned' (no result then).")
      .def_ro("optimality", &Info::optimality, "max |x_j' r - alpha v_j| / (|x_j| |y|).")
      .def_ro("rcond", &Info::rcond, "Reciprocal condition of the scaled Gram matrix, estimated.")
      .def_ro("rank", &Info::rank)
      .def_ro("n_refinements", &Info::n_refinements)
      .def_ro("weight", &Info::weight, "Sum of the weights.");
  m.def("extended_residuals", &extended_residuals, "X"_a.noconvert(), "Y"_a.noconvert(),
        "root_weight"_a.noconvert(), "coef"_a.noconvert(), "intercept"_a.noconvert(),
        "residual"_a.noconvert(), nb::kw_only(), "f"_a.noconvert(), "g"_a.noconvert(),
        "g0"_a.noconvert(), "ctx"_a,
        "Residuals of the augmented least-squares system, summed in doubled precision.");
  for_each_number([&]<class T>() { bind_dense<T>(m); });
  for_each_sparse([&]<class T, class Index>() { bind_sparse<T, Index>(m); });
}

}  // namespace gramian
