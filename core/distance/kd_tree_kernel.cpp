#include "distance/kd_tree_kernel.hpp"

#include <cmath>

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::Metric;

constexpr double kPowersAreMonotone = 1e-12;  // up to so much

template <Metric kMetric>
double add(double sum, double gap, double power) {
  if constexpr (kMetric == Metric::euclidean) return __builtin_fma(gap, gap, sum);
  if constexpr (kMetric == Metric::manhattan) return sum + gap;
  if constexpr (kMetric == Metric::chebyshev) return gap > sum ? gap : sum;
  return sum + std::pow(gap, power);
}

template <Metric kMetric>
VecD add(VecD sum, VecD gap, double power) {
  if constexpr (kMetric == Metric::euclidean) return fma(gap, gap, sum);
  if constexpr (kMetric == Metric::manhattan) return sum + gap;
  if constexpr (kMetric == Metric::chebyshev) return max(sum, gap);
  double lanes[VecD::kLanes];
  gap.store(lanes);
  for (double& lane : lanes) lane = std::pow(lane, power);
  return sum + VecD::load(lanes);
}

template <Metric kMetric>
double to_box(double power, const double* x, const double* box, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double below = box[k] - x[k];
    const double above = x[k] - box[n + k];
    double gap = below > above ? below : above;
    gap = gap > 0.0 ? gap : 0.0;
    sum = add<kMetric>(sum, gap, power);
  }
  return sum;
}

template <Metric kMetric>
double across_box(double power, const double* x, const double* box, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double from_low = x[k] - box[k];
    const double to_high = box[n + k] - x[k];
    sum = add<kMetric>(sum, from_low > to_high ? from_low : to_high, power);
  }
  return sum;
}

template <Metric kMetric>
void to_leaf(double power, const double* x, const double* points, std::int64_t n,
             std::int64_t stride, double* out) {
  for (std::int64_t i = 0; i < stride; i += VecD::kLanes) {
    VecD sum = VecD::zero();
    for (std::int64_t k = 0; k < n; ++k)
      sum = add<kMetric>(sum, abs(VecD::set1(x[k]) - VecD::load(points + k * stride + i)), power);
    sum.store(out + i);
  }
}

}  // namespace

double distance_to_box(Metric metric, double power, const double* x, const double* box,
                       std::int64_t n_features) {
  if (metric == Metric::euclidean) return to_box<Metric::euclidean>(power, x, box, n_features);
  if (metric == Metric::manhattan) return to_box<Metric::manhattan>(power, x, box, n_features);
  if (metric == Metric::chebyshev) return to_box<Metric::chebyshev>(power, x, box, n_features);
  return (1.0 - kPowersAreMonotone) * to_box<Metric::minkowski>(power, x, box, n_features);
}

double distance_across_box(Metric metric, double power, const double* x, const double* box,
                           std::int64_t n_features) {
  if (metric == Metric::euclidean) return across_box<Metric::euclidean>(power, x, box, n_features);
  if (metric == Metric::manhattan) return across_box<Metric::manhattan>(power, x, box, n_features);
  if (metric == Metric::chebyshev) return across_box<Metric::chebyshev>(power, x, box, n_features);
  return (1.0 + kPowersAreMonotone) * across_box<Metric::minkowski>(power, x, box, n_features);
}

void distances_to_leaf(Metric metric, double power, const double* x, const double* points,
                       std::int64_t n_features, std::int64_t stride, double* out) {
  if (metric == Metric::euclidean)
    to_leaf<Metric::euclidean>(power, x, points, n_features, stride, out);
  else if (metric == Metric::manhattan)
    to_leaf<Metric::manhattan>(power, x, points, n_features, stride, out);
  else if (metric == Metric::chebyshev)
    to_leaf<Metric::chebyshev>(power, x, points, n_features, stride, out);
  else
    to_leaf<Metric::minkowski>(power, x, points, n_features, stride, out);
}

}  // namespace gramian::GRAMIAN_ISA
