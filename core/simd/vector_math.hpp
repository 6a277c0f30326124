// exp, log and log1p of eight numbers at once (exp of sixteen floats), to about one unit in the
// last place. They are made of fused multiply-adds in a fixed order, so every level gives the same
// bits, which a C library's do not promise. Include in kernel sources only.
#pragma once

#include "simd/bits.hpp"
#include "simd/order.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

inline constexpr double kLn2High = 6.93147180369123816490e-01;  // the last 32 bits are zero
inline constexpr double kLn2Low = 1.90821492927058770002e-10;
inline constexpr double kLargestExp = 709.0;  // exp stays a normal number within these bounds
inline constexpr double kSmallestExp = -708.0;

// exp(x) for x clamped to [-708, 709]; NaN stays NaN.
// With x = k ln 2 + r and |r| <= ln 2 / 2:  exp(x) = 2^k sum_n r^n / n!.
inline VecD exp(VecD x) {
  x = min(VecD::set1(kLargestExp), max(VecD::set1(kSmallestExp), x));
  const VecD shifter = VecD::set1(kBitShifter);
  const VecD shifted = fma(x, VecD::set1(1.4426950408889634), shifter);
  const VecD k = shifted - shifter;
  VecD r = fma(k, VecD::set1(-kLn2High), x);
  r = fma(k, VecD::set1(-kLn2Low), r);
  VecD sum = VecD::set1(1.0 / 6227020800.0);
  sum = fma(sum, r, VecD::set1(1.0 / 479001600.0));
  sum = fma(sum, r, VecD::set1(1.0 / 39916800.0));
  sum = fma(sum, r, VecD::set1(1.0 / 3628800.0));
  sum = fma(sum, r, VecD::set1(1.0 / 362880.0));
  sum = fma(sum, r, VecD::set1(1.0 / 40320.0));
  sum = fma(sum, r, VecD::set1(1.0 / 5040.0));
  sum = fma(sum, r, VecD::set1(1.0 / 720.0));
  sum = fma(sum, r, VecD::set1(1.0 / 120.0));
  sum = fma(sum, r, VecD::set1(1.0 / 24.0));
  sum = fma(sum, r, VecD::set1(1.0 / 6.0));
  sum = fma(sum, r, VecD::set1(0.5));
  sum = fma(sum, r, VecD::set1(1.0));
  sum = fma(sum, r, VecD::set1(1.0));
  return sum * power_from_bits(shifted + VecD::set1(1023.0));
}

// exp(x) for x clamped to [-87, 88], as above; NaN stays NaN.
inline VecF exp(VecF x) {
  x = min(VecF::set1(88.0f), max(VecF::set1(-87.0f), x));
  const VecF shifter = VecF::set1(kBitShifterF);
  const VecF shifted = fma(x, VecF::set1(1.44269504f), shifter);
  const VecF k = shifted - shifter;
  VecF r = fma(k, VecF::set1(-0.693359375f), x);  // 9 bits: exact
  r = fma(k, VecF::set1(2.12194440e-4f), r);
  VecF sum = VecF::set1(1.0f / 5040.0f);
  sum = fma(sum, r, VecF::set1(1.0f / 720.0f));
  sum = fma(sum, r, VecF::set1(1.0f / 120.0f));
  sum = fma(sum, r, VecF::set1(1.0f / 24.0f));
  sum = fma(sum, r, VecF::set1(1.0f / 6.0f));
  sum = fma(sum, r, VecF::set1(0.5f));
  sum = fma(sum, r, VecF::set1(1.0f));
  sum = fma(sum, r, VecF::set1(1.0f));
  return sum * power_from_bits(shifted + VecF::set1(127.0f));
}

// 2 atanh(s) = log((1 + s) / (1 - s)) for |s| <= 0.172, less its first term 2 s.
inline VecD log_ratio_rest(VecD s) {
  const VecD q = s * s;
  VecD sum = VecD::set1(2.0 / 23.0);
  sum = fma(sum, q, VecD::set1(2.0 / 21.0));
  sum = fma(sum, q, VecD::set1(2.0 / 19.0));
  sum = fma(sum, q, VecD::set1(2.0 / 17.0));
  sum = fma(sum, q, VecD::set1(2.0 / 15.0));
  sum = fma(sum, q, VecD::set1(2.0 / 13.0));
  sum = fma(sum, q, VecD::set1(2.0 / 11.0));
  sum = fma(sum, q, VecD::set1(2.0 / 9.0));
  sum = fma(sum, q, VecD::set1(2.0 / 7.0));
  sum = fma(sum, q, VecD::set1(2.0 / 5.0));
  sum = fma(sum, q, VecD::set1(2.0 / 3.0));
  return sum * (q * s);
}

// log(1 + e) for 0 <= e <= 1. Above sqrt(2) - 1 the half of 1 + e is taken, whose log is near 0.
inline VecD log1p_unit(VecD e) {
  const VecD bound = VecD::set1(0.41421356237309503);
  const VecD one = VecD::set1(1.0);
  const VecD z = select_less(e, bound, e, VecD::set1(0.5) * (e - one));
  const VecD add = select_less(e, bound, VecD::zero(), VecD::set1(0.69314718055994531));
  const VecD s = z / (VecD::set1(2.0) + z);
  return fma(VecD::set1(2.0), s, log_ratio_rest(s)) + add;
}

// log(x) for positive normal x.
inline VecD log(VecD x) {
  VecD m = mantissa_of(x);
  VecD e = exponent_of(x);
  const VecD root = VecD::set1(1.4142135623730951);
  const VecD one = VecD::set1(1.0);
  e = select_less(m, root, e, e + one);
  m = select_less(m, root, m, VecD::set1(0.5) * m);
  const VecD z = m - one;
  const VecD s = z / (m + one);
  // log m = z - s (z - rest of the series): z is exact, s is not
  const VecD rest = log_ratio_rest(s);
  const VecD two_s_error =
      fma(s, VecD::zero() - z, z) - (s + s);  // z - s z = 2 s, in exact numbers
  const VecD log_m = (s + s) + (two_s_error + rest);
  return fma(e, VecD::set1(kLn2High), fma(e, VecD::set1(kLn2Low), log_m));
}

}  // namespace gramian::GRAMIAN_ISA
