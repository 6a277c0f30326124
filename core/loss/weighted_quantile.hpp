// Quantiles of numbers with weights: a whole weight k is k copies of the number, exactly, and a
// weight of zero is its absence. Every quantile and median of the library comes from here.
//
// The definitions are those of Hyndman and Fan (1996), by NumPy's names. For a level q and n copies
// x_0 <= ... <= x_(n - 1):
//   inverted_cdf           the first x_i with i + 1 >= q n
//   averaged_inverted_cdf  the same, half-way to x_(i + 1) where i + 1 = q n
//   linear                 between the two neighbours of place q (n - 1)
// All three depend on the copies alone, and the last two give the usual median. Weights that are
// not all whole have no copies: their total stands for n, running sums of them for i + 1, and
// `linear`, which needs a count, is averaged_inverted_cdf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"

namespace gramian::loss {

enum class QuantileMethod { inverted_cdf, averaged_inverted_cdf, linear };

struct WeightedValue {
  double value;
  double weight;
};

// Sorts once, O(n log n) unless the values ascend already, for any number of levels, O(log n) each.
// NaN, and values without a positive weight, are left out.
class WeightedQuantiles {
 public:
  explicit WeightedQuantiles(std::vector<WeightedValue> values);

  // NaN without values.
  double at(double level, QuantileMethod method) const;

 private:
  std::vector<WeightedValue> values_;  // ascending, each with the running sum of the weights
  bool has_whole_weights_ = true;
};

// The same for one level, by selection in O(n). Reorders the values; those that are left out go.
double weighted_quantile(std::vector<WeightedValue>& values, double level, QuantileMethod method);

// And for weights of one. Reorders the values.
double quantile(std::span<double> values, double level, QuantileMethod method);

// Groups of values, one after the other: group g has those from offsets[g] to offsets[g + 1].
struct ValueGroups {
  std::span<const double> values;
  std::span<const double> weight;  // empty: one each
  std::span<const std::int64_t> offsets;
};

// The quantiles of each group at all levels; `out` has a row for each group.
void group_quantiles(const ValueGroups& groups, std::span<const double> levels,
                     QuantileMethod method, std::span<double> out, const Context& ctx);

// The quantile of value_of(row) over some rows, of which `weight` (empty: one each) has the
// weights.
template <class Rows, class ValueOf>
double quantile_of_rows(const Rows& rows, std::span<const double> weight, double level,
                        QuantileMethod method, const ValueOf& value_of) {
  if (weight.empty()) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto row : rows) values.push_back(value_of(row));
    return quantile(values, level, method);
  }
  std::vector<WeightedValue> values;
  values.reserve(rows.size());
  for (const auto row : rows) values.push_back({value_of(row), weight[row]});
  return weighted_quantile(values, level, method);
}

}  // namespace gramian::loss
