// Non-negative factorizations: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "bindings/binding.hpp"
#include "solve/nmf/beta.hpp"
#include "solve/nmf/sampled.hpp"
#include "solve/nmf/sweeps.hpp"

namespace gramian {
namespace {

double nmf_sweeps(const InMatrix<double>& gram, const InMatrix<double>& cross,
                  const InVector<std::int64_t>& order, std::int64_t n_sweeps, double shrink,
                  const OutMatrix<double>& factor, const Context& ctx) {
  const auto n = factor.shape(0), k = gram.shape(0);
  require(gram.shape(1) == k, "gram must be square");
  require(cross.shape(0) == n && cross.shape(1) == k, "cross must have the shape of factor");
  require(factor.shape(1) == k, "factor must have one column per column of gram");
  require_entries(k, "order must have one entry per column of gram", order);
  const auto coordinates = vec(order);
  require(
      std::ranges::all_of(
          coordinates, [&](std::int64_t t) { return t >= 0 && t < static_cast<std::int64_t>(k); }),
      "order must hold coordinates");
  const auto products = matrix(gram), right = matrix(cross);
  const auto rows = matrix(factor);
  const ReleasedGil nogil;
  return solve::sweep_rows(products, right, coordinates, n_sweeps, shrink, rows, ctx);
}

// The factors of X, of matching shapes.
template <class View>
solve::BetaFactors factors_of(const View& X, const InMatrix<double>& W, const InMatrix<double>& H,
                              double beta, double least) {
  const solve::BetaFactors factors{matrix(W), matrix(H), beta, least};
  require(factors.W.n_rows == X.n_rows && factors.H.n_cols == X.n_cols &&
              factors.W.n_cols == factors.H.n_rows && factors.W.n_cols > 0,
          "W and H must have the rows and columns of X, and share their others");
  return factors;
}

void nmf_row_terms(const InDense& X, const InMatrix<double>& W, const InMatrix<double>& H,
                   double beta, double least, const OutMatrix<double>& numerator,
                   const OutMatrix<double>& denominator, const Context& ctx) {
  std::visit(
      [&](const auto& view) {
        const auto factors = factors_of(view, W, H, beta, least);
        require(has_shape(W.shape(0), W.shape(1), numerator) &&
                    has_shape(W.shape(0), W.shape(1), denominator),
                "the terms must have the shape of W");
        const solve::BetaTerms out{matrix(numerator), matrix(denominator)};
        const ReleasedGil nogil;
        solve::beta_row_terms(view, factors, out, ctx);
      },
      X.view());
}

void nmf_column_terms(const InDense& X, const InMatrix<double>& W, const InMatrix<double>& H,
                      double beta, double least, const OutMatrix<double>& numerator,
                      const OutMatrix<double>& denominator, const Context& ctx) {
  std::visit(
      [&](const auto& view) {
        const auto factors = factors_of(view, W, H, beta, least);
        require(has_shape(H.shape(0), H.shape(1), numerator) &&
                    has_shape(H.shape(0), H.shape(1), denominator),
                "the terms must have the shape of H");
        const solve::BetaTerms out{matrix(numerator), matrix(denominator)};
        const ReleasedGil nogil;
        solve::beta_column_terms(view, factors, out, ctx);
      },
      X.view());
}

double nmf_divergence(const InDense& X, const InMatrix<double>& W, const InMatrix<double>& H,
                      double beta, double least, const Context& ctx) {
  return std::visit(
      [&](const auto& view) {
        const auto factors = factors_of(view, W, H, beta, least);
        const ReleasedGil nogil;
        return solve::beta_divergence(view, factors, ctx);
      },
      X.view());
}

template <class Index>
void sampled_product(const InVector<Index>& indptr, const InVector<Index>& indices,
                     const InMatrix<double>& W, const InMatrix<double>& Ht,
                     const OutVector<double>& out, const Context& ctx) {
  const auto starts = vec(indptr), columns = vec(indices);
  const auto left = matrix(W), right = matrix(Ht);
  const auto values = vec(out);
  require(left.n_cols == right.n_cols, "W and Ht must have the same number of columns");
  require(starts.size() == static_cast<std::size_t>(left.n_rows) + 1 && starts.front() == 0 &&
              static_cast<std::size_t>(starts.back()) == columns.size() &&
              std::ranges::is_sorted(starts),
          "indptr must have one more entry than W has rows, and count the indices");
  require(values.size() == columns.size(), "out must have one entry per index");
  require(std::ranges::all_of(columns, [&](Index j) { return j >= 0 && j < right.n_rows; }),
          "indices must be rows of Ht");
  const ReleasedGil nogil;
  solve::sampled_product(starts, columns, left, right, values, ctx);
}

}  // namespace

void bind_nmf(nb::module_& m) {
  m.def("nmf_sweeps", &nmf_sweeps, "gram"_a, "cross"_a, "order"_a, nb::kw_only(), "n_sweeps"_a,
        "shrink"_a, "factor"_a, "ctx"_a,
        "Coordinate descent on w'Gw / 2 - c'w over w >= 0 for each row w of factor; returns the "
        "sum of the projected gradients that the first sweep met.");
  m.def("nmf_row_terms", &nmf_row_terms, "X"_a, "W"_a, "H"_a, nb::kw_only(), "beta"_a, "least"_a,
        "numerator"_a, "denominator"_a, "ctx"_a,
        "Numerator and denominator of the multiplicative update of W.");
  m.def("nmf_column_terms", &nmf_column_terms, "X"_a, "W"_a, "H"_a, nb::kw_only(), "beta"_a,
        "least"_a, "numerator"_a, "denominator"_a, "ctx"_a,
        "Numerator and denominator of the multiplicative update of H.");
  m.def("nmf_divergence", &nmf_divergence, "X"_a, "W"_a, "H"_a, nb::kw_only(), "beta"_a, "least"_a,
        "ctx"_a, "The beta divergence of X from W H.");
  m.def("sampled_product", &sampled_product<std::int32_t>, "indptr"_a, "indices"_a, "W"_a, "Ht"_a,
        nb::kw_only(), "out"_a, "ctx"_a, "The entries of W Ht' where a sparse matrix has some.");
  m.def("sampled_product", &sampled_product<std::int64_t>, "indptr"_a, "indices"_a, "W"_a, "Ht"_a,
        nb::kw_only(), "out"_a, "ctx"_a);
}

}  // namespace gramian
