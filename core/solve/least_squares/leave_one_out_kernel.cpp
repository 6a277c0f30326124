#include "solve/least_squares/leave_one_out_kernel.hpp"

#include <limits>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecD::kLanes;

}  // namespace

void invert_complements(const double* weight, double offset, std::int64_t n, double* leverage) {
  constexpr double kFloor = std::numeric_limits<double>::epsilon();
  for (std::int64_t i = 0; i < n; ++i) {
    const double rest = 1.0 - weight[i] * (leverage[i] + offset);
    leverage[i] = 1.0 / (rest > kFloor ? rest : kFloor);
  }
}

double leave_out(const double* target, const double* weight, const double* inverse, std::int64_t n,
                 double* prediction) {
  VecD sum = VecD::zero();
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const VecD error =
        (VecD::load(target + i) - VecD::load(prediction + i)) * VecD::load(inverse + i);
    sum = fma(VecD::load(weight + i) * error, error, sum);
    error.store(prediction + i);
  }
  return hsum(sum);
}

void scale_panel(const double* values, const double* scale, std::int64_t count, double* out) {
  for (std::int64_t k = 0; k < count; ++k)
    (VecD::load(values + k * kLanes) * VecD::set1(scale[k])).store(out + k * kLanes);
}

void square_panel(const double* values, std::int64_t count, double* out) {
  for (std::int64_t k = 0; k < count; ++k) {
    const VecD x = VecD::load(values + k * kLanes);
    (x * x).store(out + k * kLanes);
  }
}

void add_scaled_row(const double* row, double scale, std::int64_t n, double* acc) {
  const VecD factor = VecD::set1(scale);
  std::int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes)
    fma(VecD::load(row + j), factor, VecD::load(acc + j)).store(acc + j);
  for (; j < n; ++j) acc[j] = __builtin_fma(row[j], scale, acc[j]);
}

}  // namespace gramian::GRAMIAN_ISA
