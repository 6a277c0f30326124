#include "tree/predict/threshold_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/index.hpp"
#include "base/memory.hpp"
#include "base/spare_buffers.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/predict/ranked_kernel.hpp"
#include "tree/search/sort_keys.hpp"

namespace gramian::tree {
namespace {

// Nanoseconds, to decide on threads: for a node, to count or move it, and for a threshold, to rank
// it.
constexpr double kMoveCost = 1.5;
constexpr double kRankCost = 10.0;

// Numbers of 4 bytes in a cache line: what the leaves of a group share is not next to what those
// of another one share.
constexpr std::uint32_t kApart = kCacheLine / sizeof(std::uint32_t);

// A threshold key, less the least of its column, above its place among the column's.
using KeyedPlace = std::uint64_t;
std::uint32_t key_part(KeyedPlace keyed) { return static_cast<std::uint32_t>(keyed >> 32); }
std::uint32_t place_part(KeyedPlace keyed) { return static_cast<std::uint32_t>(keyed); }

std::int64_t n_distinct(std::span<const KeyedPlace> sorted) {
  std::int64_t n = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    n += key_part(sorted[i]) != key_part(sorted[i - 1]) ? 1 : 0;
  return n;
}

// The thresholds of a column: their keys, which become ranks, and of each group of trees the place
// of its first.
struct ColumnKeys {
  std::int64_t slot;
  std::int64_t n_ranks;  // keys are 1 to that, if it is not 0
  std::span<std::uint32_t> keys;
  std::span<const std::uint32_t> first;
};

// Ranks one column after another.
class ColumnRanker {
 public:
  explicit ColumnRanker(const TreeGroups& groups) : groups_(groups) {}

  // In one table if all thresholds fit, else half of the groups in each. False if those of one
  // group do not fit.
  bool add(const ColumnKeys& column) {
    const auto keys = column.keys;
    if (keys.empty()) return true;
    column_ = column;
    if (column.n_ranks > 0 && column.n_ranks <= kMostListed) return add_listed(0, groups_.count());
    const auto [least, most] = std::ranges::minmax(keys);
    least_ = least;
    if (keyed_.size() < keys.size()) keyed_.resize(keys.size());
    const auto sorted = std::span(keyed_).first(keys.size());
    sort_(
        sorted, 32, 32 + std::bit_width(most - least),
        [keys, low = least](std::size_t i) { return KeyedPlace{keys[i] - low} << 32 | i; },
        kSortFewKeys);
    return add_groups(sorted, 0, groups_.count());
  }

  std::vector<SlotTable> tables;

 private:
  // A list for each table takes as much memory as the tables to search, or less.
  static constexpr std::int64_t kMostListed = 4 * kMaxThresholds;

  // The same by lists of all keys.
  bool add_listed(std::int64_t begin, std::int64_t end) {
    const auto place_of = [&](std::int64_t group) {
      return group < groups_.count() ? column_.first[at(group)] - column_.first[0]
                                     : column_.keys.size();
    };
    const auto own = column_.keys.subspan(place_of(begin), place_of(end) - place_of(begin));
    // A value may be above all thresholds.
    auto ranks = Buffer<std::uint16_t>::zeros(column_.n_ranks + 2);
    for (const std::uint32_t key : own) ranks[key] = 1;
    const auto n = std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0});
    if (n > kMaxThresholds) {
      const std::int64_t middle = begin + (end - begin) / 2;
      return end - begin > 1 && add_listed(begin, middle) && add_listed(middle, end);
    }
    std::uint32_t rank = 0;
    for (std::uint16_t& next : ranks) rank += std::exchange(next, static_cast<std::uint16_t>(rank));
    for (std::uint32_t& key : own) key = ranks[key];
    tables.push_back({groups_.begin(begin), column_.slot, {}, std::move(ranks)});
    return true;
  }

  bool add_groups(std::span<KeyedPlace> sorted, std::int64_t begin, std::int64_t end) {
    const std::int64_t n = n_distinct(sorted);
    if (n <= kMaxThresholds) {
      add_table(sorted, n, groups_.begin(begin));
      return true;
    }
    if (end - begin == 1) return false;
    const std::int64_t middle = begin + (end - begin) / 2;
    const auto cut = at(column_.first[at(middle)] - column_.first[at(begin)]);
    part(sorted, column_.first[at(middle)] - column_.first[0], cut);
    return add_groups(sorted.first(cut), begin, middle) &&
           add_groups(sorted.subspan(cut), middle, end);
  }

  // Puts the keys of places below `bound`, of which there are `n_first`, first; each part stays
  // sorted. Nothing branches on where a key goes.
  void part(std::span<KeyedPlace> sorted, std::uint32_t bound, std::size_t n_first) {
    if (parted_.size() < sorted.size()) parted_.resize(sorted.size());
    std::size_t next[2] = {n_first, 0};
    for (const KeyedPlace keyed : sorted)
      parted_[next[place_part(keyed) < bound ? 1 : 0]++] = keyed;
    std::copy_n(parted_.begin(), sorted.size(), sorted.begin());
  }

  void add_table(std::span<const KeyedPlace> sorted, std::int64_t n, std::int64_t first_tree) {
    if (std::ssize(thresholds_) < n) thresholds_.resize(at(n));
    std::uint32_t* const thresholds = thresholds_.data();
    std::uint32_t rank = 0, last = sorted.empty() ? 0 : key_part(sorted[0]);
    for (const KeyedPlace keyed : sorted) {
      rank += key_part(keyed) != last ? 1U : 0U;
      last = key_part(keyed);
      thresholds[rank] = last + least_;
      column_.keys[place_part(keyed)] = rank;
    }
    tables.push_back({first_tree, column_.slot, RankTable(std::span(thresholds, at(n)))});
  }

  const TreeGroups& groups_;
  ColumnKeys column_{};
  std::uint32_t least_ = 0;
  KeySorter<KeyedPlace> sort_;
  std::vector<KeyedPlace> keyed_, parted_;
  std::vector<std::uint32_t> thresholds_;
};

}  // namespace

template <class Node>
ThresholdRanks<Node>::ThresholdRanks(const NodesOfTrees<Node>& trees,
                                     const std::vector<std::int64_t>& n_ranks)
    : trees_(trees),
      n_ranks_(n_ranks),
      groups_(trees.groups()),
      places_((trees.idle_slot + 1) * groups_.count()) {}

template <class Node>
bool ThresholdRanks<Node>::make(std::vector<SlotTable>& tables, const Context& ctx) {
  count(ctx);
  place();
  gather(ctx);
  return rank(tables, ctx);
}

template <class Node>
std::span<const Node> ThresholdRanks<Node>::nodes_of(std::int64_t group) const {
  const auto first = trees_.first(groups_.begin(group)), end = trees_.first(groups_.end(group));
  return {trees_.nodes + first, at(end - first)};
}

template <class Node>
std::vector<std::uint32_t> ThresholdRanks<Node>::places_of(std::int64_t group) const {
  std::vector<std::uint32_t> places(trees_.idle_slot + 1);
  for (std::size_t slot = 0; slot < places.size(); ++slot)
    places[slot] = places_[static_cast<std::int64_t>(slot) * groups_.count() + group];
  return places;
}

// Behind the last one, where the next group's or column's begin.
template <class Node>
std::vector<std::uint32_t> ThresholdRanks<Node>::ends_of(std::int64_t group) const {
  std::vector<std::uint32_t> ends = places_of(group);  // leaves stay where they are
  for (std::size_t slot = 0; slot < trees_.idle_slot; ++slot)
    ends[slot] = places_[static_cast<std::int64_t>(slot) * groups_.count() + group + 1];
  return ends;
}

// How many thresholds each group has of each column, where the places will be.
template <class Node>
void ThresholdRanks<Node>::count(const Context& ctx) {
  const double cost_ns = kMoveCost * static_cast<double>(trees_.n_nodes);
  parallel_for(ctx, groups_.count(), cost_ns, [&](std::int64_t group) {
    std::vector<std::uint32_t> counts(trees_.idle_slot + 1, 0);
    for (const Node& node : nodes_of(group)) ++counts[node.slot()];
    for (std::size_t slot = 0; slot < counts.size(); ++slot)
      places_[static_cast<std::int64_t>(slot) * groups_.count() + group] = counts[slot];
  });
}

template <class Node>
void ThresholdRanks<Node>::place() {
  const std::int64_t n_groups = groups_.count(), n_places = trees_.idle_slot * n_groups;
  std::uint32_t place = 0;
  for (std::int64_t i = 0; i < n_places; ++i) place += std::exchange(places_[i], place);
  ranks_ = large_buffer<std::uint32_t>(place + n_groups * kApart);
  for (std::int64_t group = 0; group < n_groups; ++group, place += kApart)
    places_[n_places + group] = place;
}

template <class Node>
void ThresholdRanks<Node>::gather(const Context& ctx) {
  const double cost_ns = kMoveCost * static_cast<double>(trees_.n_nodes);
  parallel_for(ctx, groups_.count(), cost_ns, [&](std::int64_t group) {
    auto places = places_of(group);
    std::uint32_t* const next = places.data();
    std::uint32_t* const keys = ranks_.data();
    const std::uint32_t idle_slot = trees_.idle_slot;
    for (const Node& node : nodes_of(group)) {
      const std::uint32_t slot = node.slot(), place = next[slot];
      keys[place] = node.key;
      next[slot] = place + (slot != idle_slot ? 1U : 0U);
    }
    keys[next[idle_slot]] = 0;
  });
}

// Memory for sorting is handed from column to column.
template <class Node>
bool ThresholdRanks<Node>::rank(std::vector<SlotTable>& tables, const Context& ctx) {
  const std::int64_t n_groups = groups_.count(), idle_slot = trees_.idle_slot;
  SpareObjects<ColumnRanker> rankers;
  std::atomic<bool> fits = true;
  const double cost_ns = kRankCost * static_cast<double>(trees_.n_nodes / 2);
  parallel_for(ctx, idle_slot, cost_ns, [&](std::int64_t slot) {
    auto ranker = rankers.take(groups_);
    const std::uint32_t* first = places_.data() + slot * n_groups;
    const std::uint32_t begin = first[0], end = first[n_groups];
    const ColumnKeys column{
        slot, n_ranks_[at(slot)], {ranks_.data() + begin, end - begin}, {first, at(n_groups)}};
    if (fits && !ranker->add(column)) fits = false;
    rankers.give_back(std::move(ranker));
  });
  for (auto& ranker : rankers.take_all())
    std::ranges::move(ranker->tables, std::back_inserter(tables));
  std::ranges::sort(
      tables, {}, [](const SlotTable& table) { return std::tuple(table.first_tree, table.slot); });
  return fits;
}

template class ThresholdRanks<PackedNode>;
template class ThresholdRanks<WideNode>;

}  // namespace gramian::tree
