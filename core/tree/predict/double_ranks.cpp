#include "tree/predict/double_ranks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/index.hpp"
#include "base/memory.hpp"
#include "base/spare_buffers.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/predict/keys_kernel.hpp"
#include "tree/search/sort_keys.hpp"

namespace gramian::tree {
namespace {

// Nanoseconds, to decide on threads: for a node, to count or move it, and for a threshold, to rank
// it.
constexpr double kMoveCost = 2.0;
constexpr double kRankCost = 20.0;

// Doubles in a cache line: what the leaves of a group of trees share is not next to what those of
// another one share.
constexpr std::int64_t kApart = kCacheLine / sizeof(double);

// The key of a float near a threshold, less the least of its column, above its place.
using KeyedPlace = std::uint64_t;
std::uint32_t key_part(KeyedPlace keyed) { return static_cast<std::uint32_t>(keyed >> 32); }
std::uint32_t place_part(KeyedPlace keyed) { return static_cast<std::uint32_t>(keyed); }

// Ranks one column after another.
class ColumnSorter {
 public:
  DoubleTable rank(std::span<const double> thresholds, std::uint32_t* ranks) {
    if (keyed_.size() < thresholds.size()) keyed_.resize(thresholds.size());
    distinct_.clear();
    const auto sorted = std::span(keyed_).first(thresholds.size());
    sort(thresholds, sorted);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      while (end < sorted.size() && key_part(sorted[end]) == key_part(sorted[begin])) ++end;
      const auto run = sorted.subspan(begin, end - begin);
      if (run.size() > 1) sort_run(thresholds, run);
      for (const KeyedPlace keyed : run) {
        const double threshold = thresholds[place_part(keyed)];
        if (distinct_.empty() || distinct_.back() < threshold) distinct_.push_back(threshold);
        ranks[place_part(keyed)] = static_cast<std::uint32_t>(distinct_.size() - 1);
      }
    }
    return DoubleTable(distinct_);
  }

 private:
  void sort(std::span<const double> thresholds, std::span<KeyedPlace> sorted) {
    if (sorted.empty()) return;
    std::uint32_t least = kMissingKey, most = 0;
    for (const double threshold : thresholds) {
      const std::uint32_t key = rough_key_of(threshold);
      least = std::min(least, key);
      most = std::max(most, key);
    }
    sort_(
        sorted, 32, 32 + std::bit_width(most - least),
        [&](std::size_t i) { return KeyedPlace{rough_key_of(thresholds[i]) - least} << 32 | i; },
        kSortFewKeys);
  }

  // Mostly these are all the same.
  static void sort_run(std::span<const double> thresholds, std::span<KeyedPlace> run) {
    const auto value = [&](KeyedPlace keyed) { return thresholds[place_part(keyed)]; };
    const double first = value(run[0]);
    if (std::ranges::all_of(run, [&](KeyedPlace keyed) { return value(keyed) == first; })) return;
    std::ranges::sort(run, {}, value);
  }

  KeySorter<KeyedPlace> sort_;
  std::vector<KeyedPlace> keyed_;
  std::vector<double> distinct_;
};

}  // namespace

template <class Function>
void DoubleRanks::each_split(std::int64_t group, std::vector<std::int64_t> places,
                             const Function& function) const {
  const auto begin = groups_.begin(group), end = groups_.end(group);
  const std::int32_t* column = trees_.feature.data() + trees_.first_node(begin);
  std::int64_t* const place_of = places.data() + 1;  // the first is that of a leaf
  const auto last = trees_.first_split(end);
  // Nothing branches on whether a node is a leaf: what is done for one is done again for the next
  // split, or goes to a place that nobody reads.
  for (auto split = trees_.first_split(begin); split < last; ++column) {
    std::int64_t& place = place_of[*column];
    function(split, place);
    place += steps_[at(*column + 1)];
    split += *column != kLeaf ? 1 : 0;
  }
}

// Of each group the places of its first thresholds, group after group, each with one for a leaf in
// front; and where the thresholds of each column begin.
void DoubleRanks::find_places(const Context& ctx) {
  const std::int64_t n_kinds = std::ssize(steps_), n_groups = groups_.count();
  places_.resize(at(n_groups));
  const double cost_ns = kMoveCost * static_cast<double>(trees_.n_nodes());
  parallel_for(ctx, n_groups, cost_ns, [&](std::int64_t group) {
    std::vector<std::int64_t> counts(at(n_kinds), 0);
    const auto begin = trees_.first_node(groups_.begin(group));
    const auto end = trees_.first_node(groups_.end(group));
    for (auto node = begin; node < end; ++node) ++counts[at(trees_.feature[at(node)] + 1)];
    places_[at(group)] = std::move(counts);
  });
  std::int64_t place = 0;
  for (std::int64_t kind = 1; kind < n_kinds; ++kind) {
    first_.push_back(place);
    for (auto& places : places_) {
      const std::int64_t count = places[at(kind)] * steps_[at(kind)];
      places[at(kind)] = place;
      place += count;
    }
  }
  first_.push_back(place);
  for (auto& places : places_) {
    // Leaves, and splits that are not ranked.
    for (std::int64_t kind = 0; kind < n_kinds; ++kind)
      if (steps_[at(kind)] == 0) places[at(kind)] = place;
    place += kApart;
  }
  n_places_ = place;
}

DoubleRanks::DoubleRanks(const TreesView& trees, const std::vector<std::uint8_t>& is_ranked,
                         const Context& ctx)
    : trees_(trees),
      groups_(trees.groups()),
      steps_(is_ranked),
      tables_(is_ranked.size()),
      ranks_(large_buffer<std::uint32_t>(trees.n_nodes() / 2)) {
  steps_.insert(steps_.begin(), 0);
  find_places(ctx);
  auto thresholds = large_buffer<double>(n_places_);
  auto ranks = large_buffer<std::uint32_t>(n_places_);
  const double move_cost = kMoveCost * static_cast<double>(trees.n_nodes());
  parallel_for(ctx, groups_.count(), move_cost, [&](std::int64_t group) {
    each_split(group, places_[at(group)], [&](std::int64_t split, std::int64_t place) {
      thresholds[place] = trees_.threshold[at(split)];
    });
    ranks[places_[at(group)][0]] = 0;
  });
  SpareObjects<ColumnSorter> sorters;
  const double rank_cost = kRankCost * static_cast<double>(first_.back());
  parallel_for(ctx, std::ssize(tables_), rank_cost, [&](std::int64_t column) {
    auto sorter = sorters.take();
    const auto begin = first_[at(column)], end = first_[at(column) + 1];
    tables_[at(column)] =
        sorter->rank({thresholds.data() + begin, at(end - begin)}, ranks.data() + begin);
    sorters.give_back(std::move(sorter));
  });
  parallel_for(ctx, groups_.count(), move_cost, [&](std::int64_t group) {
    each_split(group, places_[at(group)],
               [&](std::int64_t split, std::int64_t place) { ranks_[split] = ranks[place]; });
  });
}

}  // namespace gramian::tree
