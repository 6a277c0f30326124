// Thresholds of random cuts, for kernels and others: inlined wherever they are used, so that no
// code of one instruction set level is called from another.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace gramian::tree {

// The largest number of type T that is not above the threshold: comparing values with it is
// comparing them with the threshold.
[[gnu::always_inline]] inline double not_above(double threshold, double) { return threshold; }
[[gnu::always_inline]] inline float not_above(double threshold, float) {
  const auto rounded = static_cast<float>(threshold);
  if (!(static_cast<double>(rounded) > threshold)) return rounded;
  // One step down. The bits of a float, as a number, are in the order of its size.
  if (rounded == 0.0f) return -std::numeric_limits<float>::denorm_min();
  const auto bits = std::bit_cast<std::uint32_t>(rounded);
  return std::bit_cast<float>(rounded > 0.0f ? bits - 1 : bits + 1);
}

// The cut at a place from 0 to 1 of a range that is not a point.
template <class T>
[[gnu::always_inline]] inline double drawn_threshold(T lowest, T highest, double place) {
  const double low = static_cast<double>(lowest), high = static_cast<double>(highest);
  const double threshold = low + place * (high - low);
  return threshold < high ? threshold : low;
}

}  // namespace gramian::tree
