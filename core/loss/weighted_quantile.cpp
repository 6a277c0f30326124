#include "loss/weighted_quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::loss {
namespace {

// Weights that are not whole come from divisions and products, such as the shares of the leaves of
// a forest: running sums that differ by this share of the total are equal.
constexpr double kRounding = 1e-12;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Where a quantile lies among values by their running sums of weights: at the first one whose sum
// is at least `reach`, or if that sum is at most `limit` a fraction of the way to the next.
struct Rank {
  double reach, limit, fraction;
};

// Of n copies, of which that with the number i has the running sum i + 1.
Rank rank_of_copies(double level, double n, QuantileMethod method) {
  if (method == QuantileMethod::linear) {
    const double place = level * (n - 1.0), index = std::floor(place);
    return {index + 1.0, index + 1.0, place - index};
  }
  const double wanted = level * n, reach = std::clamp(std::ceil(wanted), 1.0, n);
  const bool is_between = method == QuantileMethod::averaged_inverted_cdf && reach == wanted;
  return {reach, reach, is_between ? 0.5 : 0.0};
}

Rank rank_of_weights(double level, double total, QuantileMethod method) {
  const double wanted = level * total, slack = kRounding * total;
  return {wanted - slack, wanted + slack, method == QuantileMethod::inverted_cdf ? 0.0 : 0.5};
}

// The roundings of linear interpolation are NumPy's, so that weighted and unweighted fits agree.
double interpolate(double a, double b, double fraction, QuantileMethod method) {
  if (a == b) return a;
  if (method != QuantileMethod::linear) return 0.5 * a + 0.5 * b;
  return fraction < 0.5 ? a + (b - a) * fraction : b - (b - a) * (1.0 - fraction);
}

// Neumaier's sum, whose error does not grow with the number of terms.
class CompensatedSum {
 public:
  double add(double term) {
    const double sum = sum_ + term;
    error_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
    return value();
  }
  double value() const { return sum_ + error_; }

 private:
  double sum_ = 0.0, error_ = 0.0;
};

double sum_of_weights(std::span<const WeightedValue> values) {
  CompensatedSum sum;
  for (const WeightedValue& each : values) sum.add(each.weight);
  return sum.value();
}

void leave_out_absent(std::vector<WeightedValue>& values) {
  std::erase_if(values, [](const WeightedValue& each) {
    return !(each.weight > 0.0) || std::isnan(each.value);
  });
}

bool are_whole(std::span<const WeightedValue> values) {
  return std::ranges::all_of(
      values, [](const WeightedValue& each) { return each.weight == std::floor(each.weight); });
}

}  // namespace

WeightedQuantiles::WeightedQuantiles(std::vector<WeightedValue> values)
    : values_(std::move(values)) {
  leave_out_absent(values_);
  has_whole_weights_ = are_whole(values_);
  if (!std::ranges::is_sorted(values_, {}, &WeightedValue::value))
    std::ranges::sort(values_, {}, &WeightedValue::value);
  CompensatedSum sum;
  for (WeightedValue& each : values_) each.weight = sum.add(each.weight);
}

double WeightedQuantiles::at(double level, QuantileMethod method) const {
  if (values_.empty()) return kNone;
  const double total = values_.back().weight;
  const Rank rank = has_whole_weights_ ? rank_of_copies(level, total, method)
                                       : rank_of_weights(level, total, method);
  const auto last = values_.end() - 1;
  const auto low =
      std::ranges::lower_bound(values_.begin(), last, rank.reach, {}, &WeightedValue::weight);
  if (rank.fraction == 0.0 || low->weight > rank.limit || low == last) return low->value;
  return interpolate(low->value, (low + 1)->value, rank.fraction, method);
}

double weighted_quantile(std::vector<WeightedValue>& values, double level, QuantileMethod method) {
  leave_out_absent(values);
  if (values.empty()) return kNone;
  const double total = sum_of_weights(values);
  const Rank rank = are_whole(values) ? rank_of_copies(level, total, method)
                                      : rank_of_weights(level, total, method);
  // Halves the range that holds the first value to reach; what lies before it weighs `below`.
  auto low = values.begin(), end = values.end();
  double below = 0.0;
  while (end - low > 1) {
    const auto middle = low + (end - low) / 2;
    std::ranges::nth_element(low, middle, end, {}, &WeightedValue::value);
    const double up_to_middle = below + sum_of_weights({low, middle});
    if (up_to_middle >= rank.reach) {
      end = middle;
    } else {
      below = up_to_middle;
      low = middle;
    }
  }
  const bool is_last = low + 1 == values.end();
  if (rank.fraction == 0.0 || below + low->weight > rank.limit || is_last) return low->value;
  const auto next = std::ranges::min_element(low + 1, values.end(), {}, &WeightedValue::value);
  return interpolate(low->value, next->value, rank.fraction, method);
}

double quantile(std::span<double> values, double level, QuantileMethod method) {
  const auto end = std::partition(values.begin(), values.end(), [](double v) { return v == v; });
  const auto n = end - values.begin();
  if (n == 0) return kNone;
  const Rank rank = rank_of_copies(level, static_cast<double>(n), method);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(rank.reach - 1.0);
  std::nth_element(values.begin(), low, end);
  if (rank.fraction == 0.0 || low + 1 == end) return *low;
  return interpolate(*low, *std::min_element(low + 1, end), rank.fraction, method);
}

void group_quantiles(const ValueGroups& groups, std::span<const double> levels,
                     QuantileMethod method, std::span<double> out, const Context& ctx) {
  constexpr double kCost = 60.0;  // nanoseconds for a value
  constexpr std::int64_t kGroupsAtOnce = 256;
  const auto n_groups = static_cast<std::int64_t>(groups.offsets.size()) - 1;
  const Chunks chunks = Chunks::of_rows(n_groups, kGroupsAtOnce);
  const double cost_ns = kCost * static_cast<double>(groups.values.size());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    std::vector<WeightedValue> own;
    for (std::int64_t g = chunks.begin(chunk); g < chunks.end(chunk); ++g) {
      own.clear();
      for (auto i = at(groups.offsets[at(g)]); i < at(groups.offsets[at(g + 1)]); ++i)
        own.push_back({groups.values[i], groups.weight.empty() ? 1.0 : groups.weight[i]});
      double* found = out.data() + at(g) * levels.size();
      if (levels.size() == 1) {
        *found = weighted_quantile(own, levels.front(), method);
        continue;
      }
      const WeightedQuantiles quantiles(own);
      for (const double level : levels) *found++ = quantiles.at(level, method);
    }
  });
}

}  // namespace gramian::loss
