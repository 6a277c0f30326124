// BLAS and LAPACK through function pointers that are handed in at run time, so that the core links
// to no BLAS of its own. Matrices are column-major with 32-bit sizes (LP64).
//
// OpenBLAS gives other bits on two threads than on one. Hold a SingleThreadedBlas around every
// call, and spread independent calls over threads with parallel_for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/views.hpp"

namespace gramian::blas {

// The Fortran interfaces.
template <class T>
using Gemm = void(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);
template <class T>
using Syrk = void(char*, char*, int*, int*, T*, T*, int*, T*, T*, int*);
template <class T>
using Trsm = void(char*, char*, char*, char*, int*, int*, T*, T*, int*, T*, int*);
template <class T>
using Trsv = void(char*, char*, char*, int*, T*, int*, T*, int*);
template <class T>
using Potrf = void(char*, int*, T*, int*, int*);
template <class T>
using Potrs = void(char*, int*, int*, T*, int*, T*, int*, int*);
template <class T>
using Pocon = void(char*, int*, T*, int*, T*, T*, T*, int*, int*);
template <class T>
using Geqrf = void(int*, int*, T*, int*, T*, T*, int*, int*);
template <class T>
using Ormqr = void(char*, char*, int*, int*, int*, T*, int*, T*, T*, int*, T*, int*, int*);
template <class T>
using Gelsd = void(int*, int*, int*, T*, int*, T*, int*, T*, T*, int*, T*, int*, int*, int*);
template <class T>
using Gesdd = void(char*, int*, int*, T*, int*, T*, T*, int*, T*, int*, T*, int*, int*, int*);
template <class T>
using Syevd = void(char*, char*, int*, T*, int*, T*, T*, int*, int*, int*, int*);
template <class T>
using Trtrs = void(char*, char*, char*, int*, int*, T*, int*, T*, int*, int*);
template <class T>
using Lange = T(char*, int*, int*, T*, int*, T*);
template <class T>
using Lansy = T(char*, char*, int*, T*, int*, T*);

#define GRAMIAN_BLAS_FUNCTIONS(F) \
  F(dgemm, Gemm<double>)          \
  F(sgemm, Gemm<float>)           \
  F(dsyrk, Syrk<double>)          \
  F(dtrsm, Trsm<double>)          \
  F(dtrsv, Trsv<double>)          \
  F(dpotrf, Potrf<double>)        \
  F(spotrf, Potrf<float>)         \
  F(dpotrs, Potrs<double>)        \
  F(spotrs, Potrs<float>)         \
  F(dpotri, Potrf<double>)        \
  F(dpocon, Pocon<double>)        \
  F(dgeqrf, Geqrf<double>)        \
  F(dormqr, Ormqr<double>)        \
  F(dgelsd, Gelsd<double>)        \
  F(dgesdd, Gesdd<double>)        \
  F(dsyevd, Syevd<double>)        \
  F(dtrtrs, Trtrs<double>)        \
  F(dlange, Lange<double>)        \
  F(dlansy, Lansy<double>)

struct Table {
#define GRAMIAN_BLAS_POINTER(name, Type) Type* name = nullptr;
  GRAMIAN_BLAS_FUNCTIONS(GRAMIAN_BLAS_POINTER)
#undef GRAMIAN_BLAS_POINTER
};

// A function that the table holds: its name, and its C signature with d for double, s for float.
struct Function {
  std::string_view name;
  std::string signature;
};
std::vector<Function> functions();

// Sets the pointer called `name`; throws InvalidArgument if the table has none.
void set_function(Table& table, std::string_view name, void* address);

using SetThreads = void (*)(int);
using GetThreads = int (*)();

// Takes a complete table, and the functions that set and get the library's number of threads (null
// where it has none). The first call wins; later ones change nothing.
void load(const Table& table, SetThreads set_threads, GetThreads get_threads);

bool is_loaded();

// The loaded table; throws std::logic_error before load.
const Table& table();

// While any guard lives, in any thread, the library runs on one thread; the last one restores the
// number found by the first.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

template <class T>
struct ColumnMajor {
  T* data;
  int n_rows;
  int n_cols;
  int ld;  // from one column to the next, at least n_rows

  operator ColumnMajor<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, n_rows, n_cols, ld};
  }
};

// The same memory for BLAS. Throws InvalidArgument unless columns are contiguous, the column stride
// is at least n_rows and the sizes fit 32 bits. For a row-major X pass X.transposed().
template <class T>
ColumnMajor<T> column_major(const MatrixView<T>& view);

enum class Op : char { none = 'N', transpose = 'T' };
enum class Triangle : char { lower = 'L', upper = 'U' };
enum class Side : char { left = 'L', right = 'R' };
enum class Norm : char { max = 'M', one = '1', infinity = 'I', frobenius = 'F' };

// C = alpha op(A) op(B) + beta C.
template <class T>
void gemm(Op op_a, Op op_b, T alpha, std::type_identity_t<ColumnMajor<const T>> a,
          std::type_identity_t<ColumnMajor<const T>> b, T beta, ColumnMajor<T> c);

// C = alpha op(A) op(A)' + beta C, one triangle of C.
void syrk(Triangle triangle, Op op, double alpha, ColumnMajor<const double> a, double beta,
          ColumnMajor<double> c);

// B = alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right), A triangular.
void trsm(Side side, Triangle triangle, Op op, double alpha, ColumnMajor<const double> a,
          ColumnMajor<double> b);

// x = op(A)^-1 x, A triangular.
void trsv(Triangle triangle, Op op, ColumnMajor<const double> a, std::span<double> x);

// B = op(A)^-1 B, A triangular. Returns 0, or the 1-based place of a zero on A's diagonal, in which
// case B is as before.
int trtrs(Triangle triangle, Op op, ColumnMajor<const double> a, ColumnMajor<double> b);

// Cholesky factor of A in place. Returns 0, or the order of the first leading minor that is not
// positive definite.
template <class T>
int potrf(Triangle triangle, ColumnMajor<T> a);

// B = A^-1 B, given A's Cholesky factor.
template <class T>
void potrs(Triangle triangle, std::type_identity_t<ColumnMajor<const T>> factor, ColumnMajor<T> b);

// One triangle of A^-1, in place of A's Cholesky factor. Returns 0, or the 1-based place of a zero
// on the factor's diagonal.
int potri(Triangle triangle, ColumnMajor<double> factor);

// Estimate of 1 / (|A| |A^-1|) in the 1-norm, given A's Cholesky factor and |A|.
double pocon(Triangle triangle, ColumnMajor<const double> factor, double norm);

// QR in place: R in the upper triangle, reflectors below it and in tau (min(n_rows, n_cols)).
void geqrf(ColumnMajor<double> a, std::span<double> tau);

// C = op(Q) C (left) or C op(Q) (right), Q given by geqrf.
void ormqr(Side side, Op op, ColumnMajor<const double> qr, std::span<const double> tau,
           ColumnMajor<double> c);

// Least squares of minimal norm by SVD. B has max(A.n_rows, A.n_cols) rows and receives the
// solutions in its first A.n_cols; A is destroyed. Singular values up to rcond times the largest
// count as zero. Returns the rank.
int gelsd(ColumnMajor<double> a, ColumnMajor<double> b, std::span<double> singular, double rcond);

// Thin SVD A = U diag(singular) V', k = min(n_rows, n_cols): U is n_rows x k, Vt is k x n_cols; A
// is destroyed. The second form computes the singular values only.
void gesdd(ColumnMajor<double> a, std::span<double> singular, ColumnMajor<double> u,
           ColumnMajor<double> vt);
void gesdd(ColumnMajor<double> a, std::span<double> singular);

// Eigenvalues in ascending order; the eigenvectors replace A.
void syevd(Triangle triangle, ColumnMajor<double> a, std::span<double> eigenvalues);

double lange(Norm norm, ColumnMajor<const double> a);
double lansy(Norm norm, Triangle triangle, ColumnMajor<const double> a);

}  // namespace gramian::blas
