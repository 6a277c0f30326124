// Stable radix sort of unsigned keys, each alone or with a payload.
//
// The leading bits, enough of them to tell nearly all of n spread keys apart, are sorted digit by
// digit, the least significant first. What still agrees in them are short runs, sorted on their
// own; a long run is radix-sorted by its remaining bits. So 64-bit keys cost about half of the
// eight passes that all their digits would take.
//
// Every pass counts the digits of each chunk, turns the counts into places, digit by digit and
// chunk after chunk, and moves the chunks. A stable sort has one result only, so threads cannot
// change it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel/parallel_for.hpp"

namespace gramian::metrics {

template <class Value, class KeyOf>
class RadixSort {
 public:
  RadixSort(const KeyOf& key_of, const Context& ctx) : key_of_(key_of), ctx_(ctx) {}

  // Sorts n values whose keys agree from bit n_bits on, with room for n more in scratch.
  void operator()(Value* values, Value* scratch, std::int64_t n, int n_bits) const {
    if (n < kSmall) {
      std::stable_sort(values, values + n,
                       [this](const Value& a, const Value& b) { return key_of_(a) < key_of_(b); });
      return;
    }
    const auto n_wanted =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) + kSpareBits;
    const int n_passes = (std::min(n_bits, n_wanted) + kDigitBits - 1) / kDigitBits;
    const int first_bit = std::max(0, n_bits - n_passes * kDigitBits);
    Value* from = values;
    Value* to = scratch;
    for (int pass = 0; pass < n_passes; ++pass) {
      sort_by_digit(from, to, n, first_bit + pass * kDigitBits);
      std::swap(from, to);
    }
    if (from != values) std::copy(from, from + n, values);
    if (first_bit > 0) sort_runs(values, scratch, n, first_bit);
  }

 private:
  static constexpr int kDigitBits = 8;  // as many open cache lines as the L1 cache can hold
  static constexpr int kSpareBits = 8;  // beyond log2(n): of uniform keys one in 2^8 is in a run
  static constexpr std::int64_t kChunk = std::int64_t{1} << 16;
  static constexpr std::int64_t kSmall = 512;  // below, comparing is quicker than counting
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

  void sort_by_digit(const Value* from, Value* to, std::int64_t n, int shift) const {
    const Chunks chunks = Chunks::of_rows(n, kChunk);
    const double cost_ns = 1.5 * static_cast<double>(n);
    const auto digit_of = [&](const Value& value) {
      return static_cast<std::size_t>(key_of_(value) >> shift) & (kDigits - 1);
    };
    std::vector<std::array<std::int64_t, kDigits>> places(static_cast<std::size_t>(chunks.count()));
    parallel_for(ctx_, chunks.count(), cost_ns, [&](std::int64_t chunk) {
      auto& counts = places[static_cast<std::size_t>(chunk)];
      for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        ++counts[digit_of(from[i])];
    });
    std::int64_t place = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit)
      for (auto& counts : places) {
        const std::int64_t count = std::exchange(counts[digit], place);
        place += count;
      }
    parallel_for(ctx_, chunks.count(), cost_ns, [&](std::int64_t chunk) {
      auto next = places[static_cast<std::size_t>(chunk)];
      for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        to[next[digit_of(from[i])]++] = from[i];
    });
  }

  // Sorts each run of values that agree from bit n_bits on. A run belongs to the chunk in which it
  // begins.
  void sort_runs(Value* values, Value* scratch, std::int64_t n, int n_bits) const {
    const Chunks chunks = Chunks::of_rows(n, kChunk);
    const auto begins_run = [&](std::int64_t i) {
      return i == 0 || key_of_(values[i]) >> n_bits != key_of_(values[i - 1]) >> n_bits;
    };
    // Found before any run is sorted; sorting moves values inside of runs only, but at the same
    // time as a neighbour would look at them.
    std::vector<std::int64_t> first(static_cast<std::size_t>(chunks.count()) + 1, n);
    for (std::int64_t chunk = chunks.count() - 1; chunk >= 0; --chunk) {
      std::int64_t i = chunks.begin(chunk);
      while (i < chunks.end(chunk) && !begins_run(i)) ++i;
      const auto k = static_cast<std::size_t>(chunk);
      first[k] = i < chunks.end(chunk) ? i : first[k + 1];
    }
    parallel_for(ctx_, chunks.count(), 2.0 * static_cast<double>(n), [&](std::int64_t chunk) {
      const std::int64_t end = first[static_cast<std::size_t>(chunk) + 1];
      for (std::int64_t i = first[static_cast<std::size_t>(chunk)]; i < end;) {
        const std::int64_t begin = i++;
        bool is_sorted = true;
        for (; i < end && !begins_run(i); ++i)
          is_sorted &= key_of_(values[i - 1]) <= key_of_(values[i]);
        if (!is_sorted) (*this)(values + begin, scratch + begin, i - begin, n_bits);
      }
    });
  }

  const KeyOf& key_of_;
  const Context& ctx_;
};

}  // namespace gramian::metrics
