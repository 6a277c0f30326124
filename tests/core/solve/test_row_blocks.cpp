// Sums over n rows are, bit for bit, those over blocks of rows combined up the tree: what a block
// gives depends on its rows alone, and neither on n nor on the number of threads.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/moments.hpp"
#include "loss/objective.hpp"
#include "parallel/tiles.hpp"
#include "preprocessing/columns.hpp"
#include "solve/descent/columns.hpp"
#include "solve/glm/rows.hpp"
#include "solve/sgd/sgd.hpp"

using gramian::AnyMatrix;
using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::TreeSums;
using gramian::linalg::Design;
using gramian::solve::ActiveCoef;
using test::at;
using test::Layout;
using test::Matrix;

namespace {

using Doubles = std::vector<double>;
using View = MatrixView<const double>;

// sum_of(first, last, ctx) over all rows with several threads, and over each block with one.
void check_blocks(
    std::int64_t n, std::int64_t block,
    const std::function<Doubles(std::int64_t, std::int64_t, const Context&)>& sum_of) {
  const Doubles all = sum_of(0, n, test::context_with(4));
  std::vector<gramian::TreeSum> sums(all.size());
  for (std::int64_t first = 0; first < n; first += block) {
    const Doubles part = sum_of(first, std::min(first + block, n), test::context_with(1));
    for (std::size_t k = 0; k < all.size(); ++k) sums[k].add(first / block, part[k]);
  }
  for (std::size_t k = 0; k < all.size(); ++k) CHECK(sums[k].total() == all[k]);
  CHECK(std::any_of(all.begin(), all.end(), [](double sum) { return sum != 0.0; }));
}

struct Data {
  std::int64_t n, p;
  Doubles x, y, weight, zeros, coef;

  Data(std::int64_t rows, std::int64_t cols)
      : n(rows),
        p(cols),
        x(test::normal_values(n * p, 1, 0.5)),
        y(test::normal_values(n, 2, -1.0)),
        weight(test::random_weights(n, 3)),
        zeros(at(p)),
        coef(test::normal_values(p, 4)) {}

  View X() const { return {x.data(), n, p}; }
  View Y(std::int64_t first, std::int64_t last) const {
    return {y.data() + first, last - first, 1};
  }
  std::span<const double> weights(std::int64_t first, std::int64_t last) const {
    return std::span(weight).subspan(at(first), at(last - first));
  }
};

// `length` entries in every row, at scattered places.
struct Sparse {
  std::vector<float> values;
  std::vector<std::int32_t> indices, indptr{0};
  std::int64_t n_cols;

  Sparse(std::int64_t n, std::int64_t p, std::int64_t length) : n_cols(p) {
    const Doubles x = test::normal_values(n * length, 5);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t start = i * 7919 % p, stride = p / length;
      std::vector<std::int32_t> cols;
      for (std::int64_t e = 0; e < length; ++e)
        cols.push_back(static_cast<std::int32_t>((start + e * stride) % p));
      std::sort(cols.begin(), cols.end());
      indices.insert(indices.end(), cols.begin(), cols.end());
      indptr.push_back(static_cast<std::int32_t>(indices.size()));
    }
    values.assign(x.begin(), x.end());
  }

  CsrView<float, std::int32_t> view() const { return {values, indices, indptr, n_cols}; }
};

void append(Doubles& out, const auto& sums) { out.insert(out.end(), sums.begin(), sums.end()); }

// Moments and gradient of least squares.
void check_design(const Data& data, std::int64_t block,
                  const std::function<AnyMatrix(std::int64_t, std::int64_t)>& rows_of) {
  check_blocks(data.n, block, [&](std::int64_t first, std::int64_t last, const Context& ctx) {
    const auto design = gramian::linalg::design_of(rows_of(first, last), data.Y(first, last),
                                                   data.weights(first, last));
    const Doubles shift_y{0.25};
    const auto m = design->moments(data.zeros, shift_y, ctx);
    const auto g = design->gradient({data.coef, data.zeros, shift_y}, nullptr, ctx);
    Doubles sums(m.gram.data(), m.gram.data() + m.gram.size());
    sums.insert(sums.end(), m.cross.data(), m.cross.data() + m.cross.size());
    append(sums, m.sum_x);
    append(sums, m.sum_y);
    append(sums, m.yy);
    append(sums, g.values);
    append(sums, g.rss);
    sums.push_back(m.weight);
    return sums;
  });
}

// A pass with `k` outputs, where the loss makes r = (z - y) w of the scores.
void check_pass(const Data& data, std::int64_t k, std::int64_t block,
                const std::function<AnyMatrix(std::int64_t, std::int64_t)>& rows_of) {
  const Doubles params = test::normal_values(k * (data.p + 1), 6);
  check_blocks(data.n, block, [&](std::int64_t first, std::int64_t last, const Context& ctx) {
    const auto rows = gramian::solve::rows_for_passes(rows_of(first, last));
    const auto on_block = [&](const gramian::solve::ScoreBlock& scores) {
      double value = 0.0;
      for (std::int64_t i = scores.begin; i < scores.end; ++i)
        for (std::int64_t c = 0; c < k; ++c) {
          double& z = scores.z[(i - scores.begin) * scores.ld + c];
          value += z * z;
          z = (z - data.y[at(first + i)]) * data.weight[at(first + i)];
          scores.values[c] += z;
        }
      return value;
    };
    auto sums = rows->pass(params, k, on_block, ctx);
    Doubles out = sums.products;
    append(out, sums.values);
    out.push_back(sums.value);
    append(out, rows->squares(data.weights(first, last), ctx));
    return out;
  });
}

// Slopes at two coefficients and the Gram matrix of some columns.
void check_columns(const Data& data, std::int64_t block,
                   const std::function<AnyMatrix(std::int64_t, std::int64_t)>& rows_of) {
  const Doubles means(data.coef), mean_y{0.5};
  const ActiveCoef coef{{0, data.p - 1}, {0.5, -2.0}};
  const std::vector<std::int64_t> cols{data.p - 1, 0, 1};
  check_blocks(data.n, block, [&](std::int64_t first, std::int64_t last, const Context& ctx) {
    const auto columns = gramian::solve::columns_of(
        rows_of(first, last), {data.Y(first, last), data.weights(first, last), means, mean_y});
    Doubles slope(at(data.p)), gram(64), out;
    out.push_back(columns->slopes(coef, {}, slope.data(), ctx));
    columns->extend_gram(cols, 1, gram.data(), 8, ctx);
    append(out, slope);
    append(out, gram);
    const auto space = columns->residual_space(cols, coef, ctx);
    for (const std::int64_t k : {0, 1, 2}) out.push_back(space->dot(k, 0));
    out.push_back(space->squared_norm());
    return out;
  });
}

template <class T>
auto blocks_of(const Matrix<T>& X) {
  return
      [&X](std::int64_t first, std::int64_t last) { return AnyMatrix(X.view().rows(first, last)); };
}

auto blocks_of(const Sparse& X) {
  return
      [&X](std::int64_t first, std::int64_t last) { return AnyMatrix(X.view().rows(first, last)); };
}

// As preprocessing combines them.
struct ColumnMoments {
  double weight = 0.0, mean = 0.0, squares = 0.0;

  ColumnMoments& operator+=(const ColumnMoments& next) {
    const double total = weight + next.weight;
    const double fraction = total > 0.0 ? next.weight / total : 0.0;
    const double step = next.mean - mean;
    squares += next.squares + step * step * weight * fraction;
    mean += step * fraction;
    weight = total;
    return *this;
  }
};

}  // namespace

TEST(moments_and_gradients_of_dense_blocks_add_up) {
  for (const std::int64_t p : {11, 70}) {
    const Data data(3 * 8192 + 777, p);
    for (const Layout layout : {Layout::c, Layout::f}) {
      check_design(data, 8192, blocks_of(Matrix<double>(data.X(), layout)));
      check_design(data, 8192, blocks_of(Matrix<float>(data.X(), layout)));
    }
  }
}

TEST(moments_and_gradients_of_sparse_blocks_add_up) {
  const Data data(3 * 8192 + 500, 70);
  check_design(data, 8192, blocks_of(Sparse(data.n, data.p, 9)));
}

TEST(passes_over_dense_blocks_add_up) {
  const Data data(3 * 2048 + 300, 13);
  for (const std::int64_t k : {1, 3})
    for (const Layout layout : {Layout::c, Layout::f}) {
      check_pass(data, k, 2048, blocks_of(Matrix<double>(data.X(), layout)));
      check_pass(data, k, 2048, blocks_of(Matrix<float>(data.X(), layout)));
    }
}

TEST(passes_over_sparse_blocks_add_up) {
  const Data narrow(5 * 2048 + 300, 40);
  for (const std::int64_t k : {1, 3})
    check_pass(narrow, k, 2048, blocks_of(Sparse(narrow.n, narrow.p, 7)));
  Data wide(1, 12'000);  // several threads share a tile of 4,096 rows
  wide.n = 2 * 4096 + 500;
  wide.y = test::normal_values(wide.n, 2);
  wide.weight = test::random_weights(wide.n, 3);
  check_pass(wide, 1, 8192, blocks_of(Sparse(wide.n, wide.p, 60)));
}

TEST(columns_of_blocks_add_up) {
  const Data data(2 * 65'536 + 50, 5);  // a column alone has large tiles
  for (const Layout layout : {Layout::c, Layout::f}) {
    check_columns(data, 65'536, blocks_of(Matrix<double>(data.X(), layout)));
    check_columns(data, 65'536, blocks_of(Matrix<float>(data.X(), layout)));
  }
}

TEST(losses_of_blocks_add_up) {
  using gramian::loss::Kind;
  const std::int64_t n = 5 * 1024 + 100;
  const Data data(n, 3);
  Doubles y(data.y);
  for (double& value : y) value = value > -1.0 ? 1.0 : 0.0;
  for (const auto& objective : std::vector<gramian::loss::Objective>{
           {Kind::squared}, {Kind::logistic}, {Kind::poisson}, {Kind::softmax, 0.0, 3}})
    check_blocks(n, 1024, [&](std::int64_t first, std::int64_t last, const Context& ctx) {
      Doubles scores;
      for (std::int64_t c = 0; c < objective.n_groups; ++c)
        for (std::int64_t i = first; i < last; ++i) scores.push_back(data.x[at(c * n + i)]);
      const auto sum = objective.sum(std::span(y).subspan(at(first), at(last - first)),
                                     data.weights(first, last), scores, ctx);
      return Doubles{sum.loss, sum.weight};
    });
}

TEST(gradients_of_stochastic_descent_add_up) {
  const std::int64_t n = 4 * 4096;  // means over powers of two are as exact as sums
  const Data data(n, 9);
  check_blocks(n, 4096, [&](std::int64_t first, std::int64_t last, const Context& ctx) {
    gramian::solve::SgdOptions options;
    options.loss = gramian::solve::SgdLoss::squared_error;
    gramian::solve::SgdProblem problem;
    problem.y = std::span(data.y).subspan(at(first), at(last - first));
    problem.weight = data.weights(first, last);
    Doubles loss(1), norms(1), coef(9), intercept(1);
    const Doubles b{0.5};
    gramian::solve::sgd_gradient(AnyMatrix(data.X().rows(first, last)), problem, options,
                                 {{data.coef.data(), 1, 9}, b},
                                 {loss, norms, {coef.data(), 1, 9}, intercept}, ctx);
    Doubles out{loss[0], norms[0], intercept[0]};
    append(out, coef);
    for (double& mean : out) mean *= static_cast<double>(last - first);
    return out;
  });
}

TEST(column_moments_of_blocks_add_up) {
  const std::int64_t block = 16'384, n = 3 * block + 100, p = 5;
  Data data(n, p);
  for (std::int64_t i = 0; i < n; i += block)  // moments are about the first row of each block
    std::fill_n(data.x.begin() + i * p, p, 0.0);
  const auto moments_of = [&](std::int64_t first, std::int64_t last, int n_threads) {
    std::vector<Doubles> out(3, Doubles(at(p)));
    gramian::preprocessing::column_moments(data.X().rows(first, last), data.weights(first, last),
                                           {out[0], out[1], out[2]}, test::context_with(n_threads));
    std::vector<ColumnMoments> columns;
    for (std::size_t j = 0; j < at(p); ++j) columns.push_back({out[0][j], out[1][j], out[2][j]});
    return columns;
  };
  std::vector<TreeSums<ColumnMoments>> sums(at(p));
  for (std::int64_t first = 0; first < n; first += block) {
    const auto part = moments_of(first, std::min(first + block, n), 1);
    for (std::size_t j = 0; j < at(p); ++j) sums[j].add(first / block, part[j]);
  }
  const auto all = moments_of(0, n, 4);
  for (std::size_t j = 0; j < at(p); ++j) {
    const ColumnMoments total = sums[j].total();
    CHECK(total.weight == all[j].weight);
    CHECK(total.mean == all[j].mean);
    CHECK(total.squares == all[j].squares);
  }
}
