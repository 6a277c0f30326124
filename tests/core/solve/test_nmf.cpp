// Sweeps, sums and divergences of non-negative factorizations against plain loops, and their bits
// on any number of threads.
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/nmf/beta.hpp"
#include "solve/nmf/sampled.hpp"
#include "solve/nmf/sweeps.hpp"

using gramian::MatrixView;
using test::at;

namespace {

std::vector<double> positive_values(std::int64_t n, int seed) {
  std::vector<double> values = test::normal_values(n, seed);
  for (double& value : values) value = std::abs(value) + 0.1;
  return values;
}

// Projected gradients of one sweep in the order of the coordinates, and the rows after it.
double plain_sweep(const std::vector<double>& gram, const std::vector<double>& cross,
                   std::int64_t k, std::vector<double>& rows) {
  double violation = 0.0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rows.size()) / k; ++i)
    for (std::int64_t t = 0; t < k; ++t) {
      double gradient = -cross[at(i * k + t)];
      for (std::int64_t r = 0; r < k; ++r) gradient += gram[at(t * k + r)] * rows[at(i * k + r)];
      double& w = rows[at(i * k + t)];
      violation += std::abs(w > 0.0 ? gradient : std::min(gradient, 0.0));
      w = std::max(0.0, w - gradient / gram[at(t * k + t)]);
    }
  return violation;
}

void check_sweep(std::int64_t n, std::int64_t k) {
  const auto A = test::normal_values(10 * k, 1), cross = test::normal_values(n * k, 2);
  std::vector<double> gram(at(k * k));
  for (std::int64_t t = 0; t < k; ++t)
    for (std::int64_t r = 0; r < k; ++r)
      for (std::int64_t e = 0; e < 10; ++e)
        gram[at(t * k + r)] += A[at(e * k + t)] * A[at(e * k + r)];
  std::vector<std::int64_t> order(at(k));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> factors[2];
  double violations[2];
  for (const int threads : {1, 3}) {
    auto& factor = factors[threads / 2];
    factor = positive_values(n * k, 3);
    violations[threads / 2] = gramian::solve::sweep_rows(
        {gram.data(), k, k}, {cross.data(), n, k}, order, 1, 0.0,
        MatrixView<double>(factor.data(), n, k), test::context_with(threads));
  }
  CHECK(test::same_bits(factors[0], factors[1]));
  CHECK(violations[0] == violations[1]);
  auto expected = positive_values(n * k, 3);
  const double violation = plain_sweep(gram, cross, k, expected);
  CHECK(test::is_close(violations[0], violation, 1e-11L * (1.0L + violation)));
  for (std::int64_t e = 0; e < n * k; ++e)
    CHECK(test::is_close(factors[0][at(e)], expected[at(e)], 1e-11L * (1.0L + expected[at(e)])));
}

void check_terms(std::int64_t n, std::int64_t p, std::int64_t k, double beta) {
  const auto x = positive_values(n * p, 1), w = positive_values(n * k, 2),
             h = positive_values(k * p, 3);
  const gramian::solve::BetaFactors factors{{w.data(), n, k}, {h.data(), k, p}, beta, 1e-7};
  const MatrixView<const double> X(x.data(), n, p);
  std::vector<double> of_rows[2], of_columns[2], rest_rows(at(n * k)), rest_columns(at(k * p));
  double sums[2];
  for (const int threads : {1, 3}) {
    const auto& ctx = test::context_with(threads);
    of_rows[threads / 2].resize(at(n * k));
    of_columns[threads / 2].resize(at(k * p));
    gramian::solve::beta_row_terms(X, factors,
                                   {MatrixView<double>(of_rows[threads / 2].data(), n, k),
                                    MatrixView<double>(rest_rows.data(), n, k)},
                                   ctx);
    gramian::solve::beta_column_terms(X, factors,
                                      {MatrixView<double>(of_columns[threads / 2].data(), k, p),
                                       MatrixView<double>(rest_columns.data(), k, p)},
                                      ctx);
    sums[threads / 2] = gramian::solve::beta_divergence(X, factors, ctx);
  }
  CHECK(test::same_bits(of_rows[0], of_rows[1]));
  CHECK(test::same_bits(of_columns[0], of_columns[1]));
  CHECK(sums[0] == sums[1]);
  std::vector<double> rows(at(n * k)), columns(at(k * p));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < p; ++j) {
      double y = 0.0;
      for (std::int64_t t = 0; t < k; ++t) y += w[at(i * k + t)] * h[at(t * p + j)];
      const double ratio = x[at(i * p + j)] * std::pow(y, beta - 2.0);
      for (std::int64_t t = 0; t < k; ++t) {
        rows[at(i * k + t)] += ratio * h[at(t * p + j)];
        columns[at(t * p + j)] += ratio * w[at(i * k + t)];
      }
    }
  for (std::int64_t e = 0; e < n * k; ++e)
    CHECK(test::is_close(of_rows[0][at(e)], rows[at(e)], 1e-10L * rows[at(e)]));
  for (std::int64_t e = 0; e < k * p; ++e)
    CHECK(test::is_close(of_columns[0][at(e)], columns[at(e)], 1e-10L * columns[at(e)]));
}

}  // namespace

TEST(sweeps_are_a_loop_over_coordinates) {
  for (const std::int64_t k : {1, 2, 7})
    for (const std::int64_t n : {1, 31, 32, 33, 700}) check_sweep(n, k);
}

TEST(terms_of_beta_divergences) {
  for (const double beta : {0.0, 0.5, 1.0, 1.5, 3.0}) {
    check_terms(1, 1, 1, beta);
    check_terms(33, 9, 3, beta);
    check_terms(40, 300, 5, beta);
    check_terms(1030, 6, 2, beta);
  }
}

TEST(sampled_products) {
  const std::int64_t n = 3, p = 4, k = 2;
  const auto w = test::normal_values(n * k, 1), h = test::normal_values(p * k, 2);
  const std::vector<std::int32_t> indptr{0, 2, 2, 5}, indices{3, 0, 1, 2, 3};
  std::vector<double> out(5);
  gramian::solve::sampled_product<std::int32_t>(indptr, indices, {w.data(), n, k}, {h.data(), p, k},
                                                out, test::context_with(2));
  std::size_t e = 0;
  for (const std::int64_t i : {0, 0, 2, 2, 2}) {
    const std::int64_t j = indices[e];
    const double expected = w[at(i * k)] * h[at(j * k)] + w[at(i * k + 1)] * h[at(j * k + 1)];
    CHECK(test::is_close(out[e], expected, 1e-14L));
    ++e;
  }
}
