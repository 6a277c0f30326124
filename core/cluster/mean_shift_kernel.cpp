#include "cluster/mean_shift_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {

std::int64_t add_points_within(const double* distances, double limit, const double* points,
                               std::int64_t n_features, std::int64_t stride, std::int64_t n,
                               const double* shift, double* sums) {
  const VecD most = VecD::set1(limit), zero = VecD::zero(), one = VecD::set1(1.0);
  alignas(64) double first_lanes[VecD::kLanes];
  for (std::int64_t l = 0; l < VecD::kLanes; ++l) first_lanes[l] = static_cast<double>(l);
  const VecD lanes = VecD::load(first_lanes);
  const auto is_there = [&](std::int64_t i, VecD yes) {  // within, and no padding
    const VecD near = select_less(most, VecD::load(distances + i), zero, yes);
    return select_less(lanes, VecD::set1(static_cast<double>(n - i)), near, zero);
  };
  VecD count = zero;
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) count = count + is_there(i, one);
  const auto n_within = static_cast<std::int64_t>(hsum(count));
  if (n_within == 0) return 0;
  for (std::int64_t k = 0; k < n_features; ++k) {
    const VecD from = VecD::set1(shift[k]);
    VecD sum = zero;
    for (std::int64_t i = 0; i < n; i += VecD::kLanes)
      sum = sum + is_there(i, VecD::load(points + k * stride + i) - from);
    sums[k] += hsum(sum);
  }
  return n_within;
}

}  // namespace gramian::GRAMIAN_ISA
