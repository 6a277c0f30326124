#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "solve/least_squares/leave_one_out.hpp"

using gramian::CsrView;
using gramian::MatrixView;
using gramian::solve::leave_one_out;
using gramian::solve::LeaveOneOutErrors;
using gramian::solve::RidgeSpectrum;
using test::at;

namespace {

using Doubles = std::vector<double>;

// Columns of a diagonal Gram matrix: its eigenvectors are the axes, and every sum is known.
struct Orthogonal {
  std::int64_t n, p, t = 2;
  Doubles x, y, weight, vectors, values, cross, mean_x, mean_y, alpha{0.25, 1.0, 4.0};

  Orthogonal(std::int64_t rows, std::int64_t features)
      : n(rows),
        p(features),
        x(at(n * p), 0.0),
        y(test::normal_values(n * t, 3, 0.5)),
        weight(at(n)),
        vectors(at(p * p), 0.0),
        values(at(p), 0.0),
        cross(at(p * t), 0.0),
        mean_x(at(p), 0.0),
        mean_y{0.5, -0.25} {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t j = i % p;
      weight[at(i)] = 1.0 + static_cast<double>(i % 3);
      x[at(i * p + j)] = 0.5 + static_cast<double>(i % 5);
      values[at(j)] += weight[at(i)] * x[at(i * p + j)] * x[at(i * p + j)];
      for (std::int64_t c = 0; c < t; ++c)
        cross[at(j * t + c)] +=
            weight[at(i)] * x[at(i * p + j)] * (y[at(i * t + c)] - mean_y[at(c)]);
    }
    for (std::int64_t j = 0; j < p; ++j) vectors[at(j * p + j)] = 1.0;
  }

  RidgeSpectrum spectrum() const {
    return {{vectors.data(), p, p}, values, {cross.data(), p, t}, mean_x, mean_y, 0.001, alpha};
  }
  MatrixView<const double> Y() const { return {y.data(), n, t}; }

  double expected(std::int64_t i, std::int64_t c, std::size_t a) const {
    const std::int64_t j = i % p;
    const double z = x[at(i * p + j)];
    const double filter = 1.0 / (values[at(j)] + alpha[a]);
    const double residual = y[at(i * t + c)] - mean_y[at(c)] - z * cross[at(j * t + c)] * filter;
    return residual / (1.0 - weight[at(i)] * (z * z * filter + 0.001));
  }
};

struct Result {
  Doubles errors, sums;

  explicit Result(const Orthogonal& data) : errors(at(data.n * data.t * 3)), sums(at(data.t * 3)) {}
  LeaveOneOutErrors out(const Orthogonal& data) {
    return {{errors.data(), data.n, data.t * 3}, {sums.data(), data.t, 3}};
  }
};

void check_errors(const Orthogonal& data, const Result& result) {
  for (std::int64_t c = 0; c < data.t; ++c)
    for (std::size_t a = 0; a < 3; ++a) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < data.n; ++i) {
        const double want = data.expected(i, c, a);
        const double got = result.errors[at((i * data.t + c) * 3) + a];
        CHECK(std::abs(got - want) <= 1e-12 * (1.0 + std::abs(want)));
        sum += data.weight[at(i)] * want * want;
      }
      CHECK(std::abs(result.sums[at(c * 3) + a] - sum) <= 1e-11 * sum);
    }
}

}  // namespace

TEST(leave_one_out_errors_of_orthogonal_columns_in_any_layout) {
  for (const auto& [n, p] : {std::pair<std::int64_t, std::int64_t>{5, 2}, {700, 13}, {400, 300}}) {
    const Orthogonal data(n, p);
    for (const auto layout : test::kLayouts) {
      const test::Matrix<double> X(MatrixView<const double>(data.x.data(), n, p), layout);
      Result result(data);
      leave_one_out(X.view(), data.Y(), data.weight, data.spectrum(), result.out(data),
                    test::context_with(1));
      check_errors(data, result);
    }
  }
}

TEST(leave_one_out_of_sparse_rows_on_any_number_of_threads) {
  const Orthogonal data(2500, 7);
  std::vector<int> indices(at(data.n)), indptr(at(data.n + 1));
  Doubles stored(at(data.n));
  for (std::int64_t i = 0; i < data.n; ++i) {
    indices[at(i)] = static_cast<int>(i % data.p);
    indptr[at(i + 1)] = static_cast<int>(i + 1);
    stored[at(i)] = data.x[at(i * data.p + i % data.p)];
  }
  const CsrView<double, int> X{stored, indices, indptr, data.p};
  Result one(data), four(data);
  leave_one_out(X, data.Y(), data.weight, data.spectrum(), one.out(data), test::context_with(1));
  leave_one_out(X, data.Y(), data.weight, data.spectrum(), four.out(data), test::context_with(4));
  check_errors(data, one);
  CHECK(one.errors == four.errors);
  CHECK(one.sums == four.sums);
}
