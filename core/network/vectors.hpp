// Logistic function, hyperbolic tangent and waves of vectors of either number. Include in
// kernel sources only.
#pragma once

#include <concepts>
#include <type_traits>

#include "simd/order.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {

template <class T>
using VecOf = std::conditional_t<std::same_as<T, double>, VecD, VecF>;

template <class Vec>
using NumberOf = std::conditional_t<std::same_as<Vec, VecD>, double, float>;

template <class Vec>
Vec constant(double x) {
  return Vec::set1(static_cast<NumberOf<Vec>>(x));
}

template <class Vec>
Vec negative(Vec x) {
  return Vec::zero() - x;
}

template <class Vec>
Vec size_of(Vec x) {
  return max(negative(x), x);
}

// 1 / (1 + exp(-x)), of which neither tail cancels.
template <class Vec>
Vec logistic(Vec x) {
  const Vec one = constant<Vec>(1.0);
  const Vec e = exp(negative(size_of(x)));
  const Vec upper = one / (one + e);
  return select_less(x, Vec::zero(), e * upper, upper);
}

// sum_k coefficients[k] x^k.
template <class Vec, std::size_t kCount>
Vec polynomial(const double (&coefficients)[kCount], Vec x) {
  Vec sum = constant<Vec>(coefficients[kCount - 1]);
  for (std::size_t k = kCount - 1; k-- > 0;) sum = fma(sum, x, constant<Vec>(coefficients[k]));
  return sum;
}

// tanh(x) / x as a series in x^2 where x is small; elsewhere (1 - e) / (1 + e) with e = exp(-2|x|).
template <class Vec>
Vec tanh(Vec x) {
  static constexpr double kSeries[] = {1.0,
                                       -1.0 / 3.0,
                                       2.0 / 15.0,
                                       -17.0 / 315.0,
                                       62.0 / 2835.0,
                                       -1382.0 / 155925.0,
                                       21844.0 / 6081075.0,
                                       -929569.0 / 638512875.0,
                                       6404582.0 / 10854718875.0,
                                       -443861162.0 / 1856156927625.0};
  const Vec one = constant<Vec>(1.0);
  const Vec zero = Vec::zero();
  const Vec e = exp(constant<Vec>(-2.0) * size_of(x));
  const Vec far = (one - e) / (one + e);
  const Vec signed_far = select_less(x, zero, negative(far), far);
  return select_less(size_of(x), constant<Vec>(0.25), x * polynomial(kSeries, x * x), signed_far);
}

inline VecD whole_shifter(VecD) { return VecD::set1(kBitShifter); }
inline VecF whole_shifter(VecF) { return VecF::set1(kBitShifterF); }

template <class Vec>
struct Turned {
  Vec cosine, sine;
};

// cos(2 pi t) and sin(2 pi t). Whole turns are taken off exactly; with h = pi r and |r| <= 1/2 then
// cos 2h = 1 - 2 sin^2 h and sin 2h = 2 sin h cos h, both from their series.
template <class Vec>
Turned<Vec> turn(Vec t) {
  static constexpr double kSine[] = {1.0,
                                     -1.0 / 6.0,
                                     1.0 / 120.0,
                                     -1.0 / 5040.0,
                                     1.0 / 362880.0,
                                     -1.0 / 39916800.0,
                                     1.0 / 6227020800.0,
                                     -1.0 / 1307674368000.0,
                                     1.0 / 355687428096000.0,
                                     -1.0 / 121645100408832000.0,
                                     1.0 / 51090942171709440000.0};
  static constexpr double kCosine[] = {1.0,
                                       -1.0 / 2.0,
                                       1.0 / 24.0,
                                       -1.0 / 720.0,
                                       1.0 / 40320.0,
                                       -1.0 / 3628800.0,
                                       1.0 / 479001600.0,
                                       -1.0 / 87178291200.0,
                                       1.0 / 20922789888000.0,
                                       -1.0 / 6402373705728000.0,
                                       1.0 / 2432902008176640000.0};
  const Vec shifter = whole_shifter(t);
  const Vec h = constant<Vec>(3.141592653589793) * (t - ((t + shifter) - shifter));
  const Vec square = h * h;
  const Vec sine = h * polynomial(kSine, square);
  const Vec two = constant<Vec>(2.0);
  return {fma(negative(two) * sine, sine, constant<Vec>(1.0)),
          two * sine * polynomial(kCosine, square)};
}

}  // namespace gramian::GRAMIAN_ISA
