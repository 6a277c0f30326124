#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/least_squares/least_squares.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::linalg::CsrDesign;
using gramian::linalg::DenseDesign;
using gramian::solve::LeastSquaresOptions;
using gramian::solve::LeastSquaresResult;
using gramian::solve::solve_kernel_equations;
using gramian::solve::solve_normal_equations;
using gramian::solve::Status;
using test::at;

namespace {

using Doubles = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Data {
  std::int64_t n, p, t;
  Doubles x, y, weight;

  Data(std::int64_t rows, std::int64_t features, std::int64_t targets = 1)
      : n(rows),
        p(features),
        t(targets),
        x(test::normal_values(n * p, 1, 0.5)),
        y(test::normal_values(n * t, 2, -1.0)) {}

  double& X(std::int64_t i, std::int64_t j) { return x[at(i * p + j)]; }
  MatrixView<const double> X() const { return {x.data(), n, p}; }
  MatrixView<const double> Y() const { return {y.data(), n, t}; }

  // The rows and columns of X as given, every target a known map of them: slope j + 1, constant 7.
  void make_targets_exact() {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < t; ++c) {
        long double sum = 7.0L;
        for (std::int64_t j = 0; j < p; ++j)
          sum += static_cast<long double>(X()(i, j)) * static_cast<long double>(j + 1);
        y[at(i * t + c)] = static_cast<double>(sum);
      }
  }

  // Without the rows whose weight is zero.
  Data with_rows_removed() const {
    Data kept(0, p, t);
    for (std::int64_t i = 0; i < n; ++i) {
      if (weight[at(i)] == 0.0) continue;
      kept.x.insert(kept.x.end(), x.begin() + i * p, x.begin() + (i + 1) * p);
      kept.y.insert(kept.y.end(), y.begin() + i * t, y.begin() + (i + 1) * t);
      kept.weight.push_back(weight[at(i)]);
      ++kept.n;
    }
    return kept;
  }
};

LeastSquaresResult solve(const Data& data, const LeastSquaresOptions& options,
                         const Context& ctx = Context{}) {
  if (data.n < data.p) return solve_kernel_equations(data.X(), data.Y(), data.weight, options, ctx);
  return solve_normal_equations(DenseDesign<double>(data.X(), data.Y(), data.weight), options,
                                nullptr, ctx);
}

LeastSquaresResult solve(const Data& data, double alpha, bool fit_intercept = true) {
  return solve(data, {{&alpha, 1}, fit_intercept, false});
}

// The largest |z_j' W r - alpha v_j| over |z_j| |y|, all in long double: zero at the optimum. The
// rows are centred by the means of the result, which have to be right for it.
long double optimality_of(const Data& data, const LeastSquaresResult& result, double alpha) {
  long double worst = 0.0L;
  for (std::int64_t c = 0; c < data.t; ++c) {
    std::vector<long double> r(at(data.n));
    long double total = 0.0L;
    for (std::int64_t i = 0; i < data.n; ++i) {
      const long double w = data.weight.empty() ? 1.0L : data.weight[at(i)];
      const long double y = static_cast<long double>(data.Y()(i, c)) - result.mean_y[at(c)];
      r[at(i)] = y;
      for (std::int64_t j = 0; j < data.p; ++j)
        r[at(i)] -= (static_cast<long double>(data.X()(i, j)) - result.mean_x[at(j)]) *
                    result.coef[at(j * data.t + c)];
      r[at(i)] *= w;
      total += w * y * y;
    }
    for (std::int64_t j = 0; j < data.p; ++j) {
      long double slope = -static_cast<long double>(alpha) * result.coef[at(j * data.t + c)];
      long double norm = 0.0L;
      for (std::int64_t i = 0; i < data.n; ++i) {
        const long double z = static_cast<long double>(data.X()(i, j)) - result.mean_x[at(j)];
        const long double w = data.weight.empty() ? 1.0L : data.weight[at(i)];
        slope += z * r[at(i)];
        norm += w * z * z;
      }
      if (norm * total > 0.0L) worst = std::max(worst, std::abs(slope) / std::sqrt(norm * total));
    }
  }
  return worst;
}

bool all_close(const Doubles& a, const Doubles& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a[k] - b[k]) <= tolerance)) return false;
  return true;
}

Doubles slopes(std::int64_t p) {
  Doubles expected(at(p));
  for (std::int64_t j = 0; j < p; ++j) expected[at(j)] = static_cast<double>(j + 1);
  return expected;
}

// Every entry of the matrix, zeros as well, in compressed rows.
struct AllStored {
  Doubles values;
  std::vector<std::int32_t> indices, indptr{0};
  std::int64_t n_cols;

  explicit AllStored(const Data& data) : values(data.x), n_cols(data.p) {
    for (std::int64_t i = 0; i < data.n; ++i) {
      for (std::int64_t j = 0; j < data.p; ++j) indices.push_back(static_cast<std::int32_t>(j));
      indptr.push_back(static_cast<std::int32_t>(indices.size()));
    }
  }
  CsrView<double, std::int32_t> view() const { return {values, indices, indptr, n_cols}; }
};

LeastSquaresResult solve_sparse(const Data& data, double alpha, bool fit_intercept = true) {
  const AllStored stored(data);
  return solve_normal_equations(
      CsrDesign<double, std::int32_t>(stored.view(), data.Y(), data.weight),
      {{&alpha, 1}, fit_intercept, false}, nullptr, Context{});
}

}  // namespace

TEST(least_squares_finds_a_known_solution) {
  for (const std::int64_t n : {12, 300, 5000}) {
    Data data(n, 8, 2);
    data.make_targets_exact();
    const auto result = solve(data, 0.0);
    CHECK(result.status == Status::ok && result.rank == 8);
    for (std::int64_t j = 0; j < 8; ++j)
      for (std::int64_t c = 0; c < 2; ++c)
        CHECK(std::abs(result.coef[at(j * 2 + c)] - static_cast<double>(j + 1)) < 1e-12);
    for (const double rss : result.rss) CHECK(rss < 1e-20 * static_cast<double>(n));
  }
}

TEST(least_squares_is_optimal_for_any_shape_and_penalty) {
  for (const auto& [n, p] : {std::pair{1, 1}, std::pair{2, 1}, std::pair{9, 8}, std::pair{40, 17},
                             std::pair{700, 33}, std::pair{5, 9}, std::pair{20, 300}})
    for (const double alpha : {0.0, 1e-3, 10.0})
      for (const bool has_weight : {false, true})
        for (const bool fit_intercept : {false, true}) {
          Data data(n, p, 3);
          if (has_weight && n > 20) data.weight = test::random_weights(n, 3);
          const auto result = solve(data, alpha, fit_intercept);
          CHECK(result.status == Status::ok);
          if (result.status != Status::ok) continue;
          CHECK(optimality_of(data, result, alpha) < 1e-13L);
          CHECK(result.optimality < 1e-12);
        }
}

TEST(sparse_least_squares_is_that_of_the_dense_matrix) {
  for (const bool fit_intercept : {false, true}) {
    Data data(200, 6, 2);
    data.weight = test::random_weights(200, 3);
    const auto dense = solve(data, 0.5, fit_intercept);
    const auto sparse = solve_sparse(data, 0.5, fit_intercept);
    CHECK(sparse.status == Status::ok && all_close(sparse.coef, dense.coef, 1e-13));
    CHECK(all_close(sparse.mean_x, dense.mean_x, 1e-14));
  }
}

TEST(every_target_has_its_own_penalty) {
  const Data data(60, 5, 3);
  const Doubles alpha{0.0, 2.0, 2000.0};
  const auto together = solve(data, {alpha, true, false});
  for (std::int64_t c = 0; c < 3; ++c) {
    const auto alone = solve(data, alpha[at(c)]);
    for (std::int64_t j = 0; j < 5; ++j)
      CHECK(std::abs(together.coef[at(j * 3 + c)] - alone.coef[at(j * 3 + c)]) < 1e-14);
  }
}

TEST(wide_least_squares_interpolates_with_the_least_norm) {
  const Data data(15, 80);
  const auto result = solve(data, 0.0);
  CHECK(result.status == Status::ok && result.rss[0] < 1e-24);
  // The limit of ridge regression as the penalty falls.
  const auto ridge = solve(data, 1e-9);
  CHECK(all_close(result.coef, ridge.coef, 1e-9));
  // Ridge of the tall problem, whose rows are the columns, must agree too.
  Data padded(data);
  for (std::int64_t i = 0; i < 100; ++i) {
    padded.x.insert(padded.x.end(), at(80), 0.0);
    padded.y.push_back(0.0);
  }
  padded.n += 100;
  padded.weight.assign(at(padded.n), 0.0);
  std::fill_n(padded.weight.begin(), 15, 1.0);
  CHECK(all_close(solve(data, 3.0).coef, solve(padded, 3.0).coef, 1e-12));
}

TEST(large_offsets_cost_no_digits_that_the_data_have) {
  // With numbers near 1e8 and deviations near one, the data themselves carry eight digits.
  for (const std::int64_t n : {30, 3000}) {
    Data data(n, 5);
    for (double& x : data.x) x = std::round(x * 1024.0) / 1024.0 + 1e8;
    data.make_targets_exact();
    const auto result = solve(data, 0.0);
    CHECK(result.status == Status::ok && all_close(result.coef, slopes(5), 1e-7));
  }
  Data wide(6, 40);
  for (double& x : wide.x) x += 1e8;
  const auto result = solve(wide, 1.0);
  CHECK(result.status == Status::ok && optimality_of(wide, result, 1.0) < 1e-8L);
}

TEST(sparse_columns_far_from_zero_are_solved_or_refused) {
  for (const double offset : {1e3, 1e6, 1e7, 1e8, 1e9}) {
    Data data(300, 3);
    for (std::int64_t i = 0; i < data.n; ++i)
      data.X(i, 1) = std::round(data.X(i, 1) * 1024.0) / 1024.0 + offset;
    data.make_targets_exact();
    const auto result = solve_sparse(data, 0.0);
    CHECK(result.status == Status::ill_conditioned || all_close(result.coef, slopes(3), 1e-6));
  }
}

TEST(sparse_targets_far_from_the_first_keep_their_sum_of_squares) {
  Data data(300, 3);
  data.y[0] = 1e9;
  data.weight.assign(300, 1.0);
  data.weight[0] = 0.0;
  const auto sparse = solve_sparse(data, 0.0);
  const auto dense = solve(data.with_rows_removed(), 0.0);
  CHECK(std::abs(sparse.total[0] / dense.total[0] - 1.0) < 1e-6);
}

TEST(constant_columns_have_no_coefficient) {
  for (const double value : {0.0, 0.1, 1e8 + 0.1, -1e-300}) {
    Data data(400, 4);
    for (std::int64_t i = 0; i < data.n; ++i) data.X(i, 2) = value;
    const auto dense = solve(data, 0.0);
    CHECK(dense.status == Status::ok && dense.rank == 3 && dense.coef[2] == 0.0);
    CHECK(optimality_of(data, dense, 0.0) < 1e-13L);
    const auto sparse = solve_sparse(data, 0.0);
    CHECK(sparse.status == Status::ok && sparse.rank == 3 && sparse.coef[2] == 0.0);
  }
  Data data(9, 2);
  std::fill(data.x.begin(), data.x.end(), 0.3);
  const auto result = solve(data, 0.0);
  CHECK(result.status == Status::ok && result.rank == 0 && result.coef == Doubles({0.0, 0.0}));
}

TEST(dependent_columns_or_rows_are_ill_conditioned) {
  Data tall(100, 5);
  for (std::int64_t i = 0; i < tall.n; ++i) tall.X(i, 4) = tall.X(i, 0) - 2.0 * tall.X(i, 1);
  CHECK(solve(tall, 0.0).status == Status::ill_conditioned);
  CHECK(solve_sparse(tall, 0.0).status == Status::ill_conditioned);
  CHECK(solve(tall, 1.0).status == Status::ok);
  Data wide(5, 30);
  for (std::int64_t j = 0; j < wide.p; ++j) wide.X(3, j) = wide.X(1, j);
  CHECK(solve(wide, 0.0).status == Status::ill_conditioned);
  CHECK(solve(wide, 1.0).status == Status::ok);
  CHECK(solve_sparse(wide, 0.0).status == Status::ill_conditioned);
}

TEST(what_is_not_finite_is_reported) {
  for (const auto& [n, p] : {std::pair{50, 4}, std::pair{4, 50}})
    for (const double bad : {kNan, kInf, -kInf, 1e200, -1e300})
      for (const bool fit_intercept : {false, true}) {
        Data in_x(n, p);
        in_x.X(n / 2, p - 1) = bad;
        CHECK(solve(in_x, 1.0, fit_intercept).status == Status::not_finite);
        if (n > p) CHECK(solve_sparse(in_x, 1.0, fit_intercept).status == Status::not_finite);
        Data in_y(n, p);
        in_y.y[at(n - 1)] = bad;
        CHECK(solve(in_y, 1.0, fit_intercept).status == Status::not_finite);
      }
}

TEST(rows_without_weight_change_nothing) {
  for (const auto& [n, p] : {std::pair{200, 6}, std::pair{12, 40}})
    for (const double alpha : {0.0, 1.0}) {
      Data data(n, p);
      data.weight = test::random_weights(n, 4);
      data.weight[0] = 0.0;
      for (std::int64_t j = 0; j < p; ++j) data.X(0, j) = 1e6;
      const auto weighted = solve(data, alpha);
      const auto removed = solve(data.with_rows_removed(), alpha);
      CHECK(weighted.status == Status::ok && all_close(weighted.coef, removed.coef, 1e-11));
      CHECK(weighted.rank == removed.rank);
      CHECK(all_close(weighted.mean_x, removed.mean_x, 1e-9));
    }
}

TEST(least_squares_gives_the_same_bits_for_any_number_of_threads) {
  for (const auto& [n, p] : {std::pair{20000, 12}, std::pair{60, 3000}}) {
    const Data data(n, p, 2);
    const double alpha = 0.1;
    Doubles reference;
    for (const int n_threads : {1, 2, 3, 8}) {
      const auto result = solve(data, {{&alpha, 1}, true, false}, test::context_with(n_threads));
      CHECK(result.status == Status::ok);
      if (reference.empty()) reference = result.coef;
      CHECK(test::same_bits(result.coef, reference));
    }
  }
}

TEST(coefficients_can_be_kept_in_single_precision) {
  const double alpha = 0.0;
  const auto result = solve(Data(100, 5), {{&alpha, 1}, true, true});
  for (const double v : result.coef) CHECK(v == static_cast<double>(static_cast<float>(v)));
}

TEST(the_gram_matrix_is_given_back) {
  Data data(50, 3);
  const double alpha = 1.0;
  Doubles gram(9, NAN);
  const auto result = solve_normal_equations(DenseDesign<double>(data.X(), data.Y(), {}),
                                             {{&alpha, 1}, true, false}, gram.data(), Context{});
  for (std::int64_t j = 0; j < 3; ++j)
    for (std::int64_t k = 0; k < 3; ++k) {
      long double sum = 0.0L;
      for (std::int64_t i = 0; i < data.n; ++i)
        sum += (static_cast<long double>(data.X(i, j)) - result.mean_x[at(j)]) *
               (static_cast<long double>(data.X(i, k)) - result.mean_x[at(k)]);
      CHECK(test::is_close(gram[at(j * 3 + k)], sum, 1e-12L));
    }
}

TEST(least_squares_can_be_stopped) {
  const double alpha = 1.0;
  for (const auto& [n, p] : {std::pair{50, 4}, std::pair{4, 50}}) {
    const Data data(n, p);
    const Context ctx;
    ctx.request_stop();
    CHECK_THROWS(gramian::Interrupted, solve(data, {{&alpha, 1}, true, false}, ctx));
  }
}
