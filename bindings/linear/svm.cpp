// Support vector machines: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "solve/svm/svm.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "bindings/binding.hpp"

namespace gramian {
namespace {

using kernel::Function;
using kernel::Kind;
using kernel::Source;

Function function_of(std::string_view name, double gamma, double coef0, std::int64_t degree) {
  require(degree >= 0, "degree must not be negative");
  const auto kind = named<Kind>({{"linear", Kind::linear},
                                 {"poly", Kind::poly},
                                 {"rbf", Kind::rbf},
                                 {"sigmoid", Kind::sigmoid},
                                 {"laplacian", Kind::laplacian},
                                 {"cosine", Kind::cosine},
                                 {"chi2", Kind::chi2}},
                                name, "the kernel is not one of the core's");
  return {kind, gamma, coef0, degree};
}

void require_precision(std::string_view name) {
  require(name == "single" || name == "rounded" || name == "double",
          "precision must be 'single', 'rounded' or 'double'");
}

// The variables of all machines, and how they are solved for.
struct Machines {
  solve::SvmMachines all;
  solve::SmoOptions options;
  double* results;  // of each: n_iter, gap, rho, margin, converged, timed out, feasible

  Machines(const InVector<std::int64_t>& rows, const InVector<std::int64_t>& starts,
           const InVector<double>& sign, const InVector<double>& linear,
           const InVector<double>& upper, bool by_sign, bool has_intercept,
           const OutVector<double>& alpha, const OutVector<double>& f,
           const OutMatrix<double>& reached)
      : all{vec(rows),
            vec(starts),
            1,
            {vec(sign), vec(linear), vec(upper), by_sign, vec(alpha), vec(f), has_intercept}},
        results(reached.data()) {
    const std::size_t n = rows.shape(0), n_variables = sign.shape(0);
    require(n > 0 && n_variables > 0 && n_variables % n == 0,
            "sign must have one or two entries per row");
    all.copies = static_cast<std::int64_t>(n_variables / n);
    require_entries(n_variables, "linear, upper, alpha and f must be as long as sign", linear,
                    upper, alpha, f);
    require(starts.shape(0) >= 2 && all.starts.front() == 0 &&
                all.starts.back() == static_cast<std::int64_t>(n) &&
                std::is_sorted(all.starts.begin(), all.starts.end()),
            "starts must ascend from 0 to the number of rows");
    require(has_shape(starts.shape(0) - 1, 7, reached) && matrix(reached).is_c_contiguous(),
            "reached must be n_machines x 7, C-contiguous");
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
      *out++ = result.feasible ? 1.0 : 0.0;
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
      bool by_sign, bool has_intercept, double tol, std::int64_t max_iter, double cache_mb,     \
      bool shrinking, std::string_view precision, const OutVector<double>&alpha,                \
      const OutVector<double>&f, const OutMatrix<double>&reached, const Context &ctx

#define GRAMIAN_MACHINE_ARGUMENTS                                                                 \
  "rows"_a, "starts"_a, "sign"_a, "linear"_a, "upper"_a, "by_sign"_a, "has_intercept"_a, "tol"_a, \
      "max_iter"_a, "cache_mb"_a, "shrinking"_a, "precision"_a, "alpha"_a, "f"_a, "reached"_a,    \
      "ctx"_a

#define GRAMIAN_MAKE_MACHINES                                                                      \
  require_precision(precision);                                                                    \
  Machines machines(rows, starts, sign, linear, upper, by_sign, has_intercept, alpha, f, reached); \
  machines.options = {tol, max_iter, cache_mb * 1e6, shrinking}

void require_shift(const InVector<double>& shift, const AnyMatrix& X) {
  const auto n = static_cast<std::int64_t>(shift.shape(0));
  require(n == 0 || (n == n_cols_of(X) && !is_sparse(X)),
          "shift must be empty, or have one entry per column of a dense X");
}

template <class T>
std::unique_ptr<Source<T>> source_of(const Function& function, const AnyMatrix& X,
                                     std::span<const double> shift, const Context& ctx) {
  return std::visit(
      [&]<class View>(const View& rows) {
        if constexpr (kIsSparse<View>)
          return kernel::sparse_source<T>(function, rows, ctx);
        else
          return kernel::dense_source<T>(function, rows, shift, ctx);
      },
      X);
}

void svm(const InRows& X, const InVector<double>& shift, std::string_view kernel, double gamma,
         double coef0, std::int64_t degree, GRAMIAN_MACHINES) {
  GRAMIAN_MAKE_MACHINES;
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto view = X.view();
  require_shift(shift, view);
  machines.require_rows_below(n_rows_of(view));
  const ReleasedGil nogil;
  if (precision == "single")
    machines.solve(*source_of<float>(function, view, vec(shift), ctx), ctx);
  else
    machines.solve(source_of<double>(function, view, vec(shift), ctx), precision, ctx);
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

// Rows begin .. end of a matrix.
AnyMatrix part_of(const AnyMatrix& X, std::int64_t begin, std::int64_t end) {
  return std::visit([&](const auto& rows) { return AnyMatrix(rows.rows(begin, end)); }, X);
}

// The centres in groups, each of which has sums of its own.
struct CentreGroups {
  std::span<const std::int64_t> ends;
  MatrixView<const double> shift;  // a row for each group
  MatrixView<const double> coef;   // a column for each centre
};

template <class T>
void add_sums(const Function& function, const AnyMatrix& X, const AnyMatrix& centres,
              const CentreGroups& groups, double* out, const Context& ctx) {
  const std::int64_t n_sums = groups.coef.n_rows * n_rows_of(X);
  std::vector<std::int64_t> all;
  std::int64_t begin = 0;
  for (std::int64_t g = 0; g < std::ssize(groups.ends); ++g, out += n_sums) {
    const std::int64_t end = groups.ends[at(g)];
    if (begin == end) continue;
    const auto shift = groups.shift.row(g);
    const auto of = source_of<T>(function, part_of(centres, begin, end), shift, ctx);
    for (std::int64_t i = std::ssize(all); i < end - begin; ++i) all.push_back(i);
    source_of<T>(function, X, shift, ctx)
        ->add_sums(*of, std::span(all).first(at(end - begin)), groups.coef.cols(begin, end),
                   {out, at(n_sums)}, ctx);
    begin = end;
  }
}

void require_groups(const CentreGroups& groups, const AnyMatrix& centres) {
  const std::int64_t n = n_rows_of(centres);
  require(std::ranges::is_sorted(groups.ends) && !groups.ends.empty() && groups.ends.front() >= 0 &&
              groups.ends.back() == n,
          "ends must rise to the number of centres");
  require(groups.coef.is_c_contiguous() && groups.coef.n_cols == n,
          "coef must have one column per centre, C-contiguous");
  const std::int64_t n_shifted = groups.shift.n_cols;
  require(groups.shift.is_c_contiguous() && groups.shift.n_rows == std::ssize(groups.ends) &&
              (n_shifted == 0 || (n_shifted == n_cols_of(centres) && !is_sparse(centres))),
          "shift must have a row per group, empty or with one entry per column of a dense X");
}

void kernel_sums(const InRows& X, const InRows& centres, const InVector<std::int64_t>& ends,
                 const InMatrix<double>& shift, std::string_view kernel, double gamma, double coef0,
                 std::int64_t degree, const InMatrix<double>& coef, const OutMatrix<double>& out,
                 const Context& ctx) {
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto rows = X.view(), others = centres.view();
  require(n_cols_of(rows) == n_cols_of(others),
          "X and centres must have the same number of columns");
  require(holds_doubles(rows) == holds_doubles(others) && is_sparse(rows) == is_sparse(others),
          "X and centres must have the same dtype, and both be dense or both sparse");
  const CentreGroups groups{vec(ends), matrix(shift), matrix(coef)};
  require_groups(groups, others);
  require(matrix(out).is_c_contiguous() &&
              has_shape(groups.coef.n_rows * std::ssize(groups.ends), n_rows_of(rows), out),
          "out must have a row per group and row of coef, a column per row of X, C-contiguous");
  const ReleasedGil nogil;
  if (holds_doubles(rows))
    add_sums<double>(function, rows, others, groups, out.data(), ctx);
  else
    add_sums<float>(function, rows, others, groups, out.data(), ctx);
}

void kernel_values(const InRows& X, const std::optional<InRows>& Y, const InVector<double>& shift,
                   std::string_view kernel, double gamma, double coef0, std::int64_t degree,
                   const OutMatrix<double>& out, const Context& ctx) {
  const Function function = function_of(kernel, gamma, coef0, degree);
  const auto rows = X.view(), others = Y ? Y->view() : X.view();
  require(n_cols_of(rows) == n_cols_of(others), "X and Y must have the same number of columns");
  require(is_sparse(rows) == is_sparse(others), "X and Y must both be dense or both sparse");
  require_shift(shift, rows);
  require(has_shape(n_rows_of(rows), n_rows_of(others), out) && matrix(out).has_contiguous_rows(),
          "out must have a row per row of X and a column per row of Y, in contiguous rows");
  const ReleasedGil nogil;
  const auto at = source_of<double>(function, others, vec(shift), ctx);
  if (!Y) return at->values(*at, matrix(out), ctx);
  at->values(*source_of<double>(function, rows, vec(shift), ctx), matrix(out), ctx);
}

}  // namespace

void bind_svm(nb::module_& m) {
  m.def("svm", &svm, "X"_a, "shift"_a, nb::kw_only(), "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a,
        GRAMIAN_MACHINE_ARGUMENTS,
        "Solve the dual problems of support vector machines on parts of the rows of X. Sparse rows "
        "have sorted indices.");
  m.def("svm_gram", &svm_gram, "gram"_a, nb::kw_only(), GRAMIAN_MACHINE_ARGUMENTS,
        "svm for a kernel matrix given whole.");
  m.def("kernel_sums", &kernel_sums, "X"_a, "centres"_a, "ends"_a, "shift"_a, nb::kw_only(),
        "kernel"_a, "gamma"_a, "coef0"_a, "degree"_a, "coef"_a, "out"_a, "ctx"_a,
        "Add sum_s coef[o, s] K(x, centre s) over the centres of each group to out[group, o], for "
        "each row x of X. Group g ends before centre ends[g]. Sparse rows have sorted indices.");
  m.def("kernel_values", &kernel_values, "X"_a, "Y"_a, "shift"_a, nb::kw_only(), "kernel"_a,
        "gamma"_a, "coef0"_a, "degree"_a, "out"_a, "ctx"_a,
        "out = K(x, y) for the rows of X and those of Y, by default X. Sparse rows have sorted "
        "indices.");
}

}  // namespace gramian
