#include "cluster/cell_grid_kernel.hpp"

#include <algorithm>

#include "simd/mask.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// The points i .. i + 7 within the limit, a bit for each.
template <int n_features>
std::uint32_t near_points(const double* x, const double* points, std::int64_t stride,
                          std::int64_t i, std::int64_t n, VecD limit) {
  VecD sum = VecD::zero();
  for (int k = 0; k < n_features; ++k) {
    const VecD gap = VecD::set1(x[k]) - VecD::load(points + k * stride + i);
    sum = fma(gap, gap, sum);
  }
  const std::uint32_t used = (1U << std::min<std::int64_t>(n - i, VecD::kLanes)) - 1U;
  return less_equal(sum, limit) & used;
}

template <class Function>
auto with_features(std::int64_t n_features, const Function& function) {
  if (n_features == 1) return function.template operator()<1>();
  if (n_features == 2) return function.template operator()<2>();
  return function.template operator()<3>();
}

}  // namespace

std::int64_t count_near(const double* x, const cluster::GridPoints& points,
                        const cluster::CellRuns& runs, double limit, double enough) {
  return with_features(points.n_features, [&]<int p>() {
    const VecD most = VecD::set1(limit);
    std::int64_t count = 0;
    for (std::int64_t run = 0; run < runs.n_runs; ++run) {
      const std::int64_t end = runs.begins[runs.lasts[run]];
      for (std::int64_t i = runs.begins[runs.firsts[run]]; i < end; i += VecD::kLanes)
        count += __builtin_popcount(near_points<p>(x, points.values, points.stride, i, end, most));
      if (static_cast<double>(count) >= enough) break;
    }
    return count;
  });
}

bool has_near(const double* x, const cluster::GridPoints& points, std::int64_t begin,
              std::int64_t n, double limit) {
  return with_features(points.n_features, [&]<int p>() {
    const VecD most = VecD::set1(limit);
    for (std::int64_t i = begin; i < begin + n; i += VecD::kLanes)
      if (near_points<p>(x, points.values, points.stride, i, begin + n, most) != 0) return true;
    return false;
  });
}

void move_runs(const double* keys, double key, const double* offsets, std::int64_t n_runs,
               double reach, std::int64_t* firsts, std::int64_t* lasts) {
  for (std::int64_t run = 0; run < n_runs; ++run) {
    const double middle = key + offsets[run];
    const VecD below = VecD::set1(middle - reach - 1.0), most = VecD::set1(middle + reach);
    std::int64_t first = firsts[run];
    int passed;
    do {
      passed = __builtin_popcount(less_equal(VecD::load(keys + first), below));
      first += passed;
    } while (passed == VecD::kLanes);
    firsts[run] = first;
    lasts[run] = first + __builtin_popcount(less_equal(VecD::load(keys + first), most));
  }
}

}  // namespace gramian::GRAMIAN_ISA
