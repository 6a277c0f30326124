// Weighted quantiles against a naive twin that writes the copies out.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "loss/weighted_quantile.hpp"
#include "random/philox.hpp"

using gramian::loss::QuantileMethod;
using gramian::loss::WeightedQuantiles;
using gramian::loss::WeightedValue;

namespace {

using Doubles = std::vector<double>;

constexpr QuantileMethod kMethods[] = {
    QuantileMethod::inverted_cdf, QuantileMethod::averaged_inverted_cdf, QuantileMethod::linear};
const Doubles kLevels{0.0, 0.1, 0.25, 0.29, 1.0 / 3.0, 0.5, 0.6, 0.75, 0.9, 0.99, 1.0};

// Few distinct values, so that most are tied; every other weight is zero at times.
std::vector<WeightedValue> tied_values(std::uint64_t seed, int n) {
  gramian::Stream stream(seed, 0, 0);
  std::vector<WeightedValue> values;
  for (int i = 0; i < n; ++i) {
    const auto value = static_cast<double>(stream.below(5)) / 3.0;
    values.push_back({value, static_cast<double>(stream.below(4))});
  }
  return values;
}

Doubles copies_of(const std::vector<WeightedValue>& values) {
  Doubles copies;
  for (const auto& [value, weight] : values)
    copies.insert(copies.end(), static_cast<std::size_t>(weight), value);
  return copies;
}

// The definitions, word for word, of copies that are sorted.
double naive_quantile(Doubles x, double q, QuantileMethod method) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  if (method == QuantileMethod::linear) {
    const double place = q * (n - 1.0);
    const auto i = static_cast<std::size_t>(place);
    const double t = place - static_cast<double>(i);
    if (t == 0.0) return x[i];
    return t < 0.5 ? x[i] + (x[i + 1] - x[i]) * t : x[i + 1] - (x[i + 1] - x[i]) * (1.0 - t);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto n_up_to = static_cast<double>(i + 1);
    if (n_up_to < q * n) continue;
    const bool is_between = n_up_to == q * n && i + 1 < x.size();
    if (method == QuantileMethod::averaged_inverted_cdf && is_between)
      return 0.5 * (x[i] + x[i + 1]);
    return x[i];
  }
  return x.back();
}

// One quantile, which sorting and selection agree on.
double one(std::vector<WeightedValue> values, double level, QuantileMethod method) {
  const double sorted = WeightedQuantiles(values).at(level, method);
  const double selected = gramian::loss::weighted_quantile(values, level, method);
  CHECK(sorted == selected || (std::isnan(sorted) && std::isnan(selected)));
  return sorted;
}

}  // namespace

TEST(whole_weights_are_copies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto values = tied_values(seed, 1 + static_cast<int>(seed % 17));
    const Doubles copies = copies_of(values);
    if (copies.empty()) continue;
    for (const auto method : kMethods)
      for (const double level : kLevels) {
        const double expected = naive_quantile(copies, level, method);
        Doubles plain = copies;
        CHECK(one(values, level, method) == expected);
        CHECK(gramian::loss::quantile(plain, level, method) == expected);
      }
  }
}

TEST(a_value_without_weight_is_absent) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto averaged = QuantileMethod::averaged_inverted_cdf;
  CHECK(one({{1.0, 1.0}, {2.0, 0.0}, {3.0, 1.0}}, 0.5, averaged) == 2.0);
  CHECK(one({{1.0, 1.0}, {1.1, 0.0}, {3.0, 1.0}}, 0.5, averaged) == 2.0);
  CHECK(one({{1.0, 1.0}, {1.1, 0.0}, {3.0, 1.0}}, 0.5, QuantileMethod::inverted_cdf) == 1.0);
  CHECK(one({{0.0, 0.0}, {1.0, 0.5}, {9.0, 0.0}}, 0.0, QuantileMethod::inverted_cdf) == 1.0);
  CHECK(one({{nan, 3.0}, {1.0, 0.5}, {9.0, 0.0}}, 1.0, averaged) == 1.0);
  CHECK(std::isnan(one({}, 0.5, averaged)) && std::isnan(one({{1.0, 0.0}}, 0.5, averaged)));
  Doubles none{nan, nan};
  CHECK(std::isnan(gramian::loss::quantile(none, 0.5, averaged)));
}

TEST(medians_do_not_depend_on_the_unit_of_the_weights) {
  for (const double unit : {0.1, 1.0 / 3.0, 1e-9, 1e9})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto values = tied_values(seed, 40);
      auto scaled = values;
      for (WeightedValue& each : scaled) each.weight *= unit;
      for (const auto method : kMethods)
        CHECK(one(scaled, 0.5, method) == one(values, 0.5, method));
    }
}

TEST(running_sums_stay_exact_over_many_rows) {
  std::vector<WeightedValue> values;  // a plain sum of so many tenths is off by 1e-9
  for (int i = 0; i < 100'000; ++i) values.push_back({static_cast<double>(i), 0.1});
  CHECK(one(values, 0.5, QuantileMethod::averaged_inverted_cdf) == 49'999.5);
  CHECK(one(values, 0.25, QuantileMethod::inverted_cdf) == 24'999.0);
}

TEST(quantiles_of_rows_take_their_weights) {
  const Doubles y{5.0, 1.0, 3.0, 9.0}, weight{1.0, 2.0, 0.0, 1.0};
  const std::vector<std::uint32_t> rows{0, 1, 2};
  const auto value_of = [&](std::uint32_t row) { return y[row]; };
  const auto method = QuantileMethod::averaged_inverted_cdf;
  CHECK(gramian::loss::quantile_of_rows(rows, {}, 0.5, method, value_of) == 3.0);
  CHECK(gramian::loss::quantile_of_rows(rows, weight, 0.5, method, value_of) == 1.0);
}
