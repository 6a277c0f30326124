#include "linalg/blas.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"

namespace gramian::blas {

namespace {

template <class T>
T* mutable_pointer(const T* data) {  // Fortran knows no const
  return const_cast<T*>(data);
}

template <class Letter>
char letter_of(Letter letter) {
  return static_cast<char>(letter);
}

void require_shape(bool condition, const char* routine) {
  if (!condition)
    throw InvalidArgument(std::string("the shapes of ") + routine + "'s arguments do not fit");
}

// info < 0: argument -info was refused, which happens for NaN in some routines.
void require_accepted(int info, const char* routine) {
  if (info < 0)
    throw InvalidArgument(std::string(routine) + " refused its argument " + std::to_string(-info) +
                          "; it may hold NaN or infinity");
}

void require_converged(int info, const char* routine) {
  require_accepted(info, routine);
  if (info > 0) throw std::runtime_error(std::string(routine) + " did not converge");
}

int workspace_size(double answer) {
  if (!(answer < static_cast<double>(std::numeric_limits<int>::max())))
    throw InvalidArgument("the matrix is too large for LAPACK with 32-bit sizes");
  return std::max(1, static_cast<int>(answer));
}

// Asks `call` for the size of its workspace, then runs it with that.
template <class Call>
void run_with_workspace(Call&& call) {
  double answer = 0.0;
  call(&answer, -1);
  std::vector<double> work(static_cast<std::size_t>(workspace_size(answer)));
  call(work.data(), static_cast<int>(work.size()));
}

// The same for a workspace of doubles and one of integers.
template <class Call>
void run_with_workspaces(Call&& call) {
  double answer = 0.0;
  int n_integers = 0;
  call(&answer, -1, &n_integers, -1);
  std::vector<double> work(static_cast<std::size_t>(workspace_size(answer)));
  std::vector<int> integers(static_cast<std::size_t>(std::max(1, n_integers)));
  call(work.data(), static_cast<int>(work.size()), integers.data(),
       static_cast<int>(integers.size()));
}

template <class T>
int n_rows_of(Op op, const ColumnMajor<const T>& a) {
  return op == Op::none ? a.n_rows : a.n_cols;
}

template <class T>
int n_cols_of(Op op, const ColumnMajor<const T>& a) {
  return op == Op::none ? a.n_cols : a.n_rows;
}

std::size_t smaller_side(ColumnMajor<const double> a) {
  return static_cast<std::size_t>(std::min(a.n_rows, a.n_cols));
}

}  // namespace

template <class T>
ColumnMajor<T> column_major(const MatrixView<T>& view) {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  const std::int64_t ld = view.n_cols <= 1 ? std::max<std::int64_t>(view.n_rows, 1)
                                           : std::max<std::int64_t>(view.col_stride, 1);
  if (!view.has_contiguous_cols() || ld < view.n_rows)
    throw InvalidArgument("BLAS needs matrices with contiguous columns");
  if (view.n_rows > kMax || view.n_cols > kMax || ld > kMax)
    throw InvalidArgument("the matrix is too large for BLAS with 32-bit sizes");
  return {view.data, static_cast<int>(view.n_rows), static_cast<int>(view.n_cols),
          static_cast<int>(ld)};
}

template ColumnMajor<float> column_major(const MatrixView<float>&);
template ColumnMajor<double> column_major(const MatrixView<double>&);
template ColumnMajor<const float> column_major(const MatrixView<const float>&);
template ColumnMajor<const double> column_major(const MatrixView<const double>&);

template <class T>
void gemm(Op op_a, Op op_b, T alpha, std::type_identity_t<ColumnMajor<const T>> a,
          std::type_identity_t<ColumnMajor<const T>> b, T beta, ColumnMajor<T> c) {
  int k = n_cols_of(op_a, a);
  require_shape(
      n_rows_of(op_a, a) == c.n_rows && n_cols_of(op_b, b) == c.n_cols && n_rows_of(op_b, b) == k,
      "gemm");
  char ta = letter_of(op_a), tb = letter_of(op_b);
  T* pa = mutable_pointer(a.data);
  T* pb = mutable_pointer(b.data);
  if constexpr (std::is_same_v<T, double>)
    table().dgemm(&ta, &tb, &c.n_rows, &c.n_cols, &k, &alpha, pa, &a.ld, pb, &b.ld, &beta, c.data,
                  &c.ld);
  else
    table().sgemm(&ta, &tb, &c.n_rows, &c.n_cols, &k, &alpha, pa, &a.ld, pb, &b.ld, &beta, c.data,
                  &c.ld);
}

template void gemm(Op, Op, double, ColumnMajor<const double>, ColumnMajor<const double>, double,
                   ColumnMajor<double>);
template void gemm(Op, Op, float, ColumnMajor<const float>, ColumnMajor<const float>, float,
                   ColumnMajor<float>);

void syrk(Triangle triangle, Op op, double alpha, ColumnMajor<const double> a, double beta,
          ColumnMajor<double> c) {
  require_shape(c.n_rows == c.n_cols && n_rows_of(op, a) == c.n_rows, "syrk");
  char uplo = letter_of(triangle), trans = letter_of(op);
  int k = n_cols_of(op, a);
  table().dsyrk(&uplo, &trans, &c.n_rows, &k, &alpha, mutable_pointer(a.data), &a.ld, &beta, c.data,
                &c.ld);
}

void trsm(Side side, Triangle triangle, Op op, double alpha, ColumnMajor<const double> a,
          ColumnMajor<double> b) {
  require_shape(a.n_rows == a.n_cols && a.n_rows == (side == Side::left ? b.n_rows : b.n_cols),
                "trsm");
  char left = letter_of(side), uplo = letter_of(triangle), trans = letter_of(op), diag = 'N';
  table().dtrsm(&left, &uplo, &trans, &diag, &b.n_rows, &b.n_cols, &alpha, mutable_pointer(a.data),
                &a.ld, b.data, &b.ld);
}

void trsv(Triangle triangle, Op op, ColumnMajor<const double> a, std::span<double> x) {
  require_shape(a.n_rows == a.n_cols && x.size() == static_cast<std::size_t>(a.n_rows), "trsv");
  char uplo = letter_of(triangle), trans = letter_of(op), diag = 'N';
  int step = 1;
  table().dtrsv(&uplo, &trans, &diag, &a.n_rows, mutable_pointer(a.data), &a.ld, x.data(), &step);
}

int trtrs(Triangle triangle, Op op, ColumnMajor<const double> a, ColumnMajor<double> b) {
  require_shape(a.n_rows == a.n_cols && a.n_rows == b.n_rows, "trtrs");
  char uplo = letter_of(triangle), trans = letter_of(op), diag = 'N';
  int info = 0;
  table().dtrtrs(&uplo, &trans, &diag, &b.n_rows, &b.n_cols, mutable_pointer(a.data), &a.ld, b.data,
                 &b.ld, &info);
  require_accepted(info, "trtrs");
  return info;
}

template <class T>
int potrf(Triangle triangle, ColumnMajor<T> a) {
  require_shape(a.n_rows == a.n_cols, "potrf");
  char uplo = letter_of(triangle);
  int info = 0;
  if constexpr (std::is_same_v<T, double>)
    table().dpotrf(&uplo, &a.n_rows, a.data, &a.ld, &info);
  else
    table().spotrf(&uplo, &a.n_rows, a.data, &a.ld, &info);
  require_accepted(info, "potrf");
  return info;
}

template int potrf(Triangle, ColumnMajor<double>);
template int potrf(Triangle, ColumnMajor<float>);

template <class T>
void potrs(Triangle triangle, std::type_identity_t<ColumnMajor<const T>> factor, ColumnMajor<T> b) {
  require_shape(factor.n_rows == factor.n_cols && factor.n_rows == b.n_rows, "potrs");
  char uplo = letter_of(triangle);
  int info = 0;
  T* l = mutable_pointer(factor.data);
  if constexpr (std::is_same_v<T, double>)
    table().dpotrs(&uplo, &b.n_rows, &b.n_cols, l, &factor.ld, b.data, &b.ld, &info);
  else
    table().spotrs(&uplo, &b.n_rows, &b.n_cols, l, &factor.ld, b.data, &b.ld, &info);
  require_accepted(info, "potrs");
}

template void potrs(Triangle, ColumnMajor<const double>, ColumnMajor<double>);
template void potrs(Triangle, ColumnMajor<const float>, ColumnMajor<float>);

int potri(Triangle triangle, ColumnMajor<double> factor) {
  require_shape(factor.n_rows == factor.n_cols, "potri");
  char uplo = letter_of(triangle);
  int info = 0;
  table().dpotri(&uplo, &factor.n_rows, factor.data, &factor.ld, &info);
  require_accepted(info, "potri");
  return info;
}

double pocon(Triangle triangle, ColumnMajor<const double> factor, double norm) {
  require_shape(factor.n_rows == factor.n_cols, "pocon");
  char uplo = letter_of(triangle);
  int info = 0;
  double rcond = 0.0;
  std::vector<double> work(3 * smaller_side(factor) + 1);
  std::vector<int> integers(smaller_side(factor) + 1);
  table().dpocon(&uplo, &factor.n_rows, mutable_pointer(factor.data), &factor.ld, &norm, &rcond,
                 work.data(), integers.data(), &info);
  require_accepted(info, "pocon");
  return rcond;
}

void geqrf(ColumnMajor<double> a, std::span<double> tau) {
  require_shape(tau.size() == smaller_side(a), "geqrf");
  run_with_workspace([&](double* work, int size) {
    int info = 0;
    table().dgeqrf(&a.n_rows, &a.n_cols, a.data, &a.ld, tau.data(), work, &size, &info);
    require_accepted(info, "geqrf");
  });
}

void ormqr(Side side, Op op, ColumnMajor<const double> qr, std::span<const double> tau,
           ColumnMajor<double> c) {
  require_shape(
      tau.size() <= smaller_side(qr) && qr.n_rows == (side == Side::left ? c.n_rows : c.n_cols),
      "ormqr");
  run_with_workspace([&](double* work, int size) {
    char left = letter_of(side), trans = letter_of(op);
    int k = static_cast<int>(tau.size()), info = 0;
    table().dormqr(&left, &trans, &c.n_rows, &c.n_cols, &k, mutable_pointer(qr.data), &qr.ld,
                   mutable_pointer(tau.data()), c.data, &c.ld, work, &size, &info);
    require_accepted(info, "ormqr");
  });
}

int gelsd(ColumnMajor<double> a, ColumnMajor<double> b, std::span<double> singular, double rcond) {
  require_shape(singular.size() == smaller_side(a) && b.n_rows == std::max(a.n_rows, a.n_cols),
                "gelsd");
  int rank = 0;
  run_with_workspaces([&](double* work, int size, int* integers, int) {
    int info = 0;
    table().dgelsd(&a.n_rows, &a.n_cols, &b.n_cols, a.data, &a.ld, b.data, &b.ld, singular.data(),
                   &rcond, &rank, work, &size, integers, &info);
    require_converged(info, "gelsd");
  });
  return rank;
}

namespace {

void gesdd_as(char job, ColumnMajor<double> a, std::span<double> singular, ColumnMajor<double> u,
              ColumnMajor<double> vt) {
  std::vector<int> integers(8 * smaller_side(a) + 1);
  run_with_workspace([&](double* work, int size) {
    int info = 0;
    table().dgesdd(&job, &a.n_rows, &a.n_cols, a.data, &a.ld, singular.data(), u.data, &u.ld,
                   vt.data, &vt.ld, work, &size, integers.data(), &info);
    require_converged(info, "gesdd");
  });
}

}  // namespace

void gesdd(ColumnMajor<double> a, std::span<double> singular, ColumnMajor<double> u,
           ColumnMajor<double> vt) {
  const int k = std::min(a.n_rows, a.n_cols);
  require_shape(singular.size() == smaller_side(a) && u.n_rows == a.n_rows && u.n_cols == k &&
                    vt.n_rows == k && vt.n_cols == a.n_cols,
                "gesdd");
  gesdd_as('S', a, singular, u, vt);
}

void gesdd(ColumnMajor<double> a, std::span<double> singular) {
  require_shape(singular.size() == smaller_side(a), "gesdd");
  double unused = 0.0;
  gesdd_as('N', a, singular, {&unused, 1, 1, 1}, {&unused, 1, 1, 1});
}

void syevd(Triangle triangle, ColumnMajor<double> a, std::span<double> eigenvalues) {
  require_shape(a.n_rows == a.n_cols && eigenvalues.size() == smaller_side(a), "syevd");
  run_with_workspaces([&](double* work, int size, int* integers, int n_integers) {
    char job = 'V', uplo = letter_of(triangle);
    int info = 0;
    table().dsyevd(&job, &uplo, &a.n_rows, a.data, &a.ld, eigenvalues.data(), work, &size, integers,
                   &n_integers, &info);
    require_converged(info, "syevd");
  });
}

double lange(Norm norm, ColumnMajor<const double> a) {
  char kind = letter_of(norm);
  std::vector<double> work(static_cast<std::size_t>(std::max(1, a.n_rows)));
  return table().dlange(&kind, &a.n_rows, &a.n_cols, mutable_pointer(a.data), &a.ld, work.data());
}

double lansy(Norm norm, Triangle triangle, ColumnMajor<const double> a) {
  require_shape(a.n_rows == a.n_cols, "lansy");
  char kind = letter_of(norm), uplo = letter_of(triangle);
  std::vector<double> work(static_cast<std::size_t>(std::max(1, a.n_rows)));
  return table().dlansy(&kind, &uplo, &a.n_rows, mutable_pointer(a.data), &a.ld, work.data());
}

}  // namespace gramian::blas
