#include "distance/reduce_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {

double sum_entries(const double* values, std::int64_t n) {
  VecD sum[2] = {VecD::zero(), VecD::zero()};
  std::int64_t i = 0;
  for (; i + 2 * VecD::kLanes <= n; i += 2 * VecD::kLanes) {
    sum[0] = sum[0] + VecD::load(values + i);
    sum[1] = sum[1] + VecD::load(values + i + VecD::kLanes);
  }
  if (i + VecD::kLanes <= n) {
    sum[0] = sum[0] + VecD::load(values + i);
    i += VecD::kLanes;
  }
  if (i < n) sum[1] = sum[1] + load_partial<VecD>(values + i, n - i);
  return hsum(sum[0] + sum[1]);
}

std::int64_t find_less(const double* values, std::int64_t n, double* best) {
  std::int64_t place = -1;
  std::int64_t i = 0;
  for (; i + VecD::kLanes <= n; i += VecD::kLanes) {
    if (!any_less(VecD::load(values + i), VecD::set1(*best))) continue;
    for (std::int64_t j = i; j < i + VecD::kLanes; ++j)
      if (values[j] < *best) {
        *best = values[j];
        place = j;
      }
  }
  for (; i < n; ++i)
    if (values[i] < *best) {
      *best = values[i];
      place = i;
    }
  return place;
}

}  // namespace gramian::GRAMIAN_ISA
