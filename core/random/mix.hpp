// A hash of 64 bits: SplitMix64's finaliser (Steele, Lea and Flood, 2014).
#pragma once

#include <cstdint>

namespace gramian {

inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The key of a node's random numbers, from its parent's; the root's is 1.
inline std::uint64_t child_path(std::uint64_t path, bool is_left) {
  return mixed(2 * path + (is_left ? 0 : 1));
}

}  // namespace gramian
