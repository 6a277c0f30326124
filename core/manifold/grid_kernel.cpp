#include "manifold/grid_kernel.hpp"

#include <algorithm>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecF::kLanes;
constexpr std::int64_t kElement = 2 * kLanes;

}  // namespace

void part_rows(const float* transformed, std::int64_t length, std::int64_t block_stride,
               float* out) {
  const VecF half = VecF::set1(0.5f);
  float first_re[kLanes][kLanes], first_im[kLanes][kLanes];
  float second_re[kLanes][kLanes], second_im[kLanes][kLanes];
  const std::int64_t n_kept = length / 2 + 1;
  for (std::int64_t begin = 0; begin < n_kept; begin += kLanes, out += block_stride) {
    const auto n = static_cast<int>(std::min<std::int64_t>(kLanes, n_kept - begin));
    for (int c = 0; c < n; ++c) {
      const std::int64_t k = begin + c, mirrored = k == 0 ? 0 : length - k;
      const VecF a = VecF::load(transformed + k * kElement);
      const VecF b = VecF::load(transformed + k * kElement + kLanes);
      const VecF d = VecF::load(transformed + mirrored * kElement);
      const VecF e = VecF::load(transformed + mirrored * kElement + kLanes);
      (half * (a + d)).store(first_re[c]);
      (half * (b - e)).store(first_im[c]);
      (half * (b + e)).store(second_re[c]);
      (half * (d - a)).store(second_im[c]);
    }
    for (int row = 0; row < kLanes; ++row) {
      float* first = out + row * kElement;
      float* second = out + (row + kLanes) * kElement;
      for (int c = 0; c < kLanes; ++c) {
        first[c] = c < n ? first_re[c][row] : 0.0f;
        first[c + kLanes] = c < n ? first_im[c][row] : 0.0f;
        second[c] = c < n ? second_re[c][row] : 0.0f;
        second[c + kLanes] = c < n ? second_im[c][row] : 0.0f;
      }
    }
  }
}

void join_rows(const float* x, const float* y, std::int64_t length, std::int64_t block_stride,
               float* out) {
  const std::int64_t n_kept = length / 2 + 1;
  float x_re[kLanes], x_im[kLanes], y_re[kLanes], y_im[kLanes];
  for (std::int64_t k = 0; k < n_kept; ++k) {
    const std::int64_t place = k / kLanes * block_stride + k % kLanes;
    for (int row = 0; row < kLanes; ++row) {
      x_re[row] = x[place + row * kElement];
      x_im[row] = x[place + row * kElement + kLanes];
      y_re[row] = y[place + row * kElement];
      y_im[row] = y[place + row * kElement + kLanes];
    }
    const VecF a = VecF::load(x_re), b = VecF::load(x_im);
    const VecF c = VecF::load(y_re), d = VecF::load(y_im);
    (a - d).store(out + k * kElement);
    (b + c).store(out + k * kElement + kLanes);
    if (k == 0 || 2 * k == length) continue;
    const std::int64_t mirrored = length - k;
    (a + d).store(out + mirrored * kElement);
    (c - b).store(out + mirrored * kElement + kLanes);
  }
}

double apply_kernels(std::int64_t n, const float* kernels, const float* weights, float* x,
                     float* y) {
  const VecF weight = VecF::load(weights);
  VecD total = VecD::zero();
  float lanes[kLanes];
  for (std::int64_t k = 0; k < n; ++k) {
    const VecF re = VecF::load(x + k * kElement), im = VecF::load(x + k * kElement + kLanes);
    const VecF k0 = VecF::load(kernels), k1 = VecF::load(kernels + kLanes);
    const VecF k2 = VecF::load(kernels + 2 * kLanes);
    kernels += 3 * kLanes;
    (weight * k0 * fma(re, re, im * im)).store(lanes);
    total = total + (VecD::load(lanes) + VecD::load(lanes + VecD::kLanes));
    (VecF::zero() - k1 * im).store(x + k * kElement);
    (k1 * re).store(x + k * kElement + kLanes);
    (VecF::zero() - k2 * im).store(y + k * kElement);
    (k2 * re).store(y + k * kElement + kLanes);
  }
  return hsum(total);
}

}  // namespace gramian::GRAMIAN_ISA
