// Floating-point numbers as unsigned ones in the same order, for sorting by digits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gramian {

// NaN comes last, and -0 is 0.
inline std::uint32_t ordered_bits(float value) {
  if (std::isnan(value)) return std::numeric_limits<std::uint32_t>::max();
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}
inline std::uint64_t ordered_bits(double value) {
  if (std::isnan(value)) return std::numeric_limits<std::uint64_t>::max();
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | 0x8000000000000000u;
}

// The number with these bits; not for those of NaN.
inline float from_ordered_bits(std::uint32_t bits) {
  return std::bit_cast<float>((bits >> 31) != 0 ? bits & 0x7FFFFFFFu : ~bits);
}
inline double from_ordered_bits(std::uint64_t bits) {
  return std::bit_cast<double>((bits >> 63) != 0 ? bits & 0x7FFFFFFFFFFFFFFFu : ~bits);
}

}  // namespace gramian
