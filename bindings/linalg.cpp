// Linear algebra and least squares: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "base/error.hpp"
#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "linalg/block_design.hpp"
#include "linalg/extended.hpp"
#include "linalg/gather.hpp"
#include "linalg/moments.hpp"
#include "linalg/product.hpp"
#include "parallel/tiles.hpp"
#include "solve/least_squares/least_squares.hpp"

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
                    const OptionalVector<double>& weight, const InVector<double>& alpha,
                    const Outputs& out) {
  const std::int64_t t = Y.n_cols;
  require(Y.n_rows == n, "Y must have one row per row of X");
  require_entries(n, "weight must have one entry per row of X", weight);
  require(has_entries(1, alpha) || has_entries(t, alpha),
          "alpha must have one entry, or one per target");
  require(has_shape(p, t, out.coef), "coef must be n_features x n_targets");
  require_entries(p, "mean_x must have one entry per feature", out.mean_x);
  require_entries(t, "mean_y must have one entry per target", out.mean_y);
  require(has_shape(3, t, out.sums), "sums must be 3 x n_targets");
}

void require_gram(const std::optional<OutMatrix<double>>& gram, std::int64_t n_features) {
  if (!gram) return;
  const auto G = matrix(*gram);
  require(G.n_rows == n_features && G.n_cols == n_features && G.is_c_contiguous(),
          "gram must be n_features x n_features, C-contiguous");
}

constexpr Named<solve::Status> kStatuses[] = {{"ok", solve::Status::ok},
                                              {"not_finite", solve::Status::not_finite},
                                              {"ill_conditioned", solve::Status::ill_conditioned}};

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
  std::string_view status;
  double optimality;
  double rcond;
  std::int64_t rank;
  int n_refinements;
  double weight;
};

Info info_of(const LeastSquaresResult& r) {
  return {name_of(kStatuses, r.status), r.optimality, r.rcond, r.rank, r.n_refinements, r.weight};
}

// A kernel matrix that the caller has, for dense X with more columns than rows.
const double* kernel_of(const OptionalMatrix<double>& kernel, std::int64_t n, bool is_wide) {
  if (!kernel) return nullptr;
  const auto K = matrix(*kernel);
  require(is_wide && K.is_c_contiguous() && K.n_rows == n && K.n_cols == n,
          "kernel must be n_samples x n_samples, C-contiguous, and X wide");
  return K.data;
}

LeastSquaresResult solve_wide(const AnyMatrix& X, MatrixView<const double> Y,
                              std::span<const double> weight, const LeastSquaresOptions& options,
                              const Context& ctx) {
  const auto of_view = [&]<class View>(const View& rows) -> LeastSquaresResult {
    if constexpr (kIsSparse<View>)
      throw InvalidArgument("X must be dense");
    else
      return solve::solve_kernel_equations(rows, Y, weight, options, ctx);
  };
  return std::visit(of_view, X);
}

LeastSquaresResult solve_wide(const RowBlocks&, MatrixView<const double>, std::span<const double>,
                              const LeastSquaresOptions&, const Context&) {
  throw InvalidArgument("rows in blocks must be more than the columns");
}

template <class Rows>
Info least_squares(const Rows& X, const InMatrix<double>& Y, const OptionalVector<double>& weight,
                   const InVector<double>& alpha, bool fit_intercept, const OutMatrix<double>& coef,
                   const OutVector<double>& mean_x, const OutVector<double>& mean_y,
                   const OutMatrix<double>& sums, const std::optional<OutMatrix<double>>& gram,
                   const OptionalMatrix<double>& kernel, const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  const auto targets = matrix(Y);
  const auto weights = or_empty(weight);
  const Outputs out{coef, mean_x, mean_y, sums};
  require(n > 0 && p > 0, "X must have rows and columns");
  require_shapes(n, p, targets, weight, alpha, out);
  require_gram(gram, p);
  // Centring takes one rank: with as many columns as rows their Gram matrix is singular.
  const bool is_wide = !is_sparse(rows) && p > n - (fit_intercept ? 1 : 0);
  const LeastSquaresOptions options{vec(alpha), fit_intercept, !holds_doubles(rows),
                                    kernel_of(kernel, n, is_wide)};
  const auto result = without_gil([&] {
    if (is_wide) return solve_wide(rows, targets, weights, options, ctx);
    return solve::solve_normal_equations(*linalg::design_of(rows, targets, weights), options,
                                         gram ? gram->data() : nullptr, ctx);
  });
  write(result, out);
  return info_of(result);
}

template <class Rows>
void least_squares_gradient(const Rows& X, const InMatrix<double>& Y,
                            const OptionalVector<double>& weight, const InMatrix<double>& coef,
                            const InVector<double>& mean_x, const InVector<double>& mean_y,
                            const OutMatrix<double>& gradient, const OutVector<double>& rss,
                            const Context& ctx) {
  const auto rows = X.view();
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  const auto t = Y.shape(1);
  require(std::cmp_equal(Y.shape(0), n), "Y must have one row per row of X");
  require_entries(n, "weight must have one entry per row of X", weight);
  for (const auto& array : {matrix(coef), MatrixView<const double>(matrix(gradient))})
    require(array.n_rows == p && std::cmp_equal(array.n_cols, t) && array.is_c_contiguous(),
            "coef and gradient must be n_features x n_targets, C-contiguous");
  require_entries(p, "mean_x must have one entry per feature", mean_x);
  require_entries(t, "mean_y and rss must have one entry per target", mean_y, rss);
  const linalg::AffineMap at{{coef.data(), coef.size()}, vec(mean_x), vec(mean_y)};
  const auto result = without_gil([&] {
    return linalg::design_of(rows, matrix(Y), or_empty(weight))->gradient(at, nullptr, ctx);
  });
  std::copy(result.values.begin(), result.values.end(), gradient.data());
  std::copy(result.rss.begin(), result.rss.end(), rss.data());
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

void affine_predict(const InRows& X, const InMatrix<double>& coef,
                    const InVector<double>& intercept, const OutDense& out, const Context& ctx) {
  const auto view = X.view();
  const auto weights = matrix(coef);
  require(weights.n_rows == n_cols_of(view), "coef must have one row per column of X");
  require_entries(coef.shape(1), "intercept must have one entry per column of coef", intercept);
  std::visit(
      [&]<class View>(const View& rows) {
        const auto result = out_matrix<typename View::Number>(out);
        require(result.n_rows == n_rows_of(rows) && result.n_cols == weights.n_cols,
                "out must be n_rows x n_targets");
        const ReleasedGil nogil;
        linalg::affine_predict(rows, weights, vec(intercept), result, ctx);
      },
      view);
}

struct ProductArguments {
  ProductArguments(const InDense& A, const OptionalVector<double>& shift, const InMatrix<double>& B,
                   const OutMatrix<double>& out, bool is_transposed)
      : view(A.view()) {
    const std::int64_t n = n_rows_of(view), p = n_cols_of(view);
    require_entries(p, "shift must have one entry per column of A", shift);
    require(has_shape(is_transposed ? n : p, B.shape(1), B), "B does not fit A");
    require(has_shape(is_transposed ? p : n, B.shape(1), out), "out does not fit A and B");
  }

  AnyDense view;
};

void matrix_product(const InDense& A, const OptionalVector<double>& shift,
                    const InMatrix<double>& B, const OutMatrix<double>& out, const Context& ctx) {
  const ProductArguments given(A, shift, B, out, false);
  const auto by = or_empty(shift);
  const auto right = matrix(B);
  const auto result = matrix(out);
  const ReleasedGil nogil;
  std::visit([&](const auto& rows) { linalg::product(rows, by, right, result, ctx); }, given.view);
}

void cross_product(const InDense& A, const OptionalVector<double>& shift, const InMatrix<double>& B,
                   const OutMatrix<double>& out, const Context& ctx) {
  const ProductArguments given(A, shift, B, out, true);
  const auto by = or_empty(shift);
  const auto right = matrix(B);
  const auto result = matrix(out);
  const ReleasedGil nogil;
  std::visit([&](const auto& rows) { linalg::cross_product(rows, by, right, result, ctx); },
             given.view);
}

template <class Rows>
void column_means(const Rows& X, const OptionalVector<double>& weight, const OutVector<double>& out,
                  const Context& ctx) {
  const auto view = X.view();
  require_entries(n_rows_of(view), "weight must have one entry per row of X", weight);
  require_entries(n_cols_of(view), "out must have one entry per column of X", out);
  const ReleasedGil nogil;
  visit_rows(
      view, [&](const auto& rows) { linalg::column_means(rows, or_empty(weight), vec(out), ctx); });
}

void gather_rows(const InDense& X, const InVector<std::int64_t>& rows, const OutDense& out,
                 const Context& ctx) {
  std::visit(
      [&]<class View>(const View& all) {
        const auto taken = vec(rows);
        const auto result = out_matrix<typename View::Number>(out);
        require(result.n_rows == static_cast<std::int64_t>(taken.size()) &&
                    result.n_cols == all.n_cols && result.is_c_contiguous(),
                "out must have one row per entry of rows and the columns of X, C-contiguous");
        const ReleasedGil nogil;
        const bool is_inside = std::ranges::all_of(
            taken, [&](std::int64_t row) { return row >= 0 && row < all.n_rows; });
        require(is_inside, "rows must be numbers of rows of X");
        linalg::gather_rows(all, taken, result, ctx);
      },
      X.view());
}

double row_sum(const InVector<double>& values) {
  const ReleasedGil nogil;
  return sum_of_rows(vec(values));
}

bool all_finite(const InDense& X, const Context& ctx) {
  const auto view = X.view();
  const ReleasedGil nogil;
  return std::visit([&](const auto& rows) { return linalg::all_finite(rows, ctx); }, view);
}

template <class Dense, class Rows>
void bind_passes(nb::module_& m) {
  m.def("least_squares", &least_squares<Rows>, "X"_a, "Y"_a, "weight"_a, "alpha"_a, nb::kw_only(),
        "fit_intercept"_a, "coef"_a, "mean_x"_a, "mean_y"_a, "sums"_a, "gram"_a, "kernel"_a,
        "ctx"_a,
        "Fit ridge regression (alpha may be zero) through a Gram matrix; see LeastSquaresInfo.");
  m.def("least_squares_gradient", &least_squares_gradient<Rows>, "X"_a, "Y"_a, "weight"_a, "coef"_a,
        "mean_x"_a, "mean_y"_a, nb::kw_only(), "gradient"_a, "rss"_a, "ctx"_a,
        "gradient = (X - mean_x)' W R with R = Y - mean_y - (X - mean_x) coef.");
  m.def("column_means", &column_means<Dense>, "X"_a, "weight"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "Weighted means of the columns.");
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
  m.def("extended_residuals", &extended_residuals, "X"_a, "Y"_a, "root_weight"_a, "coef"_a,
        "intercept"_a, "residual"_a, nb::kw_only(), "f"_a, "g"_a, "g0"_a, "ctx"_a,
        "Residuals of the augmented least-squares system, summed in doubled precision.");
  bind_passes<InDense, InRows>(m);
  bind_passes<InBlocks, InBlocks>(m);
  m.def("affine_predict", &affine_predict, "X"_a, "coef"_a, "intercept"_a, nb::kw_only(), "out"_a,
        "ctx"_a, "out = X @ coef + intercept.");
  m.def("matrix_product", &matrix_product, "A"_a, "shift"_a, "B"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "out = (A - shift) B, of few columns.");
  m.def("cross_product", &cross_product, "A"_a, "shift"_a, "B"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "out = (A - shift)' B, of few columns, summed over tiles of rows.");
  m.def("gather_rows", &gather_rows, "X"_a, "rows"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "out = X[rows].");
  m.def("row_sum", &row_sum, "values"_a, "The sum of a number for each row, by tiles of rows.");
  m.def("all_finite", &all_finite, "X"_a, nb::kw_only(), "ctx"_a,
        "Whether X holds neither NaN nor infinity.");
}

}  // namespace gramian
