// Residuals in doubled precision against exact sums, where ordinary sums lose every digit.
#include <cfloat>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/extended.hpp"
#include "linalg/linalg_data.hpp"

using gramian::Context;
using gramian::ExtendedRows;
using gramian::MatrixView;
using test::at;
using test::same_bits;

namespace {

using Doubles = std::vector<double>;
// Numbers of 113 bits: an extension on x86-64, on aarch64 what long double is.
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
static_assert(LDBL_MANT_DIG == 113, "the exact sums need a type of 113 bits");
#endif

double magnitude(Quad x) { return static_cast<double>(x < 0 ? -x : x); }

// Columns that nearly cancel: the residuals are far below the terms they are made of.
struct Data {
  std::int64_t n, p;
  Doubles x, y, root_weight, coef, residual;
  double intercept = 3e7;

  Data(std::int64_t rows, std::int64_t features)
      : n(rows),
        p(features),
        x(at(n * p)),
        y(at(n)),
        root_weight(test::random_weights(n, 1)),
        coef(at(p)),
        residual(test::normal_values(n, 2)) {
    gramian::Stream stream(3, 0, 0);
    for (double& w : root_weight) w = std::sqrt(w);
    for (std::int64_t j = 0; j < p; ++j)
      coef[at(j)] = std::ldexp(stream.normal(), static_cast<int>(stream.below(30)));
    for (std::int64_t i = 0; i < n; ++i) {
      Quad fit = intercept;
      for (std::int64_t j = 0; j < p; ++j) {
        x[at(i * p + j)] = 1e6 * stream.normal();
        fit += static_cast<Quad>(x[at(i * p + j)]) * coef[at(j)];
      }
      y[at(i)] = static_cast<double>(fit);
    }
  }

  ExtendedRows rows(const MatrixView<const double>& X) const {
    return {X, y.data(), root_weight.data(), coef.data(), intercept, residual.data()};
  }
};

// `value` differs from the exact sum by its own rounding and 2^-100 of the terms.
void check_sum(double value, Quad exact, Quad size) {
  const double error = magnitude(exact - static_cast<Quad>(value));
  CHECK(error <= 3e-16 * magnitude(exact) + 1e-27 * static_cast<double>(size));
}

void check_against_quad(const Data& data, const Doubles& f, const Doubles& g) {
  std::vector<Quad> adjoint(at(data.p + 1), 0), size(at(data.p + 1), 0);
  for (std::int64_t i = 0; i < data.n; ++i) {
    const Quad root = data.root_weight[at(i)];
    Quad sum = static_cast<Quad>(data.y[at(i)]) - data.intercept, terms = 1e10;
    for (std::int64_t j = 0; j < data.p; ++j) {
      const Quad product = static_cast<Quad>(data.x[at(i * data.p + j)]) * data.coef[at(j)];
      sum -= product;
      terms += magnitude(product);
    }
    check_sum(f[at(i)], root * sum - data.residual[at(i)], root * terms);
    for (std::int64_t j = 0; j <= data.p; ++j) {
      const Quad x = j < data.p ? data.x[at(i * data.p + j)] : 1.0;
      adjoint[at(j)] -= root * data.residual[at(i)] * x;
      size[at(j)] += magnitude(root * data.residual[at(i)] * x);
    }
  }
  for (std::size_t j = 0; j < adjoint.size(); ++j)
    check_sum(g[j], adjoint[j], static_cast<Quad>(data.n) * size[j]);
}

}  // namespace

TEST(extended_residuals_survive_cancellation) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 2100})
    for (const std::int64_t p : {0, 1, 5, 30}) {
      const Data data(n, p);
      const MatrixView<const double> X(data.x.data(), n, p);
      Doubles f(at(n), NAN), g(at(p + 1), NAN);
      gramian::linalg::extended_residuals(data.rows(X), f.data(), g.data(), Context{});
      check_against_quad(data, f, g);
    }
}

TEST(extended_residuals_have_the_same_bits_for_any_layout_and_number_of_threads) {
  const Data data(5000, 7);
  const MatrixView<const double> values(data.x.data(), data.n, data.p);
  Doubles reference_f, reference_g;
  for (const auto layout : test::kLayouts)
    for (const int n_threads : {1, 2, 3, 8}) {
      const test::Matrix<double> X(values, layout);
      Doubles f(at(data.n)), g(at(data.p + 1));
      gramian::linalg::extended_residuals(data.rows(X.view()), f.data(), g.data(),
                                          test::context_with(n_threads));
      if (reference_f.empty()) {
        reference_f = f;
        reference_g = g;
      }
      CHECK(same_bits(f, reference_f) && same_bits(g, reference_g));
    }
}

#if defined(__x86_64__)
TEST(extended_kernels_give_the_same_bits_on_every_level) {
  const Data data(40, 9);
  const auto rows = data.rows({data.x.data(), data.n, data.p});
  const auto run = [&](auto primal, auto adjoint) {
    Doubles out(at(data.n + 2 * (data.p + 1)), 0.0);
    primal(rows, 0, data.n, out.data());
    adjoint(rows, 0, data.n, out.data() + data.n, out.data() + data.n + data.p + 1);
    return out;
  };
  const Doubles reference = run(gramian::v2::extended_primal, gramian::v2::extended_adjoint);
  if (gramian::cpu_level() >= gramian::Level::v3)
    CHECK(same_bits(run(gramian::v3::extended_primal, gramian::v3::extended_adjoint), reference));
  if (gramian::cpu_level() >= gramian::Level::v4)
    CHECK(same_bits(run(gramian::v4::extended_primal, gramian::v4::extended_adjoint), reference));
}
#endif

TEST(extended_residuals_can_be_stopped) {
  const Data data(100, 3);
  Doubles f(100), g(4);
  const Context ctx;
  ctx.request_stop();
  CHECK_THROWS(gramian::Interrupted,
               gramian::linalg::extended_residuals(data.rows({data.x.data(), 100, 3}), f.data(),
                                                   g.data(), ctx));
}
