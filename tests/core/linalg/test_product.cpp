// Products with few columns from either side, of any layout, against sums in long double.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/product.hpp"

using gramian::MatrixView;
using test::at;
using test::Layout;
using test::Matrix;

namespace {

template <class T>
void check_products(std::int64_t n, std::int64_t p, std::int64_t m, Layout layout,
                    bool is_shifted) {
  const auto values = test::normal_values(n * p, 1);
  const auto right = test::normal_values(p * m, 2), left = test::normal_values(n * m, 3);
  const auto shift = is_shifted ? test::normal_values(p, 4) : std::vector<double>{};
  const Matrix<T> A(MatrixView<const double>(values.data(), n, p), layout);
  std::vector<double> product[2], cross[2];
  for (const int threads : {1, 3}) {
    const auto ctx = test::context_with(threads);
    auto& straight = product[threads / 2];
    auto& across = cross[threads / 2];
    straight.resize(at(n * m));
    across.resize(at(p * m));
    gramian::linalg::product(A.view(), shift, MatrixView<const double>(right.data(), p, m),
                             MatrixView<double>(straight.data(), n, m), ctx);
    gramian::linalg::cross_product(A.view(), shift, MatrixView<const double>(left.data(), n, m),
                                   MatrixView<double>(across.data(), p, m), ctx);
  }
  CHECK(test::same_bits(product[0], product[1]));
  CHECK(test::same_bits(cross[0], cross[1]));
  const auto entry = [&](std::int64_t i, std::int64_t j) {
    return static_cast<long double>(A.view()(i, j)) - (is_shifted ? shift[at(j)] : 0.0);
  };
  for (std::int64_t c = 0; c < m; ++c) {
    for (std::int64_t i = 0; i < n; ++i) {
      long double sum = 0.0;
      for (std::int64_t j = 0; j < p; ++j) sum += entry(i, j) * right[at(j * m + c)];
      CHECK(test::is_close(product[0][at(i * m + c)], sum, 1e-11L));
    }
    for (std::int64_t j = 0; j < p; ++j) {
      long double sum = 0.0;
      for (std::int64_t i = 0; i < n; ++i) sum += entry(i, j) * left[at(i * m + c)];
      CHECK(test::is_close(cross[0][at(j * m + c)], sum, 1e-11L));
    }
  }
}

}  // namespace

TEST(products_of_any_shape_and_layout) {
  for (const Layout layout : test::kLayouts)
    for (const bool is_shifted : {false, true}) {
      check_products<double>(5, 3, 2, layout, is_shifted);
      check_products<double>(130, 300, 9, layout, is_shifted);
      check_products<float>(70, 129, 17, layout, is_shifted);
    }
  check_products<double>(5000, 10, 4, Layout::c, true);
}

TEST(products_without_rows_columns_or_results) {
  check_products<double>(0, 3, 2, Layout::c, false);
  check_products<double>(3, 0, 2, Layout::c, false);
  check_products<double>(3, 2, 0, Layout::c, false);
}
