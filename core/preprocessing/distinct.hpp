// Distinct keys numbered in the order of their first appearance.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/index.hpp"
#include "base/views.hpp"

namespace gramian::preprocessing {

// A hash table of numbered keys with open addressing. `is_same(number)` tells whether the key with
// this number is the one looked for.
class Numbering {
 public:
  Numbering() : slots_(64, -1), hashes_(64) {}

  template <class IsSame>
  std::int32_t number(std::uint64_t hash, const IsSame& is_same) {
    if (2 * count_ >= std::ssize(slots_)) grow();
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] >= 0) {
      if (hashes_[slot] == hash && is_same(slots_[slot])) return slots_[slot];
      slot = (slot + 1) & mask;
    }
    slots_[slot] = count_;
    hashes_[slot] = hash;
    return count_++;
  }

  std::int32_t count() const { return count_; }

 private:
  void grow() {
    std::vector<std::int32_t> slots(2 * slots_.size(), -1);
    std::vector<std::uint64_t> hashes(slots.size());
    for (std::size_t old = 0; old < slots_.size(); ++old) {
      if (slots_[old] < 0) continue;
      std::size_t slot = hashes_[old] & (slots.size() - 1);
      while (slots[slot] >= 0) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = slots_[old];
      hashes[slot] = hashes_[old];
    }
    slots_ = std::move(slots);
    hashes_ = std::move(hashes);
  }

  std::vector<std::int32_t> slots_;
  std::vector<std::uint64_t> hashes_;
  std::int32_t count_ = 0;
};

// codes[i] = number of row i among the distinct rows; returns the first row of each. Rows are
// contiguous, fewer than 2^31.
std::vector<std::int64_t> distinct_rows(MatrixView<const std::uint32_t> rows,
                                        std::span<std::int32_t> codes, const Context& ctx);

}  // namespace gramian::preprocessing
