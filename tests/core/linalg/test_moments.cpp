// Moments, gradients and passes over the rows against sums in long double, one term after the
// other.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/moments.hpp"

using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using gramian::linalg::CsrDesign;
using gramian::linalg::DenseDesign;
using gramian::linalg::Design;
using gramian::linalg::Gradient;
using gramian::linalg::Moments;
using test::at;
using test::Layout;
using test::Matrix;
using test::same_bits;

namespace {

using Doubles = std::vector<double>;
using View = MatrixView<const double>;

// Rows, targets and weights, and a point to take moments and gradients about.
struct Data {
  std::int64_t n, p, t;
  Doubles x, y, weight, shift_x, shift_y, coef;

  Data(std::int64_t rows, std::int64_t features, std::int64_t targets, bool has_weight = false)
      : n(rows),
        p(features),
        t(targets),
        x(test::normal_values(n * p, 1, 0.5)),
        y(test::normal_values(n * t, 2, -1.0)),
        weight(has_weight ? test::random_weights(n, 3) : Doubles{}),
        shift_x(test::normal_values(p, 4)),
        shift_y(test::normal_values(t, 5)),
        coef(test::normal_values(p * t, 6)) {}

  View X() const { return {x.data(), n, p}; }
  View Y() const { return {y.data(), n, t}; }
  long double w(std::int64_t i) const { return weight.empty() ? 1.0L : weight[at(i)]; }
  long double dx(std::int64_t i, std::int64_t j) const {
    return static_cast<long double>(x[at(i * p + j)]) - shift_x[at(j)];
  }
  long double dy(std::int64_t i, std::int64_t c) const {
    return static_cast<long double>(y[at(i * t + c)]) - shift_y[at(c)];
  }
  long double residual(std::int64_t i, std::int64_t c) const {
    long double r = dy(i, c);
    for (std::int64_t j = 0; j < p; ++j) r -= dx(i, j) * coef[at(j * t + c)];
    return r;
  }
};

// Three of four entries become zeros that are not stored; the columns of a row come in falling
// order.
template <class T, class Index>
struct Sparse {
  std::vector<T> values;
  std::vector<Index> indices, indptr{0};
  std::int64_t n_cols;

  explicit Sparse(Data& data) : n_cols(data.p) {
    for (std::int64_t i = 0; i < data.n; ++i) {
      for (std::int64_t j = data.p - 1; j >= 0; --j) {
        double& entry = data.x[at(i * data.p + j)];
        if ((i * 7 + j * 3) % 4 != 0) {
          entry = 0.0;
          continue;
        }
        values.push_back(static_cast<T>(entry));
        indices.push_back(static_cast<Index>(j));
      }
      indptr.push_back(static_cast<Index>(values.size()));
    }
    data.shift_x.assign(at(data.p), 0.0);
  }

  CsrView<T, Index> view() const { return {values, indices, indptr, n_cols}; }
};

Moments moments_of(const Design& design, const Data& data, const Context& ctx) {
  return design.moments(data.shift_x, data.shift_y, ctx);
}

Gradient gradient_of(const Design& design, const Data& data, double* residuals,
                     const Context& ctx) {
  return design.gradient({data.coef, data.shift_x, data.shift_y}, residuals, ctx);
}

// sum_i w_i a(i) b(i), and whether `value` is within rounding of it.
template <class A, class B>
void check_sum(double value, const Data& data, const A& a, const B& b) {
  long double sum = 0.0L, size = 0.0L;
  for (std::int64_t i = 0; i < data.n; ++i) {
    const long double product = data.w(i) * a(i) * b(i);
    sum += product;
    size += std::abs(product);
  }
  CHECK(test::is_close(value, sum, 1e-14L * size));
}

void check_moments(const Moments& m, const Data& data) {
  const auto one = [](std::int64_t) { return 1.0L; };
  for (std::int64_t j = 0; j < data.p; ++j) {
    const auto column = [&](std::int64_t i) { return data.dx(i, j); };
    for (std::int64_t k = 0; k < data.p; ++k) {
      CHECK(m.gram[j * data.p + k] == m.gram[k * data.p + j]);
      if (k <= j)
        check_sum(m.gram[j * data.p + k], data, column,
                  [&](std::int64_t i) { return data.dx(i, k); });
    }
    for (std::int64_t c = 0; c < data.t; ++c)
      check_sum(m.cross[j * data.t + c], data, column,
                [&](std::int64_t i) { return data.dy(i, c); });
    check_sum(m.sum_x[at(j)], data, column, one);
  }
  for (std::int64_t c = 0; c < data.t; ++c) {
    const auto target = [&](std::int64_t i) { return data.dy(i, c); };
    check_sum(m.sum_y[at(c)], data, target, one);
    check_sum(m.yy[at(c)], data, target, target);
  }
  check_sum(m.weight, data, one, one);
}

void check_gradient(const Gradient& g, const Doubles& residuals, const Data& data) {
  for (std::int64_t c = 0; c < data.t; ++c) {
    std::vector<long double> r(at(data.n));
    for (std::int64_t i = 0; i < data.n; ++i) {
      r[at(i)] = data.residual(i, c);
      CHECK(test::is_close(residuals[at(i * data.t + c)], r[at(i)], 1e-13L));
    }
    long double rss = 0.0L;
    for (std::int64_t i = 0; i < data.n; ++i) rss += data.w(i) * r[at(i)] * r[at(i)];
    CHECK(test::is_close(g.rss[at(c)], rss, 1e-13L * rss));
    for (std::int64_t j = 0; j < data.p; ++j) {
      long double sum = 0.0L, size = 1.0L;
      for (std::int64_t i = 0; i < data.n; ++i) {
        sum += data.w(i) * r[at(i)] * data.dx(i, j);
        size += std::abs(data.w(i) * r[at(i)] * data.dx(i, j));
      }
      CHECK(test::is_close(g.values[at(j * data.t + c)], sum, 1e-13L * size));
    }
  }
}

void check_design(const Design& design, const Data& data) {
  const Context ctx;
  check_moments(moments_of(design, data, ctx), data);
  Doubles residuals(at(data.n * data.t), NAN);
  check_gradient(gradient_of(design, data, residuals.data(), ctx), residuals, data);
}

std::span<const double> span_of(const gramian::Buffer<double>& buffer) {
  return {buffer.data(), at(buffer.size())};
}

bool same_results(const Design& design, const Design& other, const Data& data, const Context& ctx,
                  const Context& other_ctx) {
  const Moments m = moments_of(design, data, ctx), m2 = moments_of(other, data, other_ctx);
  const Gradient g = gradient_of(design, data, nullptr, ctx);
  const Gradient g2 = gradient_of(other, data, nullptr, other_ctx);
  return same_bits(span_of(m.gram), span_of(m2.gram)) &&
         same_bits(span_of(m.cross), span_of(m2.cross)) && same_bits(m.sum_x, m2.sum_x) &&
         same_bits(m.sum_y, m2.sum_y) && same_bits(m.yy, m2.yy) && m.weight == m2.weight &&
         same_bits(g.values, g2.values) && same_bits(g.rss, g2.rss);
}

template <class T, class Index>
void check_sparse(bool has_weight) {
  for (const std::int64_t n : {0, 1, 50, 2500})
    for (const std::int64_t t : {1, 3}) {
      Data data(n, 7, t, has_weight);
      const Sparse<T, Index> sparse(data);
      const CsrDesign<T, Index> design(sparse.view(), data.Y(), data.weight);
      check_design(design, data);
      for (const int n_threads : {2, 3, 8})
        CHECK(same_results(design, design, data, Context{}, test::context_with(n_threads)));
    }
}

}  // namespace

TEST(dense_moments_and_gradients_are_the_sums_of_their_definition) {
  for (const bool has_weight : {false, true})
    for (const std::int64_t n : {0, 1, 2, 255, 256, 257, 1030})
      for (const std::int64_t p : {1, 5, 8, 9, 17}) {
        const Data data(n, p, 1 + p % 3, has_weight);
        check_design(DenseDesign<double>(data.X(), data.Y(), data.weight), data);
      }
}

TEST(dense_moments_over_several_tiles_and_slices) {
  const Data wide(300, 270, 9, true);
  check_design(DenseDesign<double>(wide.X(), wide.Y(), wide.weight), wide);
  const Data tall(9000, 3, 1, true);
  check_design(DenseDesign<double>(tall.X(), tall.Y(), tall.weight), tall);
}

TEST(dense_designs_give_the_same_bits_for_any_layout_precision_and_number_of_threads) {
  for (const bool has_weight : {false, true})
    for (const std::int64_t n : {1, 300, 9000}) {
      const Data data(n, 21, 2, has_weight);
      const DenseDesign<double> reference(data.X(), data.Y(), data.weight);
      const Context serial;
      for (const int n_threads : {1, 2, 3, 8})
        for (const Layout layout : test::kLayouts) {
          const Matrix<double> X(data.X(), layout), Y(data.Y(), layout);
          const Matrix<float> small(data.X(), layout);
          const DenseDesign<double> in_double(X.view(), Y.view(), data.weight);
          const DenseDesign<float> in_float(small.view(), Y.view(), data.weight);
          const Context ctx = test::context_with(n_threads);
          CHECK(same_results(in_double, reference, data, ctx, serial));
          CHECK(same_results(in_float, reference, data, ctx, serial));
        }
    }
}

TEST(sparse_moments_and_gradients_are_the_sums_of_their_definition) {
  for (const bool has_weight : {false, true}) {
    check_sparse<double, std::int32_t>(has_weight);
    check_sparse<double, std::int64_t>(has_weight);
    check_sparse<float, std::int32_t>(has_weight);
    check_sparse<float, std::int64_t>(has_weight);
  }
}

TEST(guessed_means_are_near_the_means_of_large_numbers) {
  const std::int64_t n = 5000, p = 3;
  const Data zero(n, p, 2);
  Doubles x(zero.x);
  for (double& value : x) value += 1e8;
  const DenseDesign<double> design({x.data(), n, p}, zero.Y(), {});
  Doubles mean_x(3), mean_y(2);
  design.guess_means(mean_x, mean_y);
  for (const double m : mean_x) CHECK(std::abs(m - 1e8) < 1.0);  // a fraction of the deviation
  for (const double m : mean_y) CHECK(std::abs(m + 1.0) < 0.5);
}

TEST(centred_gram_is_the_kernel_matrix_of_centred_rows) {
  for (const std::int64_t n : {1, 5, 8, 30}) {
    const Data data(n, 100, 1);
    for (const Layout layout : test::kLayouts) {
      const Matrix<double> X(data.X(), layout);
      const Matrix<float> small(data.X(), layout);
      Doubles K(at(n * n), NAN), K_float(K);
      gramian::linalg::centred_gram(X.view().transposed(), data.shift_x, K.data(),
                                    test::context_with(2));
      gramian::linalg::centred_gram(small.view().transposed(), data.shift_x, K_float.data(),
                                    Context{});
      CHECK(same_bits(K, K_float));
      for (std::int64_t a = 0; a < n; ++a)
        for (std::int64_t b = 0; b < n; ++b) {
          long double sum = 0.0L;
          for (std::int64_t j = 0; j < data.p; ++j) sum += data.dx(a, j) * data.dx(b, j);
          CHECK(test::is_close(K[at(a * n + b)], sum, 1e-12L));
        }
    }
  }
}

TEST(predictions_have_the_same_bits_for_any_layout_and_number_of_threads) {
  for (const std::int64_t n : {0, 1, 31, 5000}) {
    Data data(n, 11, 3);
    const View coef(data.coef.data(), data.p, data.t);
    Doubles reference(at(n * data.t), NAN);
    gramian::linalg::affine_predict(data.X(), coef, data.shift_y,
                                    MatrixView<double>(reference.data(), n, data.t), Context{});
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < data.t; ++c) {
        long double sum = data.shift_y[at(c)];
        for (std::int64_t j = 0; j < data.p; ++j)
          sum += static_cast<long double>(data.X()(i, j)) * coef(j, c);
        CHECK(test::is_close(reference[at(i * data.t + c)], sum, 1e-13L));
      }
    for (const Layout layout : test::kLayouts) {
      const Matrix<double> X(data.X(), layout);
      Doubles out(at(n * data.t), NAN);
      gramian::linalg::affine_predict(X.view(), coef, data.shift_y,
                                      MatrixView<double>(out.data(), n, data.t),
                                      test::context_with(3));
      CHECK(same_bits(out, reference));
    }
  }
}

TEST(sparse_predictions_are_those_of_the_dense_matrix) {
  Data data(3000, 11, 2);
  const Sparse<double, std::int32_t> sparse(data);
  const View coef(data.coef.data(), data.p, data.t);
  Doubles out(at(data.n * data.t), NAN), expected(out);
  gramian::linalg::affine_predict(sparse.view(), coef, data.shift_y,
                                  MatrixView<double>(out.data(), data.n, data.t),
                                  test::context_with(2));
  gramian::linalg::affine_predict(data.X(), coef, data.shift_y,
                                  MatrixView<double>(expected.data(), data.n, data.t), Context{});
  for (std::size_t k = 0; k < out.size(); ++k) CHECK(std::abs(out[k] - expected[k]) < 1e-13);
}

TEST(column_means_of_large_numbers_keep_their_digits) {
  for (const bool has_weight : {false, true}) {
    Data data(4000, 5, 1, has_weight);
    for (double& value : data.x) value += 1e9;
    long double total = 0.0L;
    for (std::int64_t i = 0; i < data.n; ++i) total += data.w(i);
    Doubles reference;
    for (const Layout layout : test::kLayouts) {
      const Matrix<double> X(data.X(), layout);
      for (const int n_threads : {1, 3}) {
        Doubles mean(5, NAN);
        gramian::linalg::column_means(X.view(), data.weight, mean, test::context_with(n_threads));
        if (reference.empty()) reference = mean;
        CHECK(same_bits(mean, reference));
      }
    }
    for (std::int64_t j = 0; j < data.p; ++j) {
      long double sum = 0.0L;
      for (std::int64_t i = 0; i < data.n; ++i) sum += data.w(i) * data.X()(i, j);
      CHECK(test::is_close(reference[at(j)], sum / total, 2e-7L));  // one unit in the last place
    }
  }
}

TEST(one_bad_entry_is_found_in_any_layout) {
  const std::int64_t n = 1500, p = 19;
  for (const std::int64_t where : {std::int64_t{0}, n * p / 2, n * p - 1})
    for (const Layout layout : {Layout::c, Layout::f, Layout::strided, Layout::reversed}) {
      Data data(n, p, 1);
      const Matrix<double> good(data.X(), layout);
      CHECK(gramian::linalg::all_finite(good.view(), test::context_with(2)));
      data.x[at(where)] = std::numeric_limits<double>::infinity();
      const Matrix<double> bad(data.X(), layout);
      const Matrix<float> bad_float(data.X(), layout);
      CHECK(!gramian::linalg::all_finite(bad.view(), test::context_with(2)));
      CHECK(!gramian::linalg::all_finite(bad_float.view(), test::context_with(2)));
    }
  const Matrix<double> empty(View(nullptr, 0, 0), Layout::c);
  CHECK(gramian::linalg::all_finite(empty.view(), Context{}));
}
