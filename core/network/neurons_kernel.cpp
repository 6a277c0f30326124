#include "network/neurons_kernel.hpp"

#include <algorithm>

#include "network/vectors.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using network::Activation;
using network::kLeak;

template <class Vec>
struct Valued {
  Vec value, slope;
};

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)); floats go through doubles.
void softplus_lanes(double* z) {
  const VecD x = VecD::load(z);
  (max(VecD::zero(), x) + log1p_unit(exp(negative(size_of(x))))).store(z);
}

void softplus(double* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) softplus_lanes(z + i);
}

void softplus(float* z, std::int64_t n) {
  double wide[VecD::kLanes];
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) {
    VecD::load(z + i).store(wide);
    softplus_lanes(wide);
    for (int k = 0; k < VecD::kLanes; ++k) z[i + k] = static_cast<float>(wide[k]);
  }
}

// x logistic(x).
template <class Vec>
Valued<Vec> silu(Vec x) {
  const Vec s = logistic(x);
  const Vec one = constant<Vec>(1.0);
  return {x * s, s * (one + x * (one - s))};
}

// x (1 + tanh(c (x + a x^3))) / 2: the usual approximation of x times the normal distribution.
template <class Vec>
Valued<Vec> gelu(Vec x) {
  const Vec one = constant<Vec>(1.0);
  const Vec half = constant<Vec>(0.5);
  const Vec c = constant<Vec>(0.7978845608028654);  // sqrt(2 / pi)
  const Vec square = x * x;
  const Vec t = tanh(c * x * fma(constant<Vec>(0.044715), square, one));
  const Vec inner = c * fma(constant<Vec>(3.0 * 0.044715), square, one);
  return {half * x * (one + t), half * (one + t) + half * x * (one - t * t) * inner};
}

// l x above zero, l a (exp(x) - 1) below: neurons whose sums have mean 0 and variance 1 keep them.
template <class Vec>
Valued<Vec> selu(Vec x) {
  const Vec zero = Vec::zero(), one = constant<Vec>(1.0);
  const Vec scale = constant<Vec>(1.0507009873554805);
  const Vec tail = constant<Vec>(1.0507009873554805 * 1.6732632423543772);
  const Vec e = exp(min(zero, x));
  return {select_less(zero, x, scale * x, tail * (e - one)), select_less(zero, x, scale, tail * e)};
}

// x tanh(log(1 + exp(x))), where with e = exp(x) the tanh is e (e + 2) / (e (e + 2) + 2).
template <class Vec>
Valued<Vec> mish(Vec x) {
  const Vec one = constant<Vec>(1.0), two = constant<Vec>(2.0);
  const Vec e = exp(min(constant<Vec>(20.0), x));  // beyond it the tanh is 1
  const Vec product = e * (e + two);
  const Vec t = product / (product + two);
  return {x * t, t + x * (one - t * t) * logistic(x)};
}

template <class T, class Function>
void each(T* z, std::int64_t n, const Function& function) {
  using Vec = VecOf<T>;
  for (std::int64_t i = 0; i < n; i += Vec::kLanes) function(Vec::load(z + i)).store(z + i);
}

template <class T, class Function>
void each_valued(T* z, T* slopes, std::int64_t n, const Function& function) {
  using Vec = VecOf<T>;
  for (std::int64_t i = 0; i < n; i += Vec::kLanes) {
    const Valued<Vec> found = function(Vec::load(z + i));
    found.value.store(z + i);
    if (slopes) found.slope.store(slopes + i);
  }
}

template <class T>
void activate_all(Activation activation, T* z, T* slopes, std::int64_t n) {
  using Vec = VecOf<T>;
  switch (activation) {
    case Activation::logistic:
      return each(z, n, [](Vec x) { return logistic(x); });
    case Activation::tanh:
      return each(z, n, [](Vec x) { return tanh(x); });
    case Activation::relu:
      return each(z, n, [](Vec x) { return max(Vec::zero(), x); });
    case Activation::leaky_relu:
      return each(z, n, [](Vec x) { return max(constant<Vec>(kLeak) * x, x); });
    case Activation::softplus:
      return softplus(z, n);
    case Activation::gelu:
      return each_valued(z, slopes, n, [](Vec x) { return gelu(x); });
    case Activation::silu:
      return each_valued(z, slopes, n, [](Vec x) { return silu(x); });
    case Activation::selu:
      return each_valued(z, slopes, n, [](Vec x) { return selu(x); });
    case Activation::mish:
      return each_valued(z, slopes, n, [](Vec x) { return mish(x); });
    case Activation::exp:
      return each(z, n, [](Vec x) { return exp(x); });
    default:
      return;
  }
}

template <class T, class Function>
void each_slope(const T* values, T* delta, std::int64_t n, const Function& slope) {
  using Vec = VecOf<T>;
  for (std::int64_t i = 0; i < n; i += Vec::kLanes)
    (Vec::load(delta + i) * slope(Vec::load(values + i))).store(delta + i);
}

template <class T>
void multiply_slopes(Activation activation, const T* values, const T* slopes, T* delta,
                     std::int64_t n) {
  using Vec = VecOf<T>;
  const Vec one = constant<Vec>(1.0);
  const Vec zero = Vec::zero();
  switch (activation) {
    case Activation::logistic:
      return each_slope(values, delta, n, [&](Vec a) { return a * (one - a); });
    case Activation::tanh:
      return each_slope(values, delta, n, [&](Vec a) { return one - a * a; });
    case Activation::relu:
      return each_slope(values, delta, n, [&](Vec a) { return select_less(zero, a, one, zero); });
    case Activation::leaky_relu:
      return each_slope(values, delta, n,
                        [&](Vec a) { return select_less(zero, a, one, constant<Vec>(kLeak)); });
    case Activation::softplus:
      return each_slope(values, delta, n, [&](Vec a) { return one - exp(negative(a)); });
    case Activation::exp:
      return each_slope(values, delta, n, [](Vec a) { return a; });
    case Activation::gelu:
    case Activation::silu:
    case Activation::selu:
    case Activation::mish:
      return each_slope(slopes, delta, n, [](Vec slope) { return slope; });
    default:
      return;
  }
}

template <class T>
void bend_all(Activation activation, const BentNeurons<T>& neurons) {
  using Vec = VecOf<T>;
  T slopes[Vec::kLanes], values[Vec::kLanes];
  const Vec one = constant<Vec>(1.0);
  const T* from = needs_slopes(activation) ? slopes : nullptr;
  for (std::int64_t j = 0; j < neurons.width; j += Vec::kLanes) {
    const Vec share = Vec::load(neurons.shares + j);
    for (std::int64_t at = j; at < neurons.n_rows * neurons.width; at += neurons.width) {
      const Vec z = Vec::load(neurons.z + at);
      z.store(values);
      activate_all(activation, values, slopes, Vec::kLanes);
      const Vec bend = Vec::load(values) - z;
      fma(share, bend, z).store(neurons.z + at);
      if (neurons.bends) bend.store(neurons.bends + at);
      if (!neurons.slopes) continue;
      T derivative[Vec::kLanes];
      one.store(derivative);
      multiply_slopes(activation, values, from, derivative, Vec::kLanes);
      fma(share, Vec::load(derivative) - one, one).store(neurons.slopes + at);
    }
  }
}

template <class T>
void sum_all_rows(const T* rows, std::int64_t n_rows, std::int64_t width, T* out) {
  using Vec = VecOf<T>;
  for (std::int64_t j = 0; j < width; j += Vec::kLanes) {
    Vec sum = Vec::zero();
    for (std::int64_t i = 0; i < n_rows; ++i) sum = sum + Vec::load(rows + i * width + j);
    sum.store(out + j);
  }
}

// kRows rows at a time, whose chains of additions do not wait for each other.
template <int kRows, class T>
void dot_some(const RowDots<T>& dots, std::int64_t i) {
  using Vec = VecOf<T>;
  const T* row = dots.rows + i * dots.width;
  T* out = dots.out + i * dots.out_width;
  for (std::int64_t j = 0; j < dots.n_others; ++j) {
    const T* other = dots.others + j * dots.width;
    Vec sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = Vec::zero();
    for (std::int64_t k = 0; k < dots.width; k += Vec::kLanes) {
      const Vec right = Vec::load(other + k);
      for (int r = 0; r < kRows; ++r)
        sum[r] = fma(Vec::load(row + r * dots.width + k), right, sum[r]);
    }
    for (int r = 0; r < kRows; ++r) out[r * dots.out_width + j] = dots.start[j] + hsum(sum[r]);
  }
  for (int r = 0; r < kRows; ++r)
    std::fill(out + r * dots.out_width + dots.n_others, out + (r + 1) * dots.out_width, T{0});
}

template <class T>
void dot_all(const RowDots<T>& dots) {
  std::int64_t i = 0;
  for (; i + 8 <= dots.n_rows; i += 8) dot_some<8>(dots, i);
  for (; i < dots.n_rows; ++i) dot_some<1>(dots, i);
}

// kVecs vectors of the sum at a time, all entries for each.
template <int kVecs, class T, class Index>
void mix_vectors(const RowMixture<T, Index>& mixture, std::int64_t j) {
  using Vec = VecOf<T>;
  Vec sum[kVecs];
  for (int v = 0; v < kVecs; ++v)
    sum[v] = mixture.start ? Vec::load(mixture.start + j + v * Vec::kLanes) : Vec::zero();
  for (std::int64_t e = 0; e < mixture.n; ++e) {
    const Vec x = Vec::set1(mixture.values[e]);
    const T* row =
        mixture.rows + static_cast<std::int64_t>(mixture.indices[e]) * mixture.stride + j;
    for (int v = 0; v < kVecs; ++v) sum[v] = fma(x, Vec::load(row + v * Vec::kLanes), sum[v]);
  }
  for (int v = 0; v < kVecs; ++v) sum[v].store(mixture.sum + j + v * Vec::kLanes);
}

template <class T, class Index>
void mix(const RowMixture<T, Index>& mixture) {
  constexpr std::int64_t kLanes = VecOf<T>::kLanes;
  std::int64_t j = 0;
  for (; j + 4 * kLanes <= mixture.width; j += 4 * kLanes) mix_vectors<4>(mixture, j);
  for (; j < mixture.width; j += kLanes) mix_vectors<1>(mixture, j);
}

}  // namespace

void activate(Activation activation, double* z, double* slopes, std::int64_t n) {
  activate_all(activation, z, slopes, n);
}
void activate(Activation activation, float* z, float* slopes, std::int64_t n) {
  activate_all(activation, z, slopes, n);
}

void times_slopes(Activation activation, const double* values, const double* slopes, double* delta,
                  std::int64_t n) {
  multiply_slopes(activation, values, slopes, delta, n);
}
void times_slopes(Activation activation, const float* values, const float* slopes, float* delta,
                  std::int64_t n) {
  multiply_slopes(activation, values, slopes, delta, n);
}

void bend_neurons(Activation activation, const BentNeurons<double>& neurons) {
  bend_all(activation, neurons);
}
void bend_neurons(Activation activation, const BentNeurons<float>& neurons) {
  bend_all(activation, neurons);
}

void sum_rows(const double* rows, std::int64_t n_rows, std::int64_t width, double* sum) {
  sum_all_rows(rows, n_rows, width, sum);
}
void sum_rows(const float* rows, std::int64_t n_rows, std::int64_t width, float* sum) {
  sum_all_rows(rows, n_rows, width, sum);
}

void dot_rows(const RowDots<double>& dots) { dot_all(dots); }
void dot_rows(const RowDots<float>& dots) { dot_all(dots); }

void mix_rows(const RowMixture<double, std::int32_t>& mixture) { mix(mixture); }
void mix_rows(const RowMixture<double, std::int64_t>& mixture) { mix(mixture); }
void mix_rows(const RowMixture<float, std::int32_t>& mixture) { mix(mixture); }
void mix_rows(const RowMixture<float, std::int64_t>& mixture) { mix(mixture); }

}  // namespace gramian::GRAMIAN_ISA
