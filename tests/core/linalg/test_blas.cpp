// The wrappers run against a real library if the environment variable GRAMIAN_TEST_BLAS names one
// (a shared library with BLAS and LAPACK); what needs none is always tested.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/blas.hpp"
#include "random/philox.hpp"

namespace blas = gramian::blas;
using blas::ColumnMajor;
using blas::Op;
using blas::Side;
using blas::Triangle;
using gramian::InvalidArgument;
using gramian::MatrixView;

namespace {

std::atomic<int> n_library_threads{6};
void set_threads(int n) { n_library_threads = n; }
int get_threads() { return n_library_threads; }

void* symbol(void* library, const std::string& name) {
  void* found = dlsym(library, ("scipy_" + name + "_").c_str());
  return found != nullptr ? found : dlsym(library, (name + "_").c_str());
}

void stand_in() {}

// Loads the library named by the environment, or stand-ins that must not be called.
bool load_library() {
  const char* path = std::getenv("GRAMIAN_TEST_BLAS");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW);
  if (path != nullptr && library == nullptr) throw std::runtime_error(dlerror());
  blas::Table table;
  for (const auto& function : blas::functions())
    blas::set_function(table, function.name,
                       library == nullptr ? reinterpret_cast<void*>(stand_in)
                                          : symbol(library, std::string(function.name)));
  blas::load(table, set_threads, get_threads);
  return library != nullptr;
}

bool has_library() {
  static const bool has = load_library();
  return has;
}

struct Matrix {
  int n_rows, n_cols;
  std::vector<double> values;

  Matrix(int rows, int cols)
      : n_rows(rows), n_cols(cols), values(static_cast<std::size_t>(rows * cols)) {}
  double& operator()(int i, int j) { return values[static_cast<std::size_t>(j * n_rows + i)]; }
  double operator()(int i, int j) const { return values[static_cast<std::size_t>(j * n_rows + i)]; }
  ColumnMajor<double> view() { return {values.data(), n_rows, n_cols, n_rows}; }
};

Matrix random_matrix(int n_rows, int n_cols, std::uint64_t seed) {
  gramian::Stream stream(seed, 0, 0);
  Matrix out(n_rows, n_cols);
  for (double& x : out.values) x = stream.normal();
  return out;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.n_rows, b.n_cols);
  for (int i = 0; i < a.n_rows; ++i)
    for (int j = 0; j < b.n_cols; ++j)
      for (int k = 0; k < a.n_cols; ++k) out(i, j) += a(i, k) * b(k, j);
  return out;
}

Matrix transpose(const Matrix& a) {
  Matrix out(a.n_cols, a.n_rows);
  for (int i = 0; i < a.n_rows; ++i)
    for (int j = 0; j < a.n_cols; ++j) out(j, i) = a(i, j);
  return out;
}

Matrix positive_definite(int n, std::uint64_t seed) {
  const Matrix a = random_matrix(2 * n, n, seed);
  return product(transpose(a), a);
}

bool is_close(const Matrix& a, const Matrix& b) {
  if (a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (!(std::abs(a.values[i] - b.values[i]) <= 1e-10)) return false;
  return true;
}

}  // namespace

TEST(blas_must_be_loaded_before_use) {
  if (!blas::is_loaded()) CHECK_THROWS(std::logic_error, blas::table());
  blas::Table incomplete;
  CHECK_THROWS(InvalidArgument, blas::load(incomplete, nullptr, nullptr));
  CHECK_THROWS(InvalidArgument, blas::set_function(incomplete, "zgemm", nullptr));
  has_library();
  CHECK(blas::is_loaded());
}

TEST(blas_functions_have_c_signatures) {
  for (const auto& function : blas::functions()) {
    if (function.name == "dpotrf")
      CHECK(function.signature == "void (char *, int *, d *, int *, int *)");
    if (function.name == "spotrf")
      CHECK(function.signature == "void (char *, int *, s *, int *, int *)");
    if (function.name == "dlange")
      CHECK(function.signature == "d (char *, int *, int *, d *, int *, d *)");
  }
}

TEST(single_threaded_blas_restores_the_number_of_threads) {
  has_library();
  n_library_threads = 6;
  {
    const blas::SingleThreadedBlas outer;
    CHECK(n_library_threads == 1);
    {
      const blas::SingleThreadedBlas inner;
      CHECK(n_library_threads == 1);
    }
    CHECK(n_library_threads == 1);
  }
  CHECK(n_library_threads == 6);
}

TEST(single_threaded_blas_from_several_threads) {
  has_library();
  n_library_threads = 6;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        const blas::SingleThreadedBlas guard;
        CHECK(n_library_threads == 1);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(n_library_threads == 6);
}

TEST(column_major_refuses_what_blas_cannot_read) {
  std::vector<double> memory(24);
  const MatrixView<double> c_order(memory.data(), 4, 6);
  CHECK_THROWS(InvalidArgument, blas::column_major(c_order));
  const auto transposed = blas::column_major(c_order.transposed());
  CHECK(transposed.n_rows == 6 && transposed.n_cols == 4 && transposed.ld == 6);
  const auto slice = blas::column_major(c_order.cols(1, 3).transposed());
  CHECK(slice.n_rows == 2 && slice.n_cols == 4 && slice.ld == 6);
  const MatrixView<double> reversed(memory.data() + 18, 6, 4, 1, -6);
  CHECK_THROWS(InvalidArgument, blas::column_major(reversed));
  CHECK(blas::column_major(MatrixView<double>(memory.data(), 5, 1, 1, 1)).ld == 5);
  CHECK_THROWS(InvalidArgument,
               blas::column_major(MatrixView<double>(memory.data(), 1LL << 31, 2, 1, 1LL << 31)));
}

TEST(wrappers_refuse_shapes_that_do_not_fit) {
  has_library();
  Matrix a(3, 2), b(3, 2), square(3, 3);
  std::vector<double> two(2);
  CHECK_THROWS(InvalidArgument,
               blas::gemm(Op::none, Op::none, 1.0, a.view(), b.view(), 0.0, square.view()));
  CHECK_THROWS(InvalidArgument, blas::potrf(Triangle::lower, a.view()));
  CHECK_THROWS(InvalidArgument, blas::trsv(Triangle::lower, Op::none, square.view(), two));
  CHECK_THROWS(InvalidArgument, blas::geqrf(square.view(), two));
  Matrix too_short(2, 1);
  CHECK_THROWS(InvalidArgument, blas::gelsd(a.view(), too_short.view(), two, 0.0));
  CHECK_THROWS(InvalidArgument, blas::syevd(Triangle::lower, square.view(), two));
}

TEST(products_and_triangular_solves) {
  if (!has_library()) return;
  Matrix a = random_matrix(5, 3, 1), b = random_matrix(4, 3, 2), c(5, 4);
  blas::gemm(Op::none, Op::transpose, 2.0, a.view(), b.view(), 0.0, c.view());
  Matrix expected = product(a, transpose(b));
  for (double& x : expected.values) x *= 2.0;
  CHECK(is_close(c, expected));

  Matrix gram(3, 3);
  blas::syrk(Triangle::lower, Op::transpose, 1.0, a.view(), 0.0, gram.view());
  const Matrix full = product(transpose(a), a);
  CHECK(std::abs(gram(2, 0) - full(2, 0)) < 1e-12 && gram(0, 2) == 0.0);

  Matrix lower = positive_definite(4, 3), x = random_matrix(4, 2, 4);
  CHECK(blas::potrf(Triangle::lower, lower.view()) == 0);
  for (int j = 1; j < 4; ++j)
    for (int i = 0; i < j; ++i) lower(i, j) = 0.0;
  CHECK(is_close(product(lower, transpose(lower)), positive_definite(4, 3)));
  Matrix y = product(lower, x);
  blas::trsm(Side::left, Triangle::lower, Op::none, 1.0, lower.view(), y.view());
  CHECK(is_close(y, x));
  y = product(transpose(lower), x);
  CHECK(blas::trtrs(Triangle::lower, Op::transpose, lower.view(), y.view()) == 0);
  CHECK(is_close(y, x));
  y = product(lower, x);
  blas::trsv(Triangle::lower, Op::none, lower.view(), std::span(y.values).first(4));
  CHECK(std::abs(y(3, 0) - x(3, 0)) < 1e-10);
}

TEST(cholesky_solves_inverts_and_estimates_the_condition) {
  if (!has_library()) return;
  const Matrix a = positive_definite(5, 5), x = random_matrix(5, 2, 6);
  Matrix factor = a, b = product(a, x);
  const double norm = blas::lansy(blas::Norm::one, Triangle::lower, factor.view());
  CHECK(std::abs(norm - blas::lange(blas::Norm::one, factor.view())) < 1e-12);
  CHECK(blas::potrf(Triangle::lower, factor.view()) == 0);
  blas::potrs(Triangle::lower, factor.view(), b.view());
  CHECK(is_close(b, x));
  const double rcond = blas::pocon(Triangle::lower, factor.view(), norm);
  CHECK(rcond > 0.0 && rcond <= 1.0);
  CHECK(blas::potri(Triangle::lower, factor.view()) == 0);
  for (int j = 1; j < 5; ++j)
    for (int i = 0; i < j; ++i) factor(i, j) = factor(j, i);
  const Matrix identity = product(a, factor);
  for (int i = 0; i < 5; ++i) CHECK(std::abs(identity(i, i) - 1.0) < 1e-10);

  Matrix indefinite = a;
  indefinite(2, 2) = -1.0;
  CHECK(blas::potrf(Triangle::lower, indefinite.view()) == 3);
}

TEST(single_precision_cholesky) {
  if (!has_library()) return;
  std::vector<float> a{4, 2, 2, 3}, b{8, 8}, c(4);
  const ColumnMajor<float> A{a.data(), 2, 2, 2};
  blas::gemm(Op::none, Op::none, 1.0f, A, A, 0.0f, ColumnMajor<float>{c.data(), 2, 2, 2});
  CHECK(c[0] == 20.0f && c[1] == 14.0f && c[3] == 13.0f);
  CHECK(blas::potrf(Triangle::lower, A) == 0);
  blas::potrs(Triangle::lower, A, ColumnMajor<float>{b.data(), 2, 1, 2});
  CHECK(std::abs(b[0] - 1.0f) < 1e-6f && std::abs(b[1] - 2.0f) < 1e-6f);
}

TEST(qr_least_squares) {
  if (!has_library()) return;
  Matrix a = random_matrix(6, 3, 7);
  const Matrix x = random_matrix(3, 1, 8);
  Matrix b = product(a, x);
  std::vector<double> tau(3);
  blas::geqrf(a.view(), tau);
  blas::ormqr(Side::left, Op::transpose, a.view(), tau, b.view());
  blas::trsv(Triangle::upper, Op::none, {a.values.data(), 3, 3, 6}, std::span(b.values).first(3));
  for (int i = 0; i < 3; ++i) CHECK(std::abs(b(i, 0) - x(i, 0)) < 1e-10);
}

TEST(gelsd_finds_the_rank_and_the_shortest_solution) {
  if (!has_library()) return;
  Matrix a = random_matrix(6, 3, 9);
  for (int i = 0; i < 6; ++i) a(i, 2) = a(i, 1);
  Matrix b = product(a, [] {
    Matrix x(3, 1);
    x.values = {1.0, 4.0, 0.0};
    return x;
  }());
  std::vector<double> singular(3);
  CHECK(blas::gelsd(a.view(), b.view(), singular, 1e-10) == 2);
  CHECK(std::abs(b(0, 0) - 1.0) < 1e-10);
  CHECK(std::abs(b(1, 0) - 2.0) < 1e-10 && std::abs(b(2, 0) - 2.0) < 1e-10);
}

TEST(svd_and_eigenvectors_rebuild_the_matrix) {
  if (!has_library()) return;
  const Matrix a = random_matrix(5, 3, 10);
  Matrix copy = a, u(5, 3), vt(3, 3);
  std::vector<double> singular(3), values_only(3), eigenvalues(3);
  blas::gesdd(copy.view(), singular, u.view(), vt.view());
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 5; ++i) u(i, j) *= singular[static_cast<std::size_t>(j)];
  CHECK(is_close(product(u, vt), a));
  copy = a;
  blas::gesdd(copy.view(), values_only);
  CHECK(std::abs(values_only[0] - singular[0]) < 1e-12);

  Matrix vectors = product(transpose(a), a);
  blas::syevd(Triangle::lower, vectors.view(), eigenvalues);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(std::abs(eigenvalues[k] - singular[2 - k] * singular[2 - k]) < 1e-10);
}

TEST(lapack_reports_nan_instead_of_hanging) {
  if (!has_library()) return;
  Matrix a = random_matrix(4, 4, 11);
  a(1, 2) = std::nan("");
  std::vector<double> singular(4);
  CHECK_THROWS(std::exception, blas::gesdd(a.view(), singular));
}
