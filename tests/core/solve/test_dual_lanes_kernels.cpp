// Products of a row with eight machines against plain loops, dense and sparse.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "solve/svm/dual_lanes_kernel.hpp"

using test::at;

namespace {

using Doubles = std::vector<double>;

template <class T, class Index>
struct SparseRow {
  std::vector<T> values;
  std::vector<Index> cols;

  explicit SparseRow(std::int64_t n) {
    for (const double x : test::normal_values(n, 1)) values.push_back(static_cast<T>(x));
    for (std::int64_t e = 0; e < n; ++e) cols.push_back(static_cast<Index>(3 * e + e % 2));
  }
};

template <class T, class Index>
void check_row(const gramian::LaneKernels<T, Index>& kernels, std::int64_t n, bool is_dense) {
  const SparseRow<T, Index> row(n);
  const Index* cols = is_dense ? nullptr : row.cols.data();
  const auto W = test::normal_values(8 * (3 * n + 2), 2), step = test::normal_values(8, 3);
  Doubles moved = W, out(8, -1.0);
  long double expected[8] = {};
  for (std::int64_t e = 0; e < n; ++e)
    for (std::int64_t lane = 0; lane < 8; ++lane) {
      const auto value = static_cast<double>(row.values[at(e)]);
      const std::size_t place = at(8 * (cols ? static_cast<std::int64_t>(cols[e]) : e) + lane);
      expected[lane] += static_cast<long double>(value) * W[place];
      moved[place] = std::fma(value, step[at(lane)], moved[place]);
    }
  kernels.times(row.values.data(), cols, n, W.data(), out.data());
  for (std::int64_t lane = 0; lane < 8; ++lane)
    CHECK(test::is_close(out[at(lane)], expected[lane], 1e-12L));
  Doubles found = W;
  kernels.add(row.values.data(), cols, n, step.data(), found.data());
  CHECK(test::same_bits(found, moved));
}

template <class T, class Index>
Doubles products(const gramian::LaneKernels<T, Index>& kernels) {
  const SparseRow<T, Index> row(33);
  const auto W = test::normal_values(8 * 101, 4);
  Doubles out(8);
  kernels.times(row.values.data(), row.cols.data(), 33, W.data(), out.data());
  return out;
}

}  // namespace

TEST(eight_machines_at_a_time_are_each_the_plain_product) {
  for (const auto level : test::levels())
    for (const std::int64_t n : {0, 1, 2, 3, 8, 9, 30})
      for (const bool is_dense : {false, true}) {
        check_row(AT_LEVEL(level, float_lanes_32), n, is_dense);
        check_row(AT_LEVEL(level, float_lanes_64), n, is_dense);
        check_row(AT_LEVEL(level, double_lanes_32), n, is_dense);
        check_row(AT_LEVEL(level, double_lanes_64), n, is_dense);
      }
}

TEST(eight_machines_have_the_same_bits_on_every_level) {
  const auto first = test::levels().front();
  for (const auto level : test::levels()) {
    CHECK(test::same_bits(products(AT_LEVEL(level, float_lanes_32)),
                          products(AT_LEVEL(first, float_lanes_32))));
    CHECK(test::same_bits(products(AT_LEVEL(level, double_lanes_64)),
                          products(AT_LEVEL(first, double_lanes_64))));
  }
}
