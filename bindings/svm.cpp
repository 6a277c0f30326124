// Support vector machines: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "solve/svm/svm.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using kernel::Function;
using kernel::Kind;
using kernel::Source;

Function function_of(std::string_view name, double gamma, double coef0, std::int64_t degree) {
  require(degree >= 0, "degree must not be negative");
  if (name == "linear") return {Kind::linear, gamma, coef0, degree};
  if (name == "poly") return {Kind::poly, gamma, coef0, degree};
  if (name == "rbf") return {Kind::rbf, gamma, coef0, degree};
  if (name == "sigmoid") return {Kind::sigmoid, gamma, coef0, degree};
  throw nb::value_error("the kernel is not one of the core's");
}

void require_precision(std::string_view name) {
  require(name == "single" || name == "rounded" || name == "double",
          "precision must be 'single', 'rounded' or 'double'");
}

// The variables of all machines, and how they are solved for.
struct Machines {
  solve::SvmMachines all;
  solve::SmoOptions options;
  double* results;  // of each: n_iter, gap, rho, margin, converged, timed out

  Machines(const InVector<std::int64_t>& rows, const InVector<std::int64_t>& starts,
           const InVector<double>& sign, const InVector<double>& linear,
           const InVector<double>& upper, bool by_sign, const OutVector<double>& alpha,
           const OutVector<double>& f, const OutMatrix<double>& reached)
      : all{vec(rows),
            vec(starts),
            1,
            {vec(sign), vec(linear), vec(upper), by_sign, vec(alpha), vec(f)}},
        results(reached.data()) {
    const std::size_t n = rows.shape(0), n_variables = sign.shape(0);
    require(n > 0 && n_variables > 0 && n_variables % n == 0,
            "sign must have one or two entries per row");
    all.copies = static_cast<std::int64_t>(n_variables / n);
    require(linear.shape(0) == n_variables && upper.shape(0) == n_variables &&
                alpha.shape(0) == n_variables && f.shape(0) == n_variables,
            "linear, upper, alpha and f must be as long as sign");
    require(starts.shape(0) >= 2 && all.starts.front() == 0 &&
                all.starts.back() == static_cast<std::int64_t>(n) &&
                std::is_sorted(all.starts.begin(), all.starts.end()),
            "starts must ascend from 0 to the number of rows");
    require(reached.shape(0) + 1 == starts.shape(0) && reached.shape(1) == 6 &&
                matrix(reached).is_c_contiguous(),
            "reached must be n_machines x 6, C-contiguous");
  }

  void require_rows_below(std::int64_t n) const {
    require(std::all_of(all.rows.begin(), all.rows.end(),
                        [&](std::int64_t i) { return i >= 0 && i < n; }),
            "rows must be numbers of rows of X");
  }

  template <class T>
  void solve(const Source<T>& source, const Context& ctx) const {
    double* out = results;
    for (const auto& result : solve::solve_machines(source, all, options, ctx)) {
      *out++ = static_cast<double>(result.n_iter);
      *out++ = result.gap;
      *out++ = result.rho;
      *out++ = result.margin;
      *out++ = result.converged ? 1.0 : 0.0;
      *out++ = result.timed_out ? 1.0 : 0.0;
    }
  }

  // "rounded": with kernels computed in double precision and kept in single.
  void solve(std::unique_ptr<Source<double>> source, std::string_view precision,
             const Context& ctx) const {
    if (precision == "rounded")
      solve(*kernel::rounded_source(std::move(source)), ctx);
    else
      solve(*source, ctx);
  }
};

#define GRAMIAN_MACHINES                                                                        \
  const InVector<std::int64_t>&rows, const InVector<std::int64_t>&starts,                       \
      const InVector<double>&sign, const InVector<double>&linear, const InVector<double>&upper, \
      bool by_sign, double tol, std::int64_t max_iter, double cache_mb, bool shrinking,         \
      std::string_view precision, const OutVector<double>&alpha, const OutVector<double>&f,     \
      const OutMatrix<double>&reached, const Context &ctx

#define GRAMIAN_MACHINE_ARGUMENTS                                                             \
  "rows"_a.noconvert(), "starts"_a.noconvert(), "sign"_a.noconvert(), "linear"_a.noconvert(), \
      "upper"_a.noconvert(), "by_sign"_a, "tol"_a, "max_iter"_a, "cache_mb"_a, "shrinking"_a, \
      "precision"_a, "alpha"_a.noconvert(), "f"_a.noconvert(), "reached"_a.noconvert(), "ctx"_a

#define GRAMIAN_MAKE_MACHINES                                                       \
  require_precision(precision);                                                     \
  Machines machines(rows, starts, sign, linear, upper, by_sign, alpha, f, reached); \
  machines.options = {tol, max_iter, cache_mb * 1e6, shrinking}

template <class S>
void svm_dense(const InMatrix<S>& X, const InVector<double>& shift, std::string_view kernel,
               double gamma, double coef0, std::int64_t degree, GRAMIAN_MACHINES) {
  GRAMIAN_MAKE_MACHINES;
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto view = matrix(X);
  require(shift.shape(0) == 0 || shift.shape(0) == X.shape(1),
          "shift must be empty, or have one entry per column of X");
  machines.require_rows_below(view.n_rows);
  const ReleasedGil nogil;
  if (precision == "single")
    machines.solve(*kernel::dense_source<float>(function, view, vec(shift), ctx), ctx);
  else
    machines.solve(kernel::dense_source<double>(function, view, vec(shift), ctx), precision, ctx);
}

template <class S, class Index>
void svm_csr(const InVector<S>& values, const InVector<Index>& indices,
             const InVector<Index>& indptr, std::int64_t n_cols, std::string_view kernel,
             double gamma, double coef0, std::int64_t degree, GRAMIAN_MACHINES) {
  GRAMIAN_MAKE_MACHINES;
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto view = csr(values, indices, indptr, n_cols);
  machines.require_rows_below(view.n_rows());
  const ReleasedGil nogil;
  if (precision == "single")
    machines.solve(*kernel::sparse_source<float>(function, view, ctx), ctx);
  else
    machines.solve(kernel::sparse_source<double>(function, view, ctx), precision, ctx);
}

void svm_gram(const InMatrix<double>& gram, GRAMIAN_MACHINES) {
  GRAMIAN_MAKE_MACHINES;
  const auto view = matrix(gram);
  require(view.n_rows == view.n_cols, "gram must be square");
  machines.require_rows_below(view.n_rows);
  const ReleasedGil nogil;
  if (precision == "single")
    machines.solve(*kernel::given_source<float>(view), ctx);
  else
    machines.solve(kernel::given_source<double>(view), precision, ctx);
}

template <class T>
void add_sums(const Source<T>& of, const Source<T>& at, MatrixView<const double> coef,
              const OutMatrix<double>& out, const Context& ctx) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(of.n_rows()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  at.add_sums(of, all, coef, {out.data(), out.size()}, ctx);
}

void require_sums(const InMatrix<double>& coef, const OutMatrix<double>& out, std::int64_t n_rows,
                  std::int64_t n_centres) {
  require(matrix(coef).is_c_contiguous() && static_cast<std::int64_t>(coef.shape(1)) == n_centres,
          "coef must have one column per centre, C-contiguous");
  require(matrix(out).is_c_contiguous() && out.shape(0) == coef.shape(0) &&
              static_cast<std::int64_t>(out.shape(1)) == n_rows,
          "out must have a row per row of coef and a column per row of X, C-contiguous");
}

template <class T>
void kernel_sums(const InMatrix<T>& X, const InMatrix<T>& centres, const InVector<double>& shift,
                 std::string_view kernel, double gamma, double coef0, std::int64_t degree,
                 const InMatrix<double>& coef, const OutMatrix<double>& out, const Context& ctx) {
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto rows = matrix(X), others = matrix(centres);
  require(rows.n_cols == others.n_cols, "X and centres must have the same number of columns");
  require(shift.shape(0) == 0 || shift.shape(0) == X.shape(1),
          "shift must be empty, or have one entry per column of X");
  require_sums(coef, out, rows.n_rows, others.n_rows);
  const ReleasedGil nogil;
  const auto of = kernel::dense_source<T>(function, others, vec(shift), ctx);
  const auto at = kernel::dense_source<T>(function, rows, vec(shift), ctx);
  add_sums(*of, *at, matrix(coef), out, ctx);
}

template <class T, class Index>
void kernel_sums_csr(const InVector<T>& values, const InVector<Index>& indices,
                     const InVector<Index>& indptr, const InVector<T>& centre_values,
                     const InVector<Index>& centre_indices, const InVector<Index>& centre_indptr,
                     std::int64_t n_cols, std::string_view kernel, double gamma, double coef0,
                     std::int64_t degree, const InMatrix<double>& coef,
                     const OutMatrix<double>& out, const Context& ctx) {
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto rows = csr(values, indices, indptr, n_cols);
  const auto others = csr(centre_values, centre_indices, centre_indptr, n_cols);
  require_sums(coef, out, rows.n_rows(), others.n_rows());
  const ReleasedGil nogil;
  const auto of = kernel::sparse_source<T>(function, others, ctx);
  const auto at = kernel::sparse_source<T>(function, rows, ctx);
  add_sums(*of, *at, matrix(coef), out, ctx);
}

template <class T>
void bind_dense(nb::module_& m) {
  m.def("svm_dense", &svm_dense<T>, "X"_a.noconvert(), "shift"_a.noconvert(), nb::kw_only(),
        "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, GRAMIAN_MACHINE_ARGUMENTS,
        "Solve the dual problems of support vector machines on parts of the rows of X.");
  m.def("kernel_sums", &kernel_sums<T>, "X"_a.noconvert(), "centres"_a.noconvert(),
        "shift"_a.noconvert(), nb::kw_only(), "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a,
        "coef"_a.noconvert(), "out"_a.noconvert(), "ctx"_a,
        "Add sum_s coef[o, s] K(x, centre s) of each row x of X to out[o].");
}

template <class T, class Index>
void bind_sparse(nb::module_& m) {
  m.def("svm_csr", &svm_csr<T, Index>, "values"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "n_cols"_a, nb::kw_only(), "kernel"_a, "gamma"_a, "coef0"_a,
        "degree"_a, GRAMIAN_MACHINE_ARGUMENTS, "svm_dense for a CSR matrix with sorted indices.");
  m.def("kernel_sums_csr", &kernel_sums_csr<T, Index>, "values"_a.noconvert(),
        "indices"_a.noconvert(), "indptr"_a.noconvert(), "centre_values"_a.noconvert(),
        "centre_indices"_a.noconvert(), "centre_indptr"_a.noconvert(), "n_cols"_a, nb::kw_only(),
        "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "coef"_a.noconvert(), "out"_a.noconvert(),
        "ctx"_a, "kernel_sums for CSR matrices with sorted indices.");
}

}  // namespace

void bind_svm(nb::module_& m) {
  bind_dense<double>(m);
  bind_dense<float>(m);
  bind_sparse<double, std::int32_t>(m);
  bind_sparse<double, std::int64_t>(m);
  bind_sparse<float, std::int32_t>(m);
  bind_sparse<float, std::int64_t>(m);
  m.def("svm_gram", &svm_gram, "gram"_a.noconvert(), nb::kw_only(), GRAMIAN_MACHINE_ARGUMENTS,
        "svm_dense for a kernel matrix given whole.");
}

}  // namespace gramian
