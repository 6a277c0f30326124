// Sorting the keys of a node: a code in the high bits, the row's number in the node below.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/sort_kernel.hpp"

namespace gramian::tree {

// keys[i] = code of row i, then i. Returns whether the codes differ.
template <class CodeOf, class Key>
bool make_keys(const CodeOf& code_of, std::span<const std::uint32_t> rows, int place_bits,
               Key* keys) {
  const auto first = static_cast<std::uint32_t>(code_of(rows[0]));
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto code = static_cast<std::uint32_t>(code_of(rows[i]));
    difference |= code ^ first;
    keys[i] = static_cast<Key>(static_cast<Key>(code) << place_bits | static_cast<Key>(i));
  }
  return difference != 0;
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
  if (keys.size() > kFew) return sort_by_digits(keys, scratch, first_bit, n_bits);
  if (scratch.size() < keys.size()) scratch.resize(keys.size());
  GRAMIAN_DISPATCH(sort_few_keys, keys.data(), static_cast<std::int64_t>(keys.size()),
                   scratch.data());
  std::copy_n(scratch.data(), keys.size(), keys.data());
}

}  // namespace gramian::tree
