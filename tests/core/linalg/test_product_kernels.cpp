// Products with a few columns, in the order that the kernel promises.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/product_kernel.hpp"
#include "simd/each_level.hpp"

using test::at;
using test::Layout;
using test::Matrix;

namespace {

template <class T>
void check_product(std::int64_t n, std::int64_t depth, std::int64_t width, Layout layout) {
  const auto values = test::normal_values(n * depth, 1);
  const auto b = test::normal_values(depth * width, 2);
  const auto start = test::normal_values(n * width, 3);
  const Matrix<T> a(gramian::MatrixView<const double>(values.data(), n, depth), layout);
  auto expected = start;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < width; ++j)
      for (std::int64_t k = 0; k < depth; ++k)
        expected[at(i * width + j)] = std::fma(static_cast<double>(a.view()(i, k)),
                                               b[at(k * width + j)], expected[at(i * width + j)]);
  for (const auto level : test::levels()) {
    auto c = start;
    const gramian::StridedProduct<T> product{
        a.view().data, a.view().row_stride, a.view().col_stride, n, depth, b.data(), c.data(),
        width};
    AT_LEVEL(level, add_strided_product, product);
    CHECK(test::same_bits(c, expected));
  }
}

}  // namespace

TEST(strided_products_add_in_the_order_of_the_depth) {
  for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 25})
    for (const std::int64_t depth : {0, 1, 5, 13})
      for (const std::int64_t width : {8, 16, 24})
        for (const Layout layout : test::kLayouts) {
          check_product<double>(n, depth, width, layout);
          check_product<float>(n, depth, width, layout);
        }
}

TEST(strided_products_in_floats_begin_with_a_row) {
  constexpr std::int64_t kRows = 29, kDepth = 300, kWidth = 80;  // several blocks of the depth
  const auto draw = [](std::int64_t n, unsigned seed) {
    const auto values = test::normal_values(n, seed);
    return std::vector<float>(values.begin(), values.end());
  };
  const auto a = draw(kRows * kDepth, 1), b = draw(kDepth * kWidth, 2), start = draw(kWidth, 3);
  std::vector<float> expected;
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kWidth; ++j) {
      float sum = start[at(j)];
      for (std::int64_t k = 0; k < kDepth; ++k)
        sum = std::fma(a[at(i * kDepth + k)], b[at(k * kWidth + j)], sum);
      expected.push_back(sum);
    }
  for (const auto level : test::levels()) {
    std::vector<float> c(at(kRows * kWidth), 7.0f);
    const gramian::StridedProduct<float, float> product{
        a.data(), kDepth, 1, kRows, kDepth, b.data(), c.data(), kWidth, start.data()};
    AT_LEVEL(level, add_strided_product, product);
    CHECK(c == expected);
  }
}
