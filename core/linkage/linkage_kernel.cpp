#include "linkage/linkage_kernel.hpp"

#include <limits>

#include "simd/mask.hpp"
#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kGroup = 4;  // blocks side by side, so that no sum waits for itself

// score = d^2 n_a n_b / (n_a + n_b)
template <class Vec>
Vec weighed(Vec squared, Vec size, Vec sizes) {
  return squared * ((size * sizes) / (size + sizes));
}

}  // namespace

float scan_narrow(const float* query, float size, const float* blocks, const float* sizes,
                  std::int64_t n_blocks, std::int64_t n_features, float* scores) {
  VecF least = VecF::set1(std::numeric_limits<float>::infinity());
  const std::int64_t stride = n_features * VecF::kLanes;
  for (std::int64_t b = 0; b < n_blocks; b += kGroup) {
    VecF sum[kGroup] = {VecF::zero(), VecF::zero(), VecF::zero(), VecF::zero()};
    const float* block = blocks + b * stride;
    for (std::int64_t k = 0; k < n_features; ++k) {
      const VecF x = VecF::set1(query[k]);
      for (int g = 0; g < kGroup; ++g) {
        const VecF gap = x - VecF::load(block + g * stride + k * VecF::kLanes);
        sum[g] = fma(gap, gap, sum[g]);
      }
    }
    for (int g = 0; g < kGroup; ++g) {
      const std::int64_t first = (b + g) * VecF::kLanes;
      if (sizes) sum[g] = weighed(sum[g], VecF::set1(size), VecF::load(sizes + first));
      sum[g].store(scores + first);
      least = min(sum[g], least);
    }
  }
  float lanes[VecF::kLanes];
  least.store(lanes);
  float result = lanes[0];
  for (const float lane : lanes) result = lane < result ? lane : result;
  return result;
}

std::int64_t find_blocks(const float* scores, std::int64_t n_blocks, float limit,
                         std::int32_t* found) {
  std::int64_t n = 0;
  for (std::int64_t b = 0; b < n_blocks; ++b) {
    found[n] = static_cast<std::int32_t>(b);
    n += less_equal(VecF::load(scores + b * VecF::kLanes), VecF::set1(limit)) != 0 ? 1 : 0;
  }
  return n;
}

void scan_wide(const double* query, double size, const double* block, const double* sizes,
               std::int64_t n_features, double* scores) {
  for (std::int64_t half = 0; half < 2; ++half) {
    VecD sum = VecD::zero();
    const std::int64_t shift = half * VecD::kLanes;
    for (std::int64_t k = 0; k < n_features; ++k) {
      const VecD gap = VecD::set1(query[k]) - VecD::load(block + 2 * k * VecD::kLanes + shift);
      sum = fma(gap, gap, sum);
    }
    if (sizes) sum = weighed(sum, VecD::set1(size), VecD::load(sizes + shift));
    sum.store(scores + shift);
  }
}

std::int64_t least_entry(const double* values, std::int64_t n, double* least) {
  VecD best[2] = {VecD::set1(std::numeric_limits<double>::infinity()),
                  VecD::set1(std::numeric_limits<double>::infinity())};
  std::int64_t i = 0;
  for (; i + 2 * VecD::kLanes <= n; i += 2 * VecD::kLanes)
    for (int g = 0; g < 2; ++g) best[g] = min(VecD::load(values + i + g * VecD::kLanes), best[g]);
  double lanes[VecD::kLanes];
  min(best[0], best[1]).store(lanes);
  double lowest = lanes[0];
  for (const double lane : lanes) lowest = lane < lowest ? lane : lowest;
  for (; i < n; ++i) lowest = values[i] < lowest ? values[i] : lowest;
  *least = lowest;
  for (i = 0; i + VecD::kLanes <= n; i += VecD::kLanes)
    if (less_equal(VecD::load(values + i), VecD::set1(lowest)) != 0) break;
  while (i < n && !(values[i] <= lowest)) ++i;
  return i;
}

void smaller_of_each(double* values, const double* others, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + VecD::kLanes <= n; i += VecD::kLanes)
    min(VecD::load(values + i), VecD::load(others + i)).store(values + i);
  for (; i < n; ++i) values[i] = values[i] < others[i] ? values[i] : others[i];
}

void larger_of_each(double* values, const double* others, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + VecD::kLanes <= n; i += VecD::kLanes)
    max(VecD::load(values + i), VecD::load(others + i)).store(values + i);
  for (; i < n; ++i) values[i] = values[i] > others[i] ? values[i] : others[i];
}

void mean_of_each(double* values, const double* others, double weight, double other_weight,
                  std::int64_t n) {
  const double total = weight + other_weight;
  std::int64_t i = 0;
  for (; i + VecD::kLanes <= n; i += VecD::kLanes) {
    const VecD sum = fma(VecD::set1(weight), VecD::load(values + i),
                         VecD::set1(other_weight) * VecD::load(others + i));
    (sum / VecD::set1(total)).store(values + i);
  }
  for (; i < n; ++i) values[i] = __builtin_fma(weight, values[i], other_weight * others[i]) / total;
}

}  // namespace gramian::GRAMIAN_ISA
