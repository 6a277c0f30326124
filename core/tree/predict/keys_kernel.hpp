// Numbers as unsigned keys of the same order, so that trees compare integers: one cycle instead of
// four for the comparison, and missing values need no test of their own.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "simd/level.hpp"

namespace gramian::tree {

// Above every number's key; adding one makes it 0, below every number's key.
inline constexpr std::uint32_t kMissingKey = 0xFFFFFFFFU;

// A missing or unknown level; level c has key c + 1.
inline constexpr std::uint32_t kNoLevel = 0;

// What a slot of the keys holds. A set of few levels fits into a threshold key.
enum class SlotKind : std::uint8_t { numbers, few_levels, many_levels };
inline constexpr std::int32_t kFewLevels = 32;

// What the slot that stands for no column holds; see WalkForest.
inline constexpr std::uint32_t kIdleKey = 0x80000000U;

// Positive for every number, from 0x007FFFFF of -inf to 0xFF800000 of inf; -0 and 0 are the same.
inline std::uint32_t key_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);
  const auto is_negative = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31);
  const std::uint32_t key = bits ^ (is_negative | 0x80000000U);
  return x != x ? kMissingKey : key;
}

// The key of the nearest float of those that are numbers: in the order of the doubles, but for
// those that a float cannot tell apart. Also of a NaN.
[[gnu::always_inline]] inline std::uint32_t rough_key_of(double x) {
  constexpr double kMax = std::numeric_limits<float>::max();
  const double below = x < kMax ? x : kMax;
  return key_of(static_cast<float>(below > -kMax ? below : -kMax));
}

// A block of rows to be turned into keys, and where they go; steps count elements.
template <class T>
struct KeyBlock {
  const T* x;
  std::int64_t n_rows, n_cols;
  std::int64_t row_stride, col_stride;
  std::uint32_t* keys;
  std::int64_t row_step, col_step;
};

}  // namespace gramian::tree

namespace gramian {

// Keys of the numbers rounded to float; whether any of them is missing.
GRAMIAN_DECLARE_KERNEL(bool write_keys(const tree::KeyBlock<float>& block))
GRAMIAN_DECLARE_KERNEL(bool write_keys(const tree::KeyBlock<double>& block))

}  // namespace gramian
