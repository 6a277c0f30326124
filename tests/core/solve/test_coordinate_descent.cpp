// Penalised least squares: closed forms, the conditions of optimality in long double, and the same
// bits from any number of threads.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/descent/coordinate_descent.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::solve::Columns;
using gramian::solve::DescentOptions;
using gramian::solve::DescentResult;
using gramian::solve::Penalty;
using gramian::solve::Targets;
using test::at;

namespace {

using Doubles = std::vector<double>;

// Rows with weights and means; every third entry is zero, column 2 all of them.
struct Data {
  std::int64_t n, p, t;
  Doubles x, y, weight, mean_x, mean_y;
  Doubles values;  // of the transpose, in compressed rows
  std::vector<std::int32_t> indices, indptr{0};

  Data(std::int64_t rows, std::int64_t cols, std::int64_t targets = 1)
      : n(rows),
        p(cols),
        t(targets),
        x(test::normal_values(n * p, 1, 0.5)),
        y(test::normal_values(n * t, 2, -1.0)),
        weight(test::random_weights(n, 3)),
        mean_x(at(p)),
        mean_y(at(t)) {
    weight[0] = 1.0;
    for (std::size_t k = 0; k < x.size(); k += 3) x[k] = 0.0;
    for (std::int64_t i = 0; i < n && p > 2; ++i) x[at(i * p + 2)] = 0.0;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < t && p > 1; ++c) y[at(i * t + c)] += 2.0 * x[at(i * p + 1)];
    set_means();
    for (std::int64_t j = 0; j < p; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (x[at(i * p + j)] == 0.0) continue;
        values.push_back(x[at(i * p + j)]);
        indices.push_back(static_cast<std::int32_t>(i));
      }
      indptr.push_back(static_cast<std::int32_t>(values.size()));
    }
  }

  void set_means() {
    long double total = 0.0L;
    for (const double w : weight) total += w;
    const auto mean = [&](const Doubles& of, std::int64_t cols, std::int64_t j) {
      long double sum = 0.0L;
      for (std::int64_t i = 0; i < n; ++i)
        sum += static_cast<long double>(weight[at(i)]) * of[at(i * cols + j)];
      return static_cast<double>(total > 0.0L ? sum / total : 0.0L);
    };
    for (std::int64_t j = 0; j < p; ++j) mean_x[at(j)] = mean(x, p, j);
    for (std::int64_t c = 0; c < t; ++c) mean_y[at(c)] = mean(y, t, c);
  }

  Targets targets() const { return {{y.data(), n, t}, weight, mean_x, mean_y}; }
  std::unique_ptr<Columns> dense() const {
    return gramian::solve::dense_columns(MatrixView<const double>(x.data(), n, p), targets());
  }
  std::unique_ptr<Columns> sparse() const {
    return gramian::solve::sparse_columns(CsrView<double, std::int32_t>{values, indices, indptr, n},
                                          targets());
  }

  // <x_j, r_c> with the residuals of `coef` (target-major).
  long double slope(const Doubles& coef, std::int64_t j, std::int64_t c) const {
    long double sum = 0.0L;
    for (std::int64_t i = 0; i < n; ++i) {
      long double r = static_cast<long double>(y[at(i * t + c)]) - mean_y[at(c)];
      for (std::int64_t k = 0; k < p; ++k)
        r -= (static_cast<long double>(x[at(i * p + k)]) - mean_x[at(k)]) * coef[at(c * p + k)];
      sum += weight[at(i)] * (static_cast<long double>(x[at(i * p + j)]) - mean_x[at(j)]) * r;
    }
    return sum;
  }

  // The largest violation of |slope - l2 v| <= l1, with equality and the direction of v where v is
  // not zero.
  double violation(const Doubles& coef, const Penalty& penalty) const {
    long double worst = 0.0L;
    for (std::int64_t j = 0; j < p; ++j) {
      long double size = 0.0L, over = 0.0L;
      for (std::int64_t c = 0; c < t; ++c) {
        const long double v = coef[at(c * p + j)];
        size += v * v;
      }
      size = std::sqrt(size);
      for (std::int64_t c = 0; c < t; ++c) {
        const long double v = coef[at(c * p + j)];
        const long double s = slope(coef, j, c) - penalty.l2 * v;
        const long double d = size > 0.0L ? s - penalty.l1 * v / size : s;
        over += penalty.is_positive && size == 0.0L && d < 0.0L ? 0.0L : d * d;
      }
      over = std::sqrt(over);
      worst = std::max(worst, size > 0.0L ? over : std::max(over - penalty.l1, 0.0L));
    }
    return static_cast<double>(worst);
  }
};

DescentOptions precise() { return {1e-14, 10'000, false, false, false, false}; }

struct Fit {
  Doubles coef;
  DescentResult result{};

  Fit(const Columns& columns, const Penalty& penalty, DescentOptions options = precise(),
      int n_threads = 1)
      : coef(at(columns.n_features() * columns.n_targets())) {
    options.is_positive = penalty.is_positive;
    gramian::solve::coordinate_descent(columns, {&penalty, 1}, options, coef.data(), &result,
                                       test::context_with(n_threads));
  }
};

bool close(const Doubles& a, const Doubles& b, double tolerance) {
  bool out = a.size() == b.size();
  for (std::size_t k = 0; out && k < a.size(); ++k) out = std::abs(a[k] - b[k]) <= tolerance;
  return out;
}

}  // namespace

TEST(descent_orthogonal_columns_are_shrunk) {
  const Doubles x{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0}, y{5, -4, 0.1, 7}, zero(4);
  const Targets targets{{y.data(), 4, 1}, {}, zero, {zero.data(), 1}};
  const auto columns =
      gramian::solve::dense_columns(MatrixView<const double>(x.data(), 4, 4), targets);
  const Fit fit(*columns, {1.0, 0.5});
  CHECK(close(fit.coef, {4.0 / 1.5, -7.0 / 4.5, 0.0, 0.0}, 1e-13));
  const Fit positive(*columns, {1.0, 0.5, true});
  CHECK(close(positive.coef, {4.0 / 1.5, 0.0, 0.0, 0.0}, 1e-13));
}

TEST(descent_meets_the_conditions_of_optimality) {
  for (const auto& [n, p, t] : {std::array<std::int64_t, 3>{60, 12, 1}, {30, 50, 1}, {40, 20, 3}}) {
    const Data data(n, p, t);
    for (Penalty penalty : {Penalty{5.0, 0.0}, {2.0, 3.0}, {0.0, 4.0}, {5.0, 1.0, true}}) {
      if (t > 1) penalty.is_positive = false;
      const Fit fit(*data.dense(), penalty);
      CHECK(data.violation(fit.coef, penalty) < 1e-6);
      CHECK(fit.result.gap <= 1e-12 * fit.result.primal);
      CHECK(fit.coef[2] == 0.0);  // a column of zeros
      CHECK(close(Fit(*data.sparse(), penalty).coef, fit.coef, 1e-7));
    }
  }
}

TEST(descent_gap_bounds_the_distance_from_the_optimum) {
  const Data data(50, 30);
  const Penalty penalty{1.0, 0.0};
  const double best = Fit(*data.dense(), penalty).result.primal;
  for (const std::int64_t max_iter : {1, 2, 3, 5}) {
    DescentOptions options = precise();
    options.max_iter = max_iter;
    const Fit fit(*data.dense(), penalty, options);
    CHECK(fit.result.n_iter <= max_iter);
    CHECK(fit.result.primal - fit.result.gap <= best * (1.0 + 1e-12));
    CHECK(fit.result.primal >= best * (1.0 - 1e-12));
  }
}

TEST(descent_is_the_same_for_any_number_of_threads) {
  const Data tall(20'000, 20), wide(200, 600, 2);
  for (const Data* data : {&tall, &wide})
    for (const bool is_sparse : {false, true}) {
      const auto columns = is_sparse ? data->sparse() : data->dense();
      const Penalty penalty{0.02 * static_cast<double>(data->n), 0.0};
      const Fit one(*columns, penalty, {1e-4, 100, false, true, false, false}, 1);
      const Fit four(*columns, penalty, {1e-4, 100, false, true, false, false}, 4);
      CHECK(test::same_bits(one.coef, four.coef));
      CHECK(one.result.gap == four.result.gap);
    }
}

TEST(descent_through_residuals_where_a_gram_matrix_would_be_too_large) {
  const Data data(20, 2100);
  const Penalty penalty{0.0, 100.0};
  DescentOptions options = precise();
  options.tol = 1e-8;
  const Fit dense(*data.dense(), penalty, options), sparse(*data.sparse(), penalty, options);
  CHECK(dense.result.gap <= 1e-9 * dense.result.primal);
  CHECK(sparse.result.gap <= 1e-9 * sparse.result.primal);
  CHECK(close(dense.coef, sparse.coef, 1e-5));
}

TEST(descent_along_a_path_reaches_each_optimum) {
  const Data data(60, 25);
  const std::vector<Penalty> penalties{{20.0, 0.0}, {5.0, 0.0}, {1.0, 0.0}};
  Doubles coef(at(3 * data.p));
  std::vector<DescentResult> results(3);
  gramian::solve::coordinate_descent(*data.dense(), penalties, precise(), coef.data(),
                                     results.data(), Context{});
  for (std::size_t k = 0; k < 3; ++k) {
    const Doubles part(coef.begin() + static_cast<std::ptrdiff_t>(k) * data.p,
                       coef.begin() + static_cast<std::ptrdiff_t>(k + 1) * data.p);
    CHECK(close(part, Fit(*data.dense(), penalties[k]).coef, 1e-8));
  }
}

TEST(descent_from_moments_is_that_from_data) {
  const Data data(80, 10, 2);
  Doubles gram(at(data.p * data.p)), cross(at(data.p * data.t));
  double yy = 0.0;
  const Doubles zero(at(data.p * data.t));
  for (std::int64_t i = 0; i < data.n; ++i) {
    const auto centred = [&](std::int64_t j) {
      return data.x[at(i * data.p + j)] - data.mean_x[at(j)];
    };
    for (std::int64_t c = 0; c < data.t; ++c) {
      const double r = data.y[at(i * data.t + c)] - data.mean_y[at(c)];
      yy += data.weight[at(i)] * r * r;
      for (std::int64_t j = 0; j < data.p; ++j)
        cross[at(j * data.t + c)] += data.weight[at(i)] * centred(j) * r;
    }
    for (std::int64_t j = 0; j < data.p; ++j)
      for (std::int64_t k = 0; k < data.p; ++k)
        gram[at(j * data.p + k)] += data.weight[at(i)] * centred(j) * centred(k);
  }
  const auto columns = gramian::solve::gram_columns({gram.data(), data.p, data.p},
                                                    {cross.data(), data.p, data.t}, yy, data.n);
  const Penalty penalty{3.0, 1.0};
  CHECK(close(Fit(*columns, penalty).coef, Fit(*data.dense(), penalty).coef, 1e-8));
}

TEST(descent_of_degenerate_data) {
  Data single(1, 5);
  CHECK(close(Fit(*single.dense(), {1.0, 0.0}).coef, Doubles(5), 0.0));
  Data weightless(20, 5);
  std::fill(weightless.weight.begin(), weightless.weight.end(), 0.0);
  weightless.set_means();
  CHECK(close(Fit(*weightless.dense(), {1.0, 0.0}).coef, Doubles(5), 0.0));
  CHECK(close(Fit(*weightless.sparse(), {1.0, 1.0}).coef, Doubles(5), 0.0));
  const Data data(40, 8);
  CHECK(close(Fit(*data.dense(), {1e9, 0.0}).coef, Doubles(8), 0.0));  // beyond every slope
  Data repeated(40, 8);  // two columns alike: the optimum is not unique, its value is
  for (std::int64_t i = 0; i < 40; ++i) repeated.x[at(i * 8 + 3)] = repeated.x[at(i * 8 + 1)];
  repeated.set_means();
  const Fit fit(*repeated.dense(), {1.0, 0.0});
  CHECK(repeated.violation(fit.coef, {1.0, 0.0}) < 1e-6);
}
