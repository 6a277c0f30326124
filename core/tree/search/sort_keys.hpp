// Sorting the keys of a node: a code in the high bits, what the scan needs of the row below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tree/search/sort_kernel.hpp"

namespace gramian::tree {

// The digits by which keys are sorted: the bits first_bit .. end_bit, in as few digits as pay for
// so many keys. A digit costs a pass over the keys, and one over the counts of its values.
class Digits {
 public:
  static constexpr int kMost = 4;

  Digits(std::size_t n_keys, int first_bit, int end_bit) : first_bit_(first_bit) {
    constexpr std::size_t kMany = 2048;
    const int most_bits = n_keys < kMany ? 8 : 11;
    const int n_bits = std::max(end_bit - first_bit, 1);
    count_ = (n_bits + most_bits - 1) / most_bits;
    bits_ = (n_bits + count_ - 1) / count_;
  }
  int count() const { return count_; }
  std::size_t n_values() const { return std::size_t{1} << bits_; }
  template <class Key>
  std::size_t of(Key key, int digit) const {
    return static_cast<std::size_t>(key >> (first_bit_ + digit * bits_)) & (n_values() - 1);
  }

 private:
  int first_bit_;
  int count_ = 0;
  int bits_ = 0;
};

// Makes keys and sorts them.
template <class Key>
class KeySorter {
 public:
  // keys[i] = key_of(i), sorted by the bits from first_bit on; those from end_bit on are zero.
  // Stable for many keys; few are sorted by sort_few(keys, n, sorted). Returns whether the bits
  // from first_bit on differ: otherwise nothing is sorted.
  template <class KeyOf, class SortFew>
  bool operator()(std::span<Key> keys, int first_bit, int end_bit, const KeyOf& key_of,
                  const SortFew& sort_few) {
    constexpr std::size_t kFew = sizeof(Key) == 4 ? 160 : 96;
    if (scratch_.size() < keys.size()) scratch_.resize(keys.size());
    if (keys.size() <= kFew) {
      if (!make(keys, first_bit, key_of, [](Key) {})) return false;
      sort_few(keys.data(), static_cast<std::int64_t>(keys.size()), scratch_.data());
      std::copy_n(scratch_.data(), keys.size(), keys.data());
      return true;
    }
    const Digits digits(keys.size(), first_bit, end_bit);
    switch (digits.count()) {
      case 1:
        return sort_many<1>(keys, first_bit, digits, key_of);
      case 2:
        return sort_many<2>(keys, first_bit, digits, key_of);
      case 3:
        return sort_many<3>(keys, first_bit, digits, key_of);
      default:
        return sort_many<Digits::kMost>(keys, first_bit, digits, key_of);
    }
  }

 private:
  // Keys are made a block at a time, in a loop so short that many loads are under way at once, and
  // counted while they are in the cache.
  template <class KeyOf, class Count>
  static bool make(std::span<Key> keys, int first_bit, const KeyOf& key_of, const Count& count) {
    constexpr std::size_t kBlock = 512;
    const Key first = key_of(std::size_t{0});
    Key difference = 0;
    for (std::size_t begin = 0; begin < keys.size(); begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, keys.size());
      for (std::size_t i = begin; i < end; ++i) {
        const Key key = key_of(i);
        difference |= key ^ first;
        keys[i] = key;
      }
      for (std::size_t i = begin; i < end; ++i) count(keys[i]);
    }
    return difference >> first_bit != 0;
  }

  // Least significant digit first.
  template <int kDigits, class KeyOf>
  bool sort_many(std::span<Key> keys, int first_bit, const Digits& digits, const KeyOf& key_of) {
    const std::size_t n_values = digits.n_values();
    counts_.assign(kDigits * n_values, 0);
    const bool varies = make(keys, first_bit, key_of, [&, counts = counts_.data()](Key key) {
      for (int k = 0; k < kDigits; ++k)
        ++counts[static_cast<std::size_t>(k) * n_values + digits.of(key, k)];
    });
    if (!varies) return false;
    Key* from = keys.data();
    Key* to = scratch_.data();
    for (int k = 0; k < kDigits; ++k) {
      std::uint32_t* places = counts_.data() + static_cast<std::size_t>(k) * n_values;
      std::uint32_t place = 0;
      for (std::size_t value = 0; value < n_values; ++value)
        place += std::exchange(places[value], place);
      for (std::size_t i = 0; i < keys.size(); ++i) to[places[digits.of(from[i], k)]++] = from[i];
      std::swap(from, to);
    }
    if (from != keys.data()) std::copy_n(from, keys.size(), keys.data());
    return true;
  }

  std::vector<Key> scratch_;
  std::vector<std::uint32_t> counts_;
};

// Sorts few keys that are all different.
inline constexpr auto kSortFewKeys = [](const auto* keys, std::int64_t n, auto* sorted) {
  GRAMIAN_DISPATCH(sort_few_keys, keys, n, sorted);
};

}  // namespace gramian::tree
