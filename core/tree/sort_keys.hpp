// Sorting the keys of a node: a code in the high bits, the row's number in the node below.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace gramian::tree {

// Few keys, all different: the place of a key is the number of smaller ones. That is n^2
// comparisons without a branch, which the compiler turns into vectors: faster than sorting up to
// some hundred keys.
template <class Key>
void sort_by_counting(std::span<Key> keys, std::vector<Key>& scratch) {
  const std::size_t n = keys.size();
  if (scratch.size() < n) scratch.resize(n);
  Key* out = scratch.data();
  const Key* in = keys.data();
  for (std::size_t i = 0; i < n; ++i) {
    const Key key = in[i];
    Key place = 0;
    for (std::size_t j = 0; j < n; ++j) place += static_cast<Key>(in[j] < key);
    out[place] = key;
  }
  std::copy_n(out, n, keys.data());
}

// Many keys: by the digits above first_bit, least significant first. Stable, and the low bits are
// ascending already.
template <class Key>
void sort_by_digits(std::span<Key> keys, std::vector<Key>& scratch, int first_bit, int n_bits) {
  constexpr int kDigitBits = 8;
  constexpr std::size_t kDigits = 1u << kDigitBits;
  if (scratch.size() < keys.size()) scratch.resize(keys.size());
  Key* from = keys.data();
  Key* to = scratch.data();
  for (int bit = first_bit; bit < n_bits; bit += kDigitBits) {
    std::array<std::uint32_t, kDigits> places{};
    for (std::size_t i = 0; i < keys.size(); ++i) ++places[(from[i] >> bit) & (kDigits - 1)];
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) {
      const std::uint32_t next = place + count;
      count = place;
      place = next;
    }
    for (std::size_t i = 0; i < keys.size(); ++i)
      to[places[(from[i] >> bit) & (kDigits - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys.data()) std::copy_n(from, keys.size(), keys.data());
}

// Sorts keys whose low first_bit bits are their place in the array.
template <class Key>
void sort_keys(std::span<Key> keys, std::vector<Key>& scratch, int first_bit, int n_bits) {
  constexpr std::size_t kFew = sizeof(Key) == 4 ? 160 : 96;
  if (keys.size() <= kFew)
    sort_by_counting(keys, scratch);
  else
    sort_by_digits(keys, scratch, first_bit, n_bits);
}

}  // namespace gramian::tree
