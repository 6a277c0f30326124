#include "loss/weighted_quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::loss {
namespace {

// Weights that are not whole come from divisions and products, such as the shares of the leaves of
// a forest: running sums that differ by this share of the total are equal.
constexpr double kRounding = 1e-12;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Between the copies with the numbers `index` and index + 1.
struct Place {
  double index;
  double fraction;
};

Place place_of(double level, double n_copies, QuantileMethod method) {
  if (method == QuantileMethod::linear) {
    const double place = level * (n_copies - 1.0), index = std::floor(place);
    return {index, place - index};
  }
  const double wanted = level * n_copies;
  const double index = std::clamp(std::ceil(wanted) - 1.0, 0.0, n_copies - 1.0);
  const bool is_between = method == QuantileMethod::averaged_inverted_cdf && index + 1.0 == wanted;
  return {index, is_between && index + 1.0 < n_copies ? 0.5 : 0.0};
}

double middle(double a, double b) { return 0.5 * a + 0.5 * b; }

// The roundings of linear interpolation are NumPy's, so that weighted and unweighted fits agree.
double interpolate(double a, double b, double fraction, QuantileMethod method) {
  if (method != QuantileMethod::linear) return middle(a, b);
  return fraction < 0.5 ? a + (b - a) * fraction : b - (b - a) * (1.0 - fraction);
}

bool is_whole(double weight) { return weight == std::floor(weight); }

// Neumaier's sum, whose error does not grow with the number of terms.
class CompensatedSum {
 public:
  double add(double term) {
    const double sum = sum_ + term;
    error_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
    return sum_ + error_;
  }

 private:
  double sum_ = 0.0, error_ = 0.0;
};

}  // namespace

WeightedQuantiles::WeightedQuantiles(std::vector<WeightedValue> values) {
  std::erase_if(values, [](const WeightedValue& each) {
    return !(each.weight > 0.0) || std::isnan(each.value);
  });
  if (!std::ranges::is_sorted(values, {}, &WeightedValue::value))
    std::ranges::sort(values, {}, &WeightedValue::value);
  values_.reserve(values.size());
  sums_.reserve(values.size());
  CompensatedSum sum;
  for (const WeightedValue& each : values) {
    values_.push_back(each.value);
    sums_.push_back(sum.add(each.weight));
    has_whole_weights_ = has_whole_weights_ && is_whole(each.weight);
  }
}

double WeightedQuantiles::at(double level, QuantileMethod method) const {
  if (values_.empty()) return kNone;
  if (!has_whole_weights_) return between_sums(level, method);
  const Place place = place_of(level, sums_.back(), method);
  const double low = copy(place.index);
  if (place.fraction == 0.0) return low;
  return interpolate(low, copy(place.index + 1.0), place.fraction, method);
}

double WeightedQuantiles::copy(double place) const {
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), place);
  return values_[static_cast<std::size_t>(found - sums_.begin())];
}

double WeightedQuantiles::between_sums(double level, QuantileMethod method) const {
  const double wanted = level * sums_.back(), slack = kRounding * sums_.back();
  const auto found = std::lower_bound(sums_.begin(), sums_.end() - 1, wanted - slack);
  const auto i = static_cast<std::size_t>(found - sums_.begin());
  const bool is_between = method != QuantileMethod::inverted_cdf && *found <= wanted + slack;
  if (!is_between || i + 1 == values_.size()) return values_[i];
  return middle(values_[i], values_[i + 1]);
}

double quantile(std::span<double> values, double level, QuantileMethod method) {
  const auto end = std::partition(values.begin(), values.end(), [](double v) { return v == v; });
  const auto n = end - values.begin();
  if (n == 0) return kNone;
  const Place place = place_of(level, static_cast<double>(n), method);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(place.index);
  std::nth_element(values.begin(), low, end);
  if (place.fraction == 0.0) return *low;
  return interpolate(*low, *std::min_element(low + 1, end), place.fraction, method);
}

void group_quantiles(const ValueGroups& groups, std::span<const double> levels,
                     QuantileMethod method, std::span<double> out, const Context& ctx) {
  constexpr double kCost = 60.0;  // nanoseconds for a value
  constexpr std::int64_t kGroupsAtOnce = 256;
  const auto n_groups = static_cast<std::int64_t>(groups.offsets.size()) - 1;
  const Chunks chunks = Chunks::of_rows(n_groups, kGroupsAtOnce);
  const double cost_ns = kCost * static_cast<double>(groups.values.size());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t g = chunks.begin(chunk); g < chunks.end(chunk); ++g) {
      std::vector<WeightedValue> own;
      for (auto i = at(groups.offsets[at(g)]); i < at(groups.offsets[at(g + 1)]); ++i)
        own.push_back({groups.values[i], groups.weight.empty() ? 1.0 : groups.weight[i]});
      const WeightedQuantiles quantiles(std::move(own));
      for (std::size_t l = 0; l < levels.size(); ++l)
        out[at(g) * levels.size() + l] = quantiles.at(levels[l], method);
    }
  });
}

}  // namespace gramian::loss
