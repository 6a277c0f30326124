#include "distance/gower_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {

void gower_distances(const distance::GowerRows& rows, const double* x, double* out) {
  const VecD zero = VecD::zero(), half = VecD::set1(0.5), one = VecD::set1(1.0);
  for (std::int64_t j = 0; j < rows.stride; j += VecD::kLanes) {
    VecD sum = zero, n = zero;
    for (std::int64_t k = 0; k < rows.n_features; ++k) {
      if (x[k] != x[k]) continue;
      const VecD gap = abs(VecD::load(rows.entries + k * rows.stride + j) - VecD::set1(x[k]));
      const VecD apart = rows.is_level[k] ? select_less(gap, half, zero, one) : min(gap, one);
      sum = sum + select_number(gap, apart, zero);
      n = n + select_number(gap, one, zero);
    }
    select_less(n, half, one, sum / max(n, one)).store(out + j);
  }
}

}  // namespace gramian::GRAMIAN_ISA
