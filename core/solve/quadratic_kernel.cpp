#include "solve/quadratic_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {

void add_scaled(double a, const double* x, std::int64_t n, double* y) {
  const VecD factor = VecD::set1(a);
  std::int64_t i = 0;
  for (; i + VecD::kLanes <= n; i += VecD::kLanes)
    fma(factor, VecD::load(x + i), VecD::load(y + i)).store(y + i);
  for (; i < n; ++i) y[i] = __builtin_fma(a, x[i], y[i]);
}

}  // namespace gramian::GRAMIAN_ISA
