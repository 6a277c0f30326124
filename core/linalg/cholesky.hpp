// Cholesky factorisation A = L L' of a symmetric positive definite matrix, and what it tells about
// A.
//
// Blocked and right-looking on our own kernels rather than LAPACK's: the bits do not depend on
// the number of threads, the process-wide thread pool of a BLAS is not touched, and a long
// factorisation can be interrupted. O(n^3 / 3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/buffer.hpp"
#include "base/context.hpp"

namespace gramian::linalg {

class Cholesky {
 public:
  // `A` is n x n, symmetric, both halves given. Nothing if A is not positive definite to working
  // precision.
  static std::optional<Cholesky> factor(const double* A, std::int64_t n, const Context& ctx);

  std::int64_t size() const { return n_; }

  // x <- A^-1 x.
  void solve(std::span<double> x) const;

  // An estimate of 1 / (|A|_1 |A^-1|_1), seldom more than three times too large (Higham 1988).
  double rcond() const;

 private:
  Cholesky(std::int64_t n, std::int64_t ld, double norm)
      : n_(n), ld_(ld), norm_(norm), L_(ld * ld) {}
  bool factor_block(std::int64_t k, std::int64_t size);
  void eliminate(std::int64_t k, std::int64_t size, const Context& ctx);

  std::int64_t n_;
  std::int64_t ld_;   // n filled up to whole panels
  double norm_;       // |A|_1
  Buffer<double> L_;  // column-major, lower; holds -A where the factor has not come yet
};

}  // namespace gramian::linalg
