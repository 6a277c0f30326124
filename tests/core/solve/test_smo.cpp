// Kernels against their formulas, and sequential minimal optimisation against its own conditions.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "kernel/source.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/svm/smo.hpp"
#include "solve/svm/svm.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::kernel::Function;
using gramian::kernel::Kind;
using gramian::kernel::Source;
using gramian::solve::SmoOptions;
using gramian::solve::SmoProblem;
using gramian::solve::SmoResult;
using test::at;

namespace {

using Doubles = std::vector<double>;
using Numbers = std::vector<std::int64_t>;

double value(const Function& function, const double* x, const double* y, std::int64_t p) {
  double product = 0.0, square = 0.0;
  for (std::int64_t k = 0; k < p; ++k) {
    product += x[k] * y[k];
    square += (x[k] - y[k]) * (x[k] - y[k]);
  }
  switch (function.kind) {
    case Kind::linear:
      return product;
    case Kind::poly:
      return std::pow(function.gamma * product + function.coef0,
                      static_cast<double>(function.degree));
    case Kind::rbf:
      return std::exp(-function.gamma * square);
    case Kind::sigmoid:
      return std::tanh(function.gamma * product + function.coef0);
    default:
      break;  // tested by tile
  }
  return 0.0;
}

Numbers count_up(std::int64_t n) {
  Numbers all(at(n));
  for (std::int64_t i = 0; i < n; ++i) all[at(i)] = i;
  return all;
}

// The whole matrix, row by row.
template <class T>
std::vector<T> gram_of(const Source<T>& source, int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  const std::int64_t n = source.n_rows(), stride = gramian::kernel::padded(n);
  std::vector<T> out(at(n * stride));
  std::vector<T*> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.push_back(out.data() + i * stride);
  source.rows(count_up(n), rows, ctx);
  return out;
}

struct Csr {
  Doubles values;
  std::vector<std::int32_t> indices;
  std::vector<std::int32_t> indptr{0};
  std::int64_t p;

  Csr(const Doubles& X, std::int64_t n_cols) : p(n_cols) {
    for (std::size_t k = 0; k < X.size(); ++k) {
      if (X[k] != 0.0) {
        values.push_back(X[k]);
        indices.push_back(static_cast<std::int32_t>(k % at(p)));
      }
      if ((k + 1) % at(p) == 0) indptr.push_back(static_cast<std::int32_t>(values.size()));
    }
  }
  CsrView<double, std::int32_t> view() const { return {values, indices, indptr, p}; }
};

constexpr Function kFunctions[] = {{Kind::linear, 1.0, 0.0, 1},
                                   {Kind::poly, 0.5, 1.0, 3},
                                   {Kind::rbf, 0.3, 0.0, 3},
                                   {Kind::sigmoid, 0.2, -0.1, 3}};

struct Fit {
  Doubles alpha, f;
  SmoResult result;
};

// Two overlapping clouds of points, told apart.
Fit classify(std::int64_t n, const SmoOptions& options, int n_threads) {
  const Doubles X = test::normal_values(n * 3, 11);
  Doubles sign(at(n));
  for (std::int64_t i = 0; i < n; ++i) sign[at(i)] = X[at(3 * i)] + X[at(3 * i + 1)] > 0 ? 1 : -1;
  for (std::int64_t i = 0; i < n; i += 17) sign[at(i)] = -sign[at(i)];
  const auto source = gramian::kernel::dense_source<double>(
      kFunctions[2], MatrixView<const double>(X.data(), n, 3), {}, Context{});
  const Doubles linear(at(n), -1.0), upper(at(n), 2.0);
  Fit fit{Doubles(at(n), 0.0), Doubles(at(n)), {}};
  Context ctx;
  ctx.n_threads = n_threads;
  const SmoProblem problem{sign, linear, upper, false, fit.alpha, fit.f};
  fit.result = gramian::solve::smo(*source, problem, options, ctx);
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += sign[at(i)] * fit.alpha[at(i)];
  CHECK(std::abs(sum) < 1e-9 * static_cast<double>(n));
  return fit;
}

double largest_difference(const Doubles& a, const Doubles& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST(kernels_are_those_of_the_formulas) {
  for (const std::int64_t n : {1, 7, 530}) {
    const std::int64_t p = 5;
    const Doubles X = test::normal_values(n * p, 3);
    const MatrixView<const double> view(X.data(), n, p);
    for (const Function& function : kFunctions) {
      const auto exact = gramian::kernel::dense_source<double>(function, view, {}, Context{});
      const auto single = gramian::kernel::dense_source<float>(function, view, {}, Context{});
      const Doubles gram = gram_of(*exact, 1);
      const auto floats = gram_of(*single, 2);
      const std::int64_t stride = gramian::kernel::padded(n);
      bool is_right = true;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          const double wanted = value(function, &X[at(i * p)], &X[at(j * p)], p);
          const double scale = std::max(1.0, std::abs(wanted));
          is_right &= std::abs(gram[at(i * stride + j)] - wanted) < 1e-13 * scale;
          is_right &=
              std::abs(static_cast<double>(floats[at(i * stride + j)]) - wanted) < 2e-5 * scale;
          is_right &= gram[at(i * stride + j)] == gram[at(j * stride + i)];
        }
      CHECK(is_right);
    }
  }
}

TEST(sparse_kernels_are_the_dense_ones) {
  const std::int64_t n = 77, p = 9;
  Doubles X = test::normal_values(n * p, 4);
  for (double& x : X)
    if (x < 0.5) x = 0.0;
  const Csr sparse(X, p);
  for (const Function& function : kFunctions) {
    const auto dense = gramian::kernel::dense_source<double>(
        function, MatrixView<const double>(X.data(), n, p), {}, Context{});
    const auto given = gramian::kernel::sparse_source<double>(function, sparse.view(), Context{});
    const Numbers kept{3, 70, 12, 13};
    const Doubles all = gram_of(*given, 1), part = gram_of(*given->subset(kept), 1);
    const Doubles wanted = gram_of(*dense, 1);
    const std::int64_t stride = gramian::kernel::padded(n);
    bool is_same = true;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        is_same &= all[at(i * stride + j)] == wanted[at(i * stride + j)];
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        is_same &= part[at(i * 16 + j)] == wanted[at(kept[at(i)] * stride + kept[at(j)])];
    CHECK(is_same);
  }
}

TEST(sparse_kernels_of_absolute_values_and_angles_are_the_dense_ones) {
  const std::int64_t n = 77, p = 9;
  for (const Kind kind : {Kind::laplacian, Kind::cosine, Kind::chi2}) {
    const Function function{kind, 0.3, 0.0, 3};
    Doubles X = test::normal_values(n * p, 4);
    for (double& x : X)
      if (std::abs(x) < 0.5 || (kind == Kind::chi2 && x < 0.0)) x = 0.0;
    const Csr sparse(X, p);
    const MatrixView<const double> view(X.data(), n, p);
    const auto dense = gramian::kernel::dense_source<double>(function, view, {}, Context{});
    const auto given = gramian::kernel::sparse_source<double>(function, sparse.view(), Context{});
    const Numbers kept{3, 70, 12, 13};
    const Doubles all = gram_of(*given, 1), wanted = gram_of(*dense, 2);
    const Doubles part = gram_of(*given->subset(kept), 1);
    const std::int64_t stride = gramian::kernel::padded(n);
    bool is_same = true;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        is_same &= std::abs(all[at(i * stride + j)] - wanted[at(i * stride + j)]) < 1e-14;
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        is_same &= part[at(i * 16 + j)] == all[at(kept[at(i)] * stride + kept[at(j)])];
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        is_same &= all[at(i * stride + j)] == all[at(j * stride + i)] &&
                   wanted[at(i * stride + j)] == wanted[at(j * stride + i)];
    CHECK(is_same);
  }
}

TEST(smo_reaches_the_tolerance_with_any_cache_and_shrinking) {
  const std::int64_t n = 3000;
  SmoOptions options;
  options.tol = 1e-7;
  const Fit wanted = classify(n, options, 1);
  CHECK(wanted.result.converged && wanted.result.gap <= 1e-7);
  for (const bool shrinking : {false, true})
    for (const double cache : {1.0, 1e9}) {
      options.shrinking = shrinking;
      options.cache_bytes = cache;
      const Fit fit = classify(n, options, 2);
      CHECK(fit.result.converged && fit.result.gap <= 1e-7);
      CHECK(largest_difference(fit.f, wanted.f) < 1e-5);
      CHECK(std::abs(fit.result.rho - wanted.result.rho) < 1e-6);
    }
}

TEST(smo_gives_the_same_bits_for_any_number_of_threads) {
  SmoOptions options;
  const Fit one = classify(2500, options, 1), three = classify(2500, options, 3);
  CHECK(one.alpha == three.alpha);
  CHECK(one.f == three.f);
}

TEST(smo_stops_after_max_iter) {
  SmoOptions options;
  options.max_iter = 10;
  const Fit fit = classify(1500, options, 1);
  CHECK(fit.result.n_iter == 10);
  CHECK(!fit.result.converged);
}

TEST(machines_on_parts_are_solved_as_if_alone) {
  const std::int64_t n = 60;
  const Doubles X = test::normal_values(n * 2, 8);
  const auto source = gramian::kernel::dense_source<double>(
      kFunctions[2], MatrixView<const double>(X.data(), n, 2), {}, Context{});
  Numbers rows, starts{0};
  Doubles sign;
  for (const std::int64_t first : {0, 20, 40}) {
    for (std::int64_t i = 0; i < 40; ++i) {
      rows.push_back((first + i) % n);
      sign.push_back(i < 20 ? 1.0 : -1.0);
    }
    starts.push_back(static_cast<std::int64_t>(rows.size()));
  }
  const Doubles linear(rows.size(), -1.0), upper(rows.size(), 1.0);
  Doubles alpha(rows.size(), 0.0), f(rows.size());
  const gramian::solve::SvmMachines machines{
      rows, starts, 1, {sign, linear, upper, false, alpha, f}};
  const auto results = gramian::solve::solve_machines(*source, machines, {}, Context{});
  for (std::size_t t = 0; t < 3; ++t) {
    const std::span<const std::int64_t> own(rows.data() + starts[t], 40);
    const auto part = source->subset(own);
    Doubles a(40, 0.0), g(40);
    const SmoProblem problem{std::span(sign).subspan(40 * t, 40),
                             std::span(linear).first(40),
                             std::span(upper).first(40),
                             false,
                             a,
                             g};
    const SmoResult alone = gramian::solve::smo(*part, problem, {}, Context{});
    CHECK(alone.n_iter == results[t].n_iter && alone.rho == results[t].rho);
    CHECK(std::equal(a.begin(), a.end(), alpha.begin() + starts[t]));
  }
}
