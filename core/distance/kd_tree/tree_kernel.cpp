#include "distance/kd_tree/tree_kernel.hpp"

#include "distance/kd_tree/metrics.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::Metric;

template <Metric kMetric>
double to_box(double power, const double* x, const double* box, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double below = box[k] - x[k];
    const double above = x[k] - box[n + k];
    double gap = below > above ? below : above;
    gap = gap > 0.0 ? gap : 0.0;
    sum = add_gap<kMetric>(sum, gap, power);
  }
  return sum;
}

template <Metric kMetric>
double across_box(double power, const double* x, const double* box, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double from_low = x[k] - box[k];
    const double to_high = box[n + k] - x[k];
    sum = add_gap<kMetric>(sum, from_low > to_high ? from_low : to_high, power);
  }
  return sum;
}

template <Metric kMetric>
void to_leaf(double power, const double* x, const double* points, std::int64_t n,
             std::int64_t stride, double* out) {
  for (std::int64_t i = 0; i < stride; i += VecD::kLanes) {
    VecD sum = VecD::zero();
    for (std::int64_t k = 0; k < n; ++k)
      sum =
          add_gap<kMetric>(sum, abs(VecD::set1(x[k]) - VecD::load(points + k * stride + i)), power);
    sum.store(out + i);
  }
}

}  // namespace

double distance_to_box(Metric metric, double power, const double* x, const double* box,
                       std::int64_t n_features) {
  return with_tree_metric(metric, [&]<Metric kMetric>() {
    const double slack = kMetric == Metric::minkowski ? kPowersAreMonotone : 0.0;
    return (1.0 - slack) * to_box<kMetric>(power, x, box, n_features);
  });
}

double distance_across_box(Metric metric, double power, const double* x, const double* box,
                           std::int64_t n_features) {
  return with_tree_metric(metric, [&]<Metric kMetric>() {
    const double slack = kMetric == Metric::minkowski ? kPowersAreMonotone : 0.0;
    return (1.0 + slack) * across_box<kMetric>(power, x, box, n_features);
  });
}

void distances_to_leaf(Metric metric, double power, const double* x, const double* points,
                       std::int64_t n_features, std::int64_t stride, double* out) {
  with_tree_metric(metric, [&]<Metric kMetric>() {
    to_leaf<kMetric>(power, x, points, n_features, stride, out);
  });
}

}  // namespace gramian::GRAMIAN_ISA
