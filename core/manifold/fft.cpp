#include "manifold/fft.hpp"

#include <algorithm>
#include <utility>

namespace gramian::manifold {
namespace {

// Taylor's sums on an eighth of the circle, which no C library has a say in.
double sine(double x) {
  double sum = 0.0;
  for (int k = 19; k >= 3; k -= 2) sum = (1.0 + sum) * (-x * x / (k * (k - 1)));
  return x * (1.0 + sum);
}

double cosine(double x) {
  double sum = 0.0;
  for (int k = 20; k >= 2; k -= 2) sum = (1.0 + sum) * (-x * x / (k * (k - 1)));
  return 1.0 + sum;
}

// exp(-2 pi i k / n) for 0 <= k < n.
std::pair<double, double> unit_root(std::int64_t k, std::int64_t n) {
  constexpr double kTurn = 6.283185307179586476925;
  if (2 * k > n) {
    const auto [re, im] = unit_root(n - k, n);
    return {re, -im};
  }
  if (4 * k > n) {  // cos(pi - x) = -cos x
    const auto [re, im] = unit_root(n - 2 * k, 2 * n);
    return {-re, im};
  }
  const double angle = kTurn * static_cast<double>(k) / static_cast<double>(n);
  if (8 * k > n) {
    const double rest = kTurn * static_cast<double>(n - 4 * k) / static_cast<double>(4 * n);
    return {sine(rest), -cosine(rest)};
  }
  return {cosine(angle), -sine(angle)};
}

}  // namespace

Fft::Fft(std::int64_t length) : length_(length), roots_(2 * 2 * length + 64) {
  std::int64_t rest = length, stride = 1, n_roots = 0;
  for (const int radix : {4, 5, 3, 2}) {
    while (rest % radix == 0) {
      const std::int64_t n_runs = rest / radix;
      float* roots = roots_.data() + n_roots;
      for (std::int64_t run = 0; run < n_runs; ++run)
        for (int k = 1; k < radix; ++k) {
          const auto [re, im] = unit_root(run * k, rest);
          roots[(run * (radix - 1) + k - 1) * 2] = static_cast<float>(re);
          roots[(run * (radix - 1) + k - 1) * 2 + 1] = static_cast<float>(im);
        }
      n_roots += n_runs * (radix - 1) * 2;
      stages_.push_back({radix, n_runs, stride, roots});
      stride *= radix;
      rest = n_runs;
    }
  }
}

std::int64_t Fft::length_for(std::int64_t n) {
  for (std::int64_t length = std::max<std::int64_t>((n + 31) / 32, 1);; ++length) {
    std::int64_t rest = length;
    for (const int radix : {2, 3, 5})
      while (rest % radix == 0) rest /= radix;
    if (rest == 1) return 32 * length;
  }
}

void Fft::operator()(float* data, float* scratch, bool inverse) const {
  float *from = data, *to = scratch;
  for (const FftStage& stage : stages_) {
    GRAMIAN_DISPATCH(fft_stage, stage, from, to, inverse);
    std::swap(from, to);
  }
  if (from != data) std::copy_n(from, length_ * kFftElement, data);
}

}  // namespace gramian::manifold
