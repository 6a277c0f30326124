#include "manifold/fft_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

struct Complex {
  VecF re, im;
};

Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex turned(Complex a) { return {a.im, VecF::zero() - a.re}; }  // times -i
Complex scaled(Complex a, float s) { return {a.re * VecF::set1(s), a.im * VecF::set1(s)}; }
Complex add_scaled(Complex a, float s, Complex b) {
  return {fma(VecF::set1(s), b.re, a.re), fma(VecF::set1(s), b.im, a.im)};
}
Complex times(Complex a, VecF re, VecF im) {
  return {fma(a.re, re, VecF::zero() - a.im * im), fma(a.re, im, a.im * re)};
}

void butterfly(Complex (&x)[2]) {
  const Complex a = x[0], b = x[1];
  x[0] = a + b;
  x[1] = a - b;
}

void butterfly(Complex (&x)[3]) {
  constexpr float kSine = 0.866025403784438647f;  // sin(2 pi / 3)
  const Complex sum = x[1] + x[2], difference = scaled(turned(x[1] - x[2]), kSine);
  const Complex middle = add_scaled(x[0], -0.5f, sum);
  x[0] = x[0] + sum;
  x[1] = middle + difference;
  x[2] = middle - difference;
}

void butterfly(Complex (&x)[4]) {
  const Complex a = x[0] + x[2], b = x[0] - x[2];
  const Complex c = x[1] + x[3], d = turned(x[1] - x[3]);
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

void butterfly(Complex (&x)[5]) {
  constexpr float kCos1 = 0.309016994374947424f, kSin1 = 0.951056516295153572f;  // of 2 pi / 5
  constexpr float kCos2 = -0.809016994374947424f, kSin2 = 0.587785252292473129f;
  const Complex outer = x[1] + x[4], inner = x[2] + x[3];
  const Complex outer_turned = turned(x[1] - x[4]), inner_turned = turned(x[2] - x[3]);
  const Complex a = add_scaled(add_scaled(x[0], kCos1, outer), kCos2, inner);
  const Complex b = add_scaled(add_scaled(x[0], kCos2, outer), kCos1, inner);
  const Complex c = add_scaled(scaled(outer_turned, kSin1), kSin2, inner_turned);
  const Complex d = add_scaled(scaled(outer_turned, kSin2), -kSin1, inner_turned);
  x[0] = x[0] + outer + inner;
  x[1] = a + c;
  x[2] = b + d;
  x[3] = b - d;
  x[4] = a - c;
}

template <int kRadix>
void run_stage(const FftStage& stage, const float* in, float* out, int re, int im) {
  for (std::int64_t run = 0; run < stage.n_runs; ++run) {
    const float* roots = stage.roots + run * (kRadix - 1) * 2;
    for (std::int64_t q = 0; q < stage.stride; ++q) {
      Complex x[kRadix];
      for (int k = 0; k < kRadix; ++k) {
        const std::int64_t element = q + stage.stride * (run + stage.n_runs * k);
        x[k] = {VecF::load(in + element * kFftElement + re),
                VecF::load(in + element * kFftElement + im)};
      }
      butterfly(x);
      for (int k = 0; k < kRadix; ++k) {
        if (k > 0 && run > 0)
          x[k] = times(x[k], VecF::set1(roots[2 * (k - 1)]), VecF::set1(roots[2 * (k - 1) + 1]));
        const std::int64_t element = q + stage.stride * (run * kRadix + k);
        x[k].re.store(out + element * kFftElement + re);
        x[k].im.store(out + element * kFftElement + im);
      }
    }
  }
}

}  // namespace

void fft_stage(const FftStage& stage, const float* in, float* out, bool inverse) {
  // With real and imaginary parts exchanged the sign of the exponent is the other one.
  const int re = inverse ? VecF::kLanes : 0, im = VecF::kLanes - re;
  if (stage.radix == 2) run_stage<2>(stage, in, out, re, im);
  if (stage.radix == 3) run_stage<3>(stage, in, out, re, im);
  if (stage.radix == 4) run_stage<4>(stage, in, out, re, im);
  if (stage.radix == 5) run_stage<5>(stage, in, out, re, im);
}

}  // namespace gramian::GRAMIAN_ISA
