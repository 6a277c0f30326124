// Scatter matrices within classes against sums in long double, for every layout and precision.
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/class_scatter.hpp"
#include "linalg/linalg_data.hpp"

using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;
using Codes = std::vector<std::int64_t>;

struct Table {
  std::int64_t n, p, k;
  Doubles x, mean, weight;
  Codes codes;

  Table(std::int64_t rows, std::int64_t cols, std::int64_t classes, bool is_weighted)
      : n(rows), p(cols), k(classes), x(test::normal_values(n * p, 3)), codes(at(n)) {
    mean = test::normal_values(k * p, 4, 1.0);
    if (is_weighted) weight = test::random_weights(n, 5);
    gramian::Stream stream(6, 0, 0);
    for (std::int64_t& code : codes) code = static_cast<std::int64_t>(stream.below(at(k)));
  }

  MatrixView<const double> view() const { return {x.data(), n, p}; }

  template <class T>
  gramian::linalg::ClassedRows<T> rows(MatrixView<const T> X) const {
    return {X, codes, weight, {mean.data(), k, p}};
  }

  long double entry(std::int64_t c, std::int64_t a, std::int64_t b) const {
    long double sum = 0.0L;
    for (std::int64_t i = 0; i < n; ++i) {
      if (codes[at(i)] != c) continue;
      const long double w = weight.empty() ? 1.0L : weight[at(i)];
      sum += w * (static_cast<long double>(x[at(i * p + a)]) - mean[at(c * p + a)]) *
             (static_cast<long double>(x[at(i * p + b)]) - mean[at(c * p + b)]);
    }
    return sum;
  }
};

template <class T>
void check_table(const Table& table, test::Layout layout) {
  const test::Matrix<T> X(table.view(), layout);
  const std::int64_t p = table.p;
  Doubles pooled(at(p * p)), each(at(table.k * p * p)), again(at(table.k * p * p));
  gramian::linalg::pooled_scatter(table.rows(X.view()), pooled.data(), test::context_with(1));
  gramian::linalg::class_scatters(table.rows(X.view()), each.data(), test::context_with(1));
  gramian::linalg::class_scatters(table.rows(X.view()), again.data(), test::context_with(3));
  CHECK(test::same_bits(each, again));
  const long double tolerance = 1e-13L * static_cast<long double>(table.n);
  for (std::int64_t a = 0; a < p; ++a)
    for (std::int64_t b = 0; b < p; ++b) {
      long double total = 0.0L;
      for (std::int64_t c = 0; c < table.k; ++c) {
        const long double expected = table.entry(c, a, b);
        CHECK(test::is_close(each[at((c * p + a) * p + b)], expected, tolerance));
        total += expected;
      }
      CHECK(test::is_close(pooled[at(a * p + b)], total, tolerance));
    }
}

}  // namespace

TEST(class_scatter_is_that_of_long_double_for_every_layout) {
  for (const bool is_weighted : {false, true})
    for (const std::int64_t k : {1, 3, 17})
      for (const test::Layout layout : test::kLayouts) {
        const Table table(300, 11, k, is_weighted);
        check_table<double>(table, layout);
        check_table<float>(table, layout);
      }
}

TEST(class_scatter_does_not_depend_on_the_layout) {
  const Table table(2500, 19, 4, true);
  Doubles first;
  for (const test::Layout layout : test::kLayouts) {
    const test::Matrix<double> X(table.view(), layout);
    Doubles out(at(table.k * table.p * table.p));
    gramian::linalg::class_scatters(table.rows(X.view()), out.data(), test::context_with(2));
    if (first.empty()) first = out;
    CHECK(test::same_bits(first, out));
  }
}

TEST(class_scatter_of_a_class_without_rows_is_zero) {
  Table table(20, 3, 4, false);
  for (std::int64_t& code : table.codes) code = code == 2 ? 1 : code;
  Doubles out(at(4 * 9), 1.0);
  gramian::linalg::class_scatters(table.rows(table.view()), out.data(), test::context_with(1));
  for (std::int64_t e = 18; e < 27; ++e) CHECK(out[at(e)] == 0.0);
}

TEST(class_scatter_refuses_codes_of_no_class) {
  Table table(20, 3, 2, false);
  table.codes[7] = 2;
  Doubles out(18);
  CHECK_THROWS(
      gramian::InvalidArgument,
      gramian::linalg::pooled_scatter(table.rows(table.view()), out.data(), test::context_with(1)));
  CHECK_THROWS(
      gramian::InvalidArgument,
      gramian::linalg::class_scatters(table.rows(table.view()), out.data(), test::context_with(1)));
}
