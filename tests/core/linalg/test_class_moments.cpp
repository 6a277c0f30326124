// Moments of classes against sums in long double, for every layout and either precision.
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/class_moments.hpp"
#include "linalg/class_moments_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;
using Codes = std::vector<std::int64_t>;

struct Moments {
  std::int64_t k, p;
  Doubles weight, mean, scatter;

  Moments(std::int64_t n_classes, std::int64_t n_features)
      : k(n_classes), p(n_features), weight(at(k)), mean(at(k * p)), scatter(at(k * p)) {}
};

template <class T>
Moments moments_of(MatrixView<const T> X, const Codes& codes, const Doubles& weight, std::int64_t k,
                   int n_threads = 1) {
  Moments found(k, X.n_cols);
  gramian::linalg::class_moments(
      X, codes, weight,
      {found.weight, {found.mean.data(), k, X.n_cols}, {found.scatter.data(), k, X.n_cols}},
      test::context_with(n_threads));
  return found;
}

Codes codes_of(std::int64_t n, std::int64_t k) {
  gramian::Stream stream(7, 2, 0);
  Codes codes(at(n));
  for (std::int64_t& code : codes) code = static_cast<std::int64_t>(stream.below(at(k)));
  return codes;
}

void check_class(const Moments& m, std::int64_t c, const Doubles& x, const Codes& codes,
                 const Doubles& weight) {
  const auto n = std::ssize(codes);
  const auto w = [&](std::int64_t i) { return weight.empty() ? 1.0L : weight[at(i)]; };
  for (std::int64_t j = 0; j < m.p; ++j) {
    long double total = 0.0L, sum = 0.0L, squares = 0.0L;
    for (std::int64_t i = 0; i < n; ++i)
      if (codes[at(i)] == c) total += w(i), sum += w(i) * x[at(i * m.p + j)];
    const long double mean = total > 0.0L ? sum / total : 0.0L;
    for (std::int64_t i = 0; i < n; ++i) {
      const long double d = x[at(i * m.p + j)] - mean;
      if (codes[at(i)] == c) squares += w(i) * d * d;
    }
    CHECK(test::is_close(m.weight[at(c)], total, 1e-13L * total));
    if (total > 0.0L) CHECK(test::is_close(m.mean[at(c * m.p + j)], mean, 1e-13L));
    CHECK(test::is_close(m.scatter[at(c * m.p + j)], squares, 1e-13L * (1.0L + squares)));
  }
}

}  // namespace

TEST(class_moments_are_those_of_the_definition) {
  for (const std::int64_t p : {1, 7, 8, 20, 33, 70})
    for (const bool has_weight : {false, true}) {
      const std::int64_t n = 700, k = 4;  // the last class has no rows
      const Doubles x = test::normal_values(n * p, 1, 0.5);
      const Codes codes = codes_of(n, k - 1);
      const Doubles weight = has_weight ? test::random_weights(n, 3) : Doubles{};
      const MatrixView<const double> X(x.data(), n, p);
      const Moments found = moments_of(X, codes, weight, k);
      for (std::int64_t c = 0; c < k; ++c) check_class(found, c, x, codes, weight);
    }
}

TEST(class_moments_have_the_same_bits_in_any_layout_and_precision) {
  const std::int64_t n = 9000, p = 11, k = 3;  // more than one tile
  const Doubles x = test::normal_values(n * p, 1, 0.5);
  const Codes codes = codes_of(n, k);
  const Doubles weight = test::random_weights(n, 3);
  const MatrixView<const double> X(x.data(), n, p);
  const Moments first = moments_of(X, codes, weight, k);
  const auto check_same = [&](const Moments& other) {
    CHECK(test::same_bits(first.weight, other.weight));
    CHECK(test::same_bits(first.mean, other.mean));
    CHECK(test::same_bits(first.scatter, other.scatter));
  };
  for (const test::Layout layout : test::kLayouts)
    for (const int n_threads : {1, 3}) {
      check_same(moments_of(test::Matrix<double>(X, layout).view(), codes, weight, k, n_threads));
      check_same(moments_of(test::Matrix<float>(X, layout).view(), codes, weight, k, n_threads));
    }
}

TEST(class_moments_far_from_zero_keep_their_digits) {
  const std::int64_t n = 4000;
  Doubles x = test::normal_values(n, 1);
  const Codes codes = codes_of(n, 2);
  const Moments near = moments_of(MatrixView<const double>(x.data(), n, 1), codes, {}, 2);
  for (std::int64_t i = 0; i < n; ++i) x[at(i)] += codes[at(i)] == 0 ? 1e9 : -3e9;
  const Moments far = moments_of(MatrixView<const double>(x.data(), n, 1), codes, {}, 2);
  for (std::size_t c = 0; c < 2; ++c)
    CHECK(std::abs(far.scatter[c] / near.scatter[c] - 1.0) < 1e-7);  // 1e9 holds 1e-7 of one
}

TEST(class_moments_of_constant_columns_are_exact) {
  const Doubles x(1000, 0.1);
  const Moments m = moments_of(MatrixView<const double>(x.data(), 1000, 1), Codes(1000, 0), {}, 1);
  CHECK(m.mean[0] == 0.1);
  CHECK(m.scatter[0] == 0.0);
}

TEST(class_moments_refuse_codes_that_are_no_class) {
  const Doubles x(3, 1.0);
  const MatrixView<const double> X(x.data(), 3, 1);
  for (const std::int64_t wrong : {-1, 2})
    CHECK_THROWS(gramian::InvalidArgument, moments_of(X, {0, 1, wrong}, {}, 2));
}

TEST(class_sums_have_the_same_bits_on_every_level) {
  const std::int64_t n = 300, p = 21;
  const Doubles x = test::normal_values(n * p, 1);
  const Doubles weight = test::random_weights(n, 3);
  const Doubles shift(24, 0.25);
  std::vector<std::int32_t> rows;
  for (std::int32_t i = 0; i < n; i += 3) rows.push_back(i);
  const gramian::ChosenRows<double> chosen{x.data(),      p, 8, p, rows.data(), std::ssize(rows),
                                           weight.data(), 0};
  Doubles first;
  for (const gramian::Level level : test::levels()) {
    Doubles sums(48);
    AT_LEVEL(level, add_class_sums, chosen, shift.data(), sums.data(), sums.data() + 24);
    if (first.empty()) first = sums;
    CHECK(test::same_bits(first, sums));
  }
}
