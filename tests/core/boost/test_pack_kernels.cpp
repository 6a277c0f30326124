// Gradients and hessians as pairs of whole numbers, against plain rounding.
#include <algorithm>
#include <cmath>
#include <vector>

#include "boost/grow/pack_kernel.hpp"
#include "boost/grow/pairs.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

namespace boost = gramian::boost;
using test::at;

namespace {

struct Rows {
  std::vector<float> gradient, hessian;
  std::vector<double> weight, whole;

  explicit Rows(std::int64_t n) {
    for (const double x : test::normal_values(n, 1)) gradient.push_back(static_cast<float>(x));
    for (const double x : test::normal_values(n, 2))
      hessian.push_back(static_cast<float>(0.001 + std::abs(x)));
    for (const double x : test::normal_values(n, 3)) {
      weight.push_back(0.1 + std::abs(x));
      whole.push_back(1.0 + std::floor(3.0 * std::abs(x)));
    }
  }
};

void check_block(const gramian::PackBlock& block) {
  long double gradients = 0, hessians = 0;
  gramian::PackedSums expected;
  std::vector<std::int64_t> pairs;
  for (std::int64_t i = 0; i < block.n; ++i) {
    const double w = block.weight ? block.weight[i] : 1.0;
    const double h = block.hessian ? static_cast<double>(block.hessian[i]) : 1.0;
    const auto g = static_cast<double>(block.gradient[i]);
    gradients += std::abs(g) * w;
    hessians += h * w;
    const double inside = block.has_whole_weights ? 1.0 : w;
    const double copies = block.has_whole_weights ? w : 1.0;
    const double one = std::max(1.0, std::nearbyint(h * inside * block.hessian_scale));
    const double pull = copies * std::nearbyint(g * inside * block.gradient_scale);
    pairs.push_back(
        boost::make_pair(static_cast<std::int64_t>(pull), static_cast<std::int64_t>(copies * one)));
    expected.pair += pairs.back();
    const auto whole = static_cast<std::int64_t>(one);
    expected.least_hessian = std::min(expected.least_hessian, whole);
    expected.largest_hessian = std::max(expected.largest_hessian, whole);
  }
  gramian::PackSums first;
  for (const auto level : test::levels()) {
    const auto sizes = AT_LEVEL(level, sum_sizes, block);
    CHECK(std::abs(sizes.gradient - gradients) < 1e-11L);
    CHECK(std::abs(sizes.hessian - hessians) < 1e-11L);
    if (level == test::levels().front()) first = sizes;
    CHECK(sizes.gradient == first.gradient && sizes.hessian == first.hessian);
    std::vector<std::int64_t> found(at(block.n), -1);
    const auto sums = AT_LEVEL(level, pack_pairs, block, found.data());
    CHECK(found == pairs && sums.pair == expected.pair);
    CHECK(sums.least_hessian == expected.least_hessian);
    CHECK(sums.largest_hessian == expected.largest_hessian);
  }
}

}  // namespace

TEST(pairs_are_rounded_gradients_and_hessians) {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 31, 100}) {
    const Rows rows(n);
    for (const float* hessian : {static_cast<const float*>(nullptr), rows.hessian.data()}) {
      const auto check = [&](const double* weight, bool is_whole) {
        check_block({rows.gradient.data(), hessian, weight, n, is_whole, 1024.0, 64.0});
      };
      check(nullptr, false);
      check(rows.weight.data(), false);
      check(rows.whole.data(), true);
    }
  }
}
