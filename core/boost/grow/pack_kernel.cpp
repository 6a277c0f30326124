#include "boost/grow/pack_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace gramian::GRAMIAN_ISA {
namespace {

// Adding 1.5 * 2^52 leaves the nearest whole number in the low bits.
constexpr double kShifter = 6755399441055744.0;

double rounded(double value) { return (value + kShifter) - kShifter; }

}  // namespace

PackSums sum_sizes(const PackBlock& block) {
  // Eight sums side by side: the order of the additions is the same on every level.
  constexpr std::int64_t kLanes = 8;
  double gradient[kLanes] = {}, hessian[kLanes] = {};
  const auto add = [&](std::int64_t i, std::int64_t lane) {
    const double w = block.weight != nullptr ? block.weight[i] : 1.0;
    gradient[lane] += std::fabs(static_cast<double>(block.gradient[i])) * w;
    hessian[lane] += (block.hessian != nullptr ? static_cast<double>(block.hessian[i]) : 1.0) * w;
  };
  std::int64_t i = 0;
  for (; i + kLanes <= block.n; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
  for (; i < block.n; ++i) add(i, i % kLanes);
  PackSums sums;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    sums.gradient += gradient[lane];
    sums.hessian += hessian[lane];
  }
  return sums;
}

namespace {

template <bool kHessian, bool kWeight, bool kWhole>
PackedSums pack(const PackBlock& block, std::int64_t* pairs) {
  std::int64_t sum = 0, least = INT64_MAX, largest = 0;
  for (std::int64_t i = 0; i < block.n; ++i) {
    const double w = kWeight ? block.weight[i] : 1.0;
    const double before = kWhole ? 1.0 : w, after = kWhole ? w : 1.0;
    const double g =
        after * rounded(static_cast<double>(block.gradient[i]) * before * block.gradient_scale);
    const double h_plain = kHessian ? static_cast<double>(block.hessian[i]) : 1.0;
    const double h_rounded = rounded(h_plain * before * block.hessian_scale);
    const double h = h_rounded < 1.0 ? 1.0 : h_rounded;
    const auto hessian = static_cast<std::int64_t>(h);
    const std::int64_t pair = static_cast<std::int64_t>(g) * (std::int64_t{1} << 32) +
                              static_cast<std::int64_t>(after * h);
    pairs[i] = pair;
    sum += pair;
    least = hessian < least ? hessian : least;
    largest = hessian > largest ? hessian : largest;
  }
  return {sum, least, largest};
}

}  // namespace

PackedSums pack_pairs(const PackBlock& block, std::int64_t* pairs) {
  const bool has_hessian = block.hessian != nullptr;
  if (block.weight == nullptr)
    return has_hessian ? pack<true, false, false>(block, pairs)
                       : pack<false, false, false>(block, pairs);
  if (block.has_whole_weights)
    return has_hessian ? pack<true, true, true>(block, pairs)
                       : pack<false, true, true>(block, pairs);
  return has_hessian ? pack<true, true, false>(block, pairs)
                     : pack<false, true, false>(block, pairs);
}

}  // namespace gramian::GRAMIAN_ISA
