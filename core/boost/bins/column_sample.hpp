// From the sampled values of a column to its bins.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/ordered_bits.hpp"
#include "boost/bins/edges.hpp"
#include "boost/bins/feature.hpp"
#include "metrics/radix_sort.hpp"

namespace gramian::boost {

// One row out of each of equally many neighbours; all rows if they are few. Rows of no weight do
// not count.
std::vector<std::uint32_t> sample_rows(std::int64_t n_rows, std::span<const double> weight);

// The sampled values of a column; those that a sparse table does not store are zeros.
template <class T>
struct ColumnSample {
  std::span<const T> values;
  std::span<const double> weight;  // of the values; empty: one each
  double zero_weight = 0.0;        // of the values that are not stored
  bool has_zeros = false;          // there are such values

  double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
};

template <class T>
bool is_level(T value, std::int32_t n_levels) {
  return value >= T{0} && value < static_cast<T>(n_levels);
}

namespace sample_detail {

template <class Key>
struct Weighted {
  Key key;
  double weight;
};

// The distinct numbers if they are few, else nothing.
template <class T, class Key>
bool count_few(const ColumnSample<T>& sample, std::vector<Weighted<Key>>& found) {
  constexpr std::size_t kFew = 16;
  std::size_t last = 0;
  for (std::size_t i = 0; i < sample.values.size(); ++i) {
    if (std::isnan(sample.values[i])) continue;
    const Key key = ordered_bits(sample.values[i]);
    if (last >= found.size() || found[last].key != key) {
      last = 0;
      while (last < found.size() && found[last].key != key) ++last;
      if (last == found.size()) {
        if (last == kFew) return false;
        found.push_back({key, 0.0});
      }
    }
    found[last].weight += sample.weight_of(i);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return true;
}

template <class T, class Key>
void count_many(const ColumnSample<T>& sample, std::vector<Weighted<Key>>& found,
                const Context& ctx) {
  std::vector<Weighted<Key>> records;
  records.reserve(sample.values.size());
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    if (!std::isnan(sample.values[i]))
      records.push_back({ordered_bits(sample.values[i]), sample.weight_of(i)});
  std::vector<Weighted<Key>> scratch(records.size());
  const auto key_of = [](const Weighted<Key>& record) { return record.key; };
  const metrics::RadixSort<Weighted<Key>, decltype(key_of)> sort(key_of, ctx);
  sort(records.data(), scratch.data(), static_cast<std::int64_t>(records.size()),
       std::numeric_limits<Key>::digits);
  found.clear();
  for (const Weighted<Key>& record : records) {
    if (found.empty() || found.back().key != record.key) found.push_back({record.key, 0.0});
    found.back().weight += record.weight;
  }
}

}  // namespace sample_detail

// The distinct numbers among the sampled values, ascending, with their weights.
template <class T>
std::vector<Distinct> distinct_values(const ColumnSample<T>& sample, const Context& ctx) {
  using Key = decltype(ordered_bits(T{}));
  std::vector<sample_detail::Weighted<Key>> found;
  if (!sample_detail::count_few(sample, found)) sample_detail::count_many(sample, found, ctx);
  std::vector<Distinct> distinct;
  distinct.reserve(found.size() + 1);
  for (const auto& item : found)
    distinct.push_back({static_cast<double>(from_ordered_bits(item.key)), item.weight});
  if (sample.has_zeros) {
    auto place = std::lower_bound(distinct.begin(), distinct.end(), 0.0,
                                  [](const Distinct& a, double value) { return a.value < value; });
    if (place == distinct.end() || place->value != 0.0) place = distinct.insert(place, {0.0, 0.0});
    place->weight += sample.zero_weight;
  }
  return distinct;
}

// Sets the feature's bins; returns the sums of the weights of its bins, that of missing values
// last.
template <class T>
std::vector<double> choose_column_bins(const ColumnSample<T>& sample, std::int32_t max_bins,
                                       Feature& feature, const Context& ctx) {
  double total = sample.zero_weight;
  for (std::size_t i = 0; i < sample.values.size(); ++i) total += sample.weight_of(i);
  std::vector<double> of_bin;
  if (feature.is_categorical()) {
    std::vector<double> of_level(static_cast<std::size_t>(feature.n_levels));
    of_level.front() = sample.zero_weight;
    for (std::size_t i = 0; i < sample.values.size(); ++i)
      if (is_level(sample.values[i], feature.n_levels))
        of_level[static_cast<std::size_t>(sample.values[i])] += sample.weight_of(i);
    feature.n_bins = choose_level_bins(of_level, max_bins, feature.bin_of_level);
    of_bin.resize(static_cast<std::size_t>(feature.n_bins));
    for (std::size_t k = 0; k < of_level.size(); ++k)
      of_bin[feature.bin_of_level[k]] += of_level[k];
  } else {
    const std::vector<Distinct> distinct = distinct_values(sample, ctx);
    feature.edges = choose_edges(distinct, max_bins);
    feature.n_bins = static_cast<std::int32_t>(feature.edges.size()) + 1;
    of_bin.resize(static_cast<std::size_t>(feature.n_bins));
    std::size_t bin = 0;
    for (const Distinct& item : distinct) {
      while (bin < feature.edges.size() && item.value > feature.edges[bin]) ++bin;
      of_bin[bin] += item.weight;
    }
  }
  of_bin.push_back(total - std::reduce(of_bin.begin(), of_bin.end()));
  return of_bin;
}

}  // namespace gramian::boost
