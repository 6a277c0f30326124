#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/linalg_data.hpp"

using gramian::Context;
using gramian::linalg::Cholesky;
using test::at;
using test::same_bits;

namespace {

using Doubles = std::vector<double>;

// B B' / n + diagonal, summed in long double.
Doubles positive_definite(std::int64_t n, double diagonal, std::uint64_t seed) {
  const Doubles B = test::normal_values(n * n, seed);
  Doubles A(at(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      long double sum = 0.0L;
      for (std::int64_t k = 0; k < n; ++k)
        sum += static_cast<long double>(B[at(i * n + k)]) * B[at(j * n + k)];
      const auto entry = static_cast<double>(sum / static_cast<long double>(n));
      A[at(i * n + j)] = A[at(j * n + i)] = entry + (i == j ? diagonal : 0.0);
    }
  return A;
}

// The entries 1 / (i + j + 1): condition about exp(3.5 n).
Doubles hilbert(std::int64_t n) {
  Doubles A(at(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) A[at(i * n + j)] = 1.0 / static_cast<double>(i + j + 1);
  return A;
}

// A^-1 by Gauss-Jordan elimination in long double; A is positive definite, so no pivoting.
std::vector<long double> inverse_of(const Doubles& A, std::int64_t n) {
  std::vector<long double> work(A.begin(), A.end()), inverse(A.size(), 0.0L);
  for (std::int64_t i = 0; i < n; ++i) inverse[at(i * n + i)] = 1.0L;
  for (std::int64_t k = 0; k < n; ++k) {
    const long double pivot = work[at(k * n + k)];
    for (std::int64_t j = 0; j < n; ++j) {
      work[at(k * n + j)] /= pivot;
      inverse[at(k * n + j)] /= pivot;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const long double factor = work[at(i * n + k)];
      if (i == k || factor == 0.0L) continue;
      for (std::int64_t j = 0; j < n; ++j) {
        work[at(i * n + j)] -= factor * work[at(k * n + j)];
        inverse[at(i * n + j)] -= factor * inverse[at(k * n + j)];
      }
    }
  }
  return inverse;
}

template <class T>
long double one_norm(const std::vector<T>& A, std::int64_t n) {
  long double norm = 0.0L;
  for (std::int64_t j = 0; j < n; ++j) {
    long double sum = 0.0L;
    for (std::int64_t i = 0; i < n; ++i)
      sum += std::abs(static_cast<long double>(A[at(i * n + j)]));
    norm = std::max(norm, sum);
  }
  return norm;
}

void check_rcond(const Doubles& A, std::int64_t n) {
  const auto factor = Cholesky::factor(A.data(), n, Context{});
  CHECK(factor.has_value());
  if (!factor) return;
  const long double exact = 1.0L / (one_norm(A, n) * one_norm(inverse_of(A, n), n));
  const double estimate = factor->rcond();
  // The estimate of |A^-1| is a lower bound, so that of rcond is an upper one, up to rounding.
  CHECK(estimate >= 0.99 * exact && estimate <= 10.0L * exact);
}

// Rounding of a backward stable solve: n eps |A| |x|.
void check_solve(const Doubles& A, std::int64_t n) {
  const auto factor = Cholesky::factor(A.data(), n, test::context_with(2));
  CHECK(factor && factor->size() == n);
  if (!factor) return;
  const Doubles b = test::normal_values(n, 77);
  Doubles x(b);
  factor->solve(x);
  long double size = 0.0L;
  for (const double value : x) size = std::max(size, std::abs(static_cast<long double>(value)));
  const long double bound = 1e-15L * static_cast<long double>(n) * one_norm(A, n) * size;
  for (std::int64_t i = 0; i < n; ++i) {
    long double product = 0.0L;
    for (std::int64_t j = 0; j < n; ++j)
      product += static_cast<long double>(A[at(i * n + j)]) * x[at(j)];
    CHECK(test::is_close(b[at(i)], product, bound));
  }
}

bool is_refused(const Doubles& A, std::int64_t n) {
  return !Cholesky::factor(A.data(), n, Context{}).has_value();
}

constexpr std::int64_t kSizes[] = {1, 2, 3, 7, 8, 9, 15, 63, 64, 65, 100, 127, 128, 129, 200, 300};

}  // namespace

TEST(cholesky_solves_to_rounding) {
  for (const std::int64_t n : kSizes) check_solve(positive_definite(n, 0.1, 1), n);
  for (std::int64_t n = 1; n <= 40; ++n) check_solve(positive_definite(n, 1e-6, 2), n);
  check_solve(hilbert(8), 8);
}

TEST(cholesky_of_nothing) {
  const auto factor = Cholesky::factor(nullptr, 0, Context{});
  CHECK(factor && factor->size() == 0);
  CHECK(factor->rcond() == 1.0);
  factor->solve({});
}

TEST(cholesky_estimates_the_condition) {
  for (const std::int64_t n : {1, 2, 5, 20, 64, 90})
    for (const double diagonal : {1.0, 1e-3, 1e-7})
      check_rcond(positive_definite(n, diagonal, 3), n);
  for (const std::int64_t n : {3, 5, 8}) check_rcond(hilbert(n), n);
  // One eigenvalue far below the others, in a direction that a climb from the ones may miss.
  const std::int64_t n = 50;
  Doubles A(at(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) A[at(i * n + i)] = i == 17 ? 1e-9 : 1.0;
  check_rcond(A, n);
}

TEST(cholesky_refuses_what_is_not_positive_definite) {
  for (const std::int64_t n : {1, 8, 64, 65, 150})
    for (const std::int64_t where : {std::int64_t{0}, n / 2, n - 1}) {
      Doubles A = positive_definite(n, 0.5, 4);
      for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
        A[at(where * n + where)] = bad;
        CHECK(is_refused(A, n));
      }
    }
  CHECK(is_refused(Doubles(at(70 * 70), 0.0), 70));
}

TEST(cholesky_refuses_nan_beside_the_diagonal) {
  const std::int64_t n = 100;
  for (const auto& [i, j] :
       {std::pair{1, 0}, std::pair{99, 0}, std::pair{99, 98}, std::pair{70, 30}}) {
    Doubles A = positive_definite(n, 1.0, 5);
    A[at(i * n + j)] = A[at(j * n + i)] = std::numeric_limits<double>::quiet_NaN();
    CHECK(is_refused(A, n));
  }
}

TEST(cholesky_gives_the_same_bits_for_any_number_of_threads) {
  for (const std::int64_t n : {200, 333, 520}) {
    // Diagonally dominant and cheap to make at this size.
    Doubles A = test::normal_values(n * n, 6);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) A[at(j * n + i)] = A[at(i * n + j)];
      A[at(i * n + i)] = 5.0 * static_cast<double>(n);
    }
    const Doubles b = test::normal_values(n, 7);
    Doubles reference;
    for (const int n_threads : {1, 2, 3, 8}) {
      const auto factor = Cholesky::factor(A.data(), n, test::context_with(n_threads));
      CHECK(factor.has_value());
      Doubles x(b);
      factor->solve(x);
      if (reference.empty()) reference = x;
      CHECK(same_bits(x, reference));
    }
  }
}

TEST(cholesky_can_be_stopped) {
  const Doubles A = positive_definite(10, 1.0, 8);
  const Context ctx;
  ctx.request_stop();
  CHECK_THROWS(gramian::Interrupted, Cholesky::factor(A.data(), 10, ctx));
}
