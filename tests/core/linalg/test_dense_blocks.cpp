// Sums of columns, and products with contiguous columns, in the order that the kernels promise.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/dense_block_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/panels_kernel.hpp"
#include "simd/each_level.hpp"

using test::at;
using test::Layout;
using test::Matrix;

namespace {

using Doubles = std::vector<double>;

// Eight sums of every eighth row, added up as hsum adds lanes.
double sum_of(const auto& X, std::int64_t j, double shift, const double* w, double start) {
  double s[8] = {};
  for (std::int64_t k = 0; k < X.n_rows; ++k) {
    const double x = static_cast<double>(X(k, j)) - shift;
    s[k % 8] = w ? std::fma(x, w[k], s[k % 8]) : s[k % 8] + x;
  }
  return start + (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])));
}

template <class T>
void check_blocks(std::int64_t n, std::int64_t p) {
  const auto values = test::normal_values(n * p, 1);
  const auto shift = test::normal_values(p, 2);
  const auto weight = test::normal_values(n, 3);
  const auto start = test::normal_values(p, 4);
  const gramian::MatrixView<const double> given(values.data(), n, p);
  for (const bool by_row : {true, false}) {
    const Matrix<T> X(given, by_row ? Layout::c : Layout::f);
    const auto view = X.view();
    const gramian::DenseBlock<T> block{view.data, view.row_stride, view.col_stride, n, p};
    for (const double* w : {weight.data(), static_cast<const double*>(nullptr)}) {
      Doubles expected;
      for (std::int64_t j = 0; j < p; ++j)
        expected.push_back(sum_of(view, j, shift[at(j)], w, start[at(j)]));
      for (const auto level : test::levels()) {
        Doubles sums = start;
        AT_LEVEL(level, add_column_sums, block, shift.data(), w, sums.data());
        CHECK(test::same_bits(sums, expected));
      }
    }
  }
}

template <class T>
void check_product(std::int64_t n, std::int64_t p) {
  const auto values = test::normal_values(n * p, 1);
  Doubles coef = test::normal_values(p, 2);
  coef.resize(at(gramian::n_panels(p) * gramian::kLanes), 0.0);
  const Doubles shift = test::normal_values(static_cast<std::int64_t>(coef.size()), 5);
  const gramian::MatrixView<const double> given(values.data(), n, p);
  const Matrix<T> rows(given, Layout::c), columns(given, Layout::f);
  const auto by_row = rows.view(), by_column = columns.view();
  const gramian::RowBlock<T> row_block{by_row.data, by_row.row_stride, n, p, shift.data()};
  const gramian::DenseBlock<T> block{by_column.data, by_column.row_stride, by_column.col_stride, n,
                                     p};
  for (const auto level : test::levels()) {
    Doubles expected(at(n)), out(at(n));
    AT_LEVEL(level, rows_times_vector, row_block, coef.data(), expected.data());
    AT_LEVEL(level, columns_times_vector, block, shift.data(), coef.data(), out.data());
    CHECK(test::same_bits(out, expected));
  }
}

}  // namespace

TEST(column_sums_have_the_bits_of_their_order_in_both_layouts) {
  for (const std::int64_t n : {1, 7, 8, 9, 33, 70})
    for (const std::int64_t p : {1, 3, 4, 8, 9, 133}) {
      check_blocks<double>(n, p);
      check_blocks<float>(n, p);
    }
}

TEST(contiguous_columns_give_the_products_of_rows) {
  for (const std::int64_t n : {1, 7, 8, 9, 70})
    for (const std::int64_t p : {2, 7, 8, 9, 30}) {
      check_product<double>(n, p);
      check_product<float>(n, p);
    }
}
