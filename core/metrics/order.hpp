// Numbers as keys of the radix sort.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace gramian::metrics {

// Scores as unsigned integers in the opposite order: the highest score has the smallest key.
template <class T>
struct Order {
  using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr Key kSign = Key{1} << (8 * sizeof(Key) - 1);

  static Key key(T score) {
    if constexpr (std::is_floating_point_v<T>) {
      const Key bits = std::bit_cast<Key>(score + T{0});  // -0 becomes 0, so that they tie
      return bits & kSign ? bits : ~(bits | kSign);
    } else {
      return ~(static_cast<Key>(score) ^ kSign);
    }
  }

  static T score(Key key) {
    if constexpr (std::is_floating_point_v<T>)
      return std::bit_cast<T>(key & kSign ? key : ~key & ~kSign);
    else
      return static_cast<T>(~key ^ kSign);
  }
};

}  // namespace gramian::metrics
