// Selection by rank with few mispredicted branches.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "base/context.hpp"
#include "base/index.hpp"

namespace gramian::distance {

// A value and where it stands.
struct Keyed {
  double value;
  std::int64_t place;
};

// Moves the entries that `is_first` holds for to the front; how many they are. Every entry is
// exchanged, so that no branch depends on the values.
template <class Predicate>
std::size_t moved_to_front(std::span<Keyed> keys, const Predicate& is_first) {
  std::size_t n = 0;
  for (Keyed& key : keys) {
    const Keyed moved = key;
    key = keys[n];
    keys[n] = moved;
    n += is_first(moved.value) ? 1 : 0;
  }
  return n;
}

// Puts at place `rank` the entry that a sort would put there, no larger ones before it and no
// smaller ones after it. After Floyd and Rivest: two entries of a sorted sample enclose the rank in
// a small part.
inline void select_rank(std::span<Keyed> keys, std::size_t rank, const Context& ctx) {
  constexpr std::size_t kFew = 24, kMostSampled = 256, kEntriesOfSample = 16;
  std::array<double, kMostSampled> sample;
  while (keys.size() > kFew) {
    ctx.check();
    const std::size_t n = keys.size();
    const std::size_t m = std::clamp(n / kEntriesOfSample, std::size_t{8}, kMostSampled);
    for (std::size_t i = 0; i < m; ++i) sample[i] = keys[(2 * i + 1) * n / (2 * m)].value;
    std::sort(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(m));
    const std::size_t middle = rank * m / n;
    const auto gap = static_cast<std::size_t>(0.8 * std::sqrt(static_cast<double>(m))) + 1;
    const double low = sample[middle > gap ? middle - gap : 0];
    const double high = sample[std::min(middle + gap, m - 1)];
    const std::size_t below = moved_to_front(keys, [&](double value) { return value < low; });
    if (rank < below) {
      keys = keys.first(below);
      continue;
    }
    const std::span<Keyed> rest = keys.subspan(below);
    const std::size_t between = moved_to_front(rest, [&](double value) { return value <= high; });
    const bool is_between = rank - below < between;
    if (is_between && low == high) return;
    keys = is_between ? rest.first(between) : rest.subspan(between);
    rank -= is_between ? below : below + between;
    if (keys.size() > n / 4 * 3) break;  // many equal values
  }
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(rank), keys.end(),
                   [](const Keyed& a, const Keyed& b) { return a.value < b.value; });
}

}  // namespace gramian::distance
