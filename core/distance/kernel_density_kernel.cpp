#include "distance/kernel_density_kernel.hpp"

#include <cmath>

#include "simd/order.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::DensityKernel;
using distance::Kernel;
using distance::Metric;

constexpr double kHalfPi = 1.57079632679489661923;

// cos(x) for 0 <= x <= pi / 2, by its series up to x^22.
VecD cos_of_quarter(VecD x) {
  const VecD q = x * x;
  VecD sum = VecD::set1(-1.0 / 1124000727777607680000.0);
  sum = fma(sum, q, VecD::set1(1.0 / 2432902008176640000.0));
  sum = fma(sum, q, VecD::set1(-1.0 / 6402373705728000.0));
  sum = fma(sum, q, VecD::set1(1.0 / 20922789888000.0));
  sum = fma(sum, q, VecD::set1(-1.0 / 87178291200.0));
  sum = fma(sum, q, VecD::set1(1.0 / 479001600.0));
  sum = fma(sum, q, VecD::set1(-1.0 / 3628800.0));
  sum = fma(sum, q, VecD::set1(1.0 / 40320.0));
  sum = fma(sum, q, VecD::set1(-1.0 / 720.0));
  sum = fma(sum, q, VecD::set1(1.0 / 24.0));
  sum = fma(sum, q, VecD::set1(-0.5));
  return fma(sum, q, VecD::set1(1.0));
}

template <Kernel kKernel>
VecD value(const DensityKernel& kernel, VecD t) {
  const VecD zero = VecD::zero(), one = VecD::set1(1.0), h = VecD::set1(kernel.bandwidth);
  if constexpr (kKernel == Kernel::gaussian || kKernel == Kernel::exponential)
    return exp((VecD::set1(kernel.shift) - t) * VecD::set1(kernel.rate));
  if constexpr (kKernel == Kernel::tophat) return select_less(t, h, one, zero);
  if constexpr (kKernel == Kernel::epanechnikov) return max(one - t / (h * h), zero);
  if constexpr (kKernel == Kernel::linear) return max(one - t / h, zero);
  return select_less(t, h, cos_of_quarter(VecD::set1(kHalfPi) * (t / h)), zero);
}

// Calls function with the kernel as a constant.
template <class Function>
auto with_kernel(Kernel kernel, const Function& function) {
  switch (kernel) {
    case Kernel::gaussian:
      return function.template operator()<Kernel::gaussian>();
    case Kernel::tophat:
      return function.template operator()<Kernel::tophat>();
    case Kernel::epanechnikov:
      return function.template operator()<Kernel::epanechnikov>();
    case Kernel::exponential:
      return function.template operator()<Kernel::exponential>();
    case Kernel::linear:
      return function.template operator()<Kernel::linear>();
    case Kernel::cosine:
      break;
  }
  return function.template operator()<Kernel::cosine>();
}

}  // namespace

void kernel_arguments(const DensityKernel& kernel, double* values, std::int64_t n) {
  const bool wants_square =
      kernel.kernel == Kernel::gaussian || kernel.kernel == Kernel::epanechnikov;
  if (kernel.metric == Metric::euclidean && wants_square) return;
  if (kernel.metric == Metric::minkowski)
    for (std::int64_t i = 0; i < n; ++i) values[i] = std::pow(values[i], 1.0 / kernel.power);
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) {
    VecD t = VecD::load(values + i);
    if (kernel.metric == Metric::euclidean) t = sqrt(t);
    if (wants_square) t = t * t;
    t.store(values + i);
  }
}

double sum_of_kernels(const DensityKernel& kernel, const double* t, const double* weights,
                      std::int64_t n) {
  return with_kernel(kernel.kernel, [&]<Kernel kKernel>() {
    VecD sum = VecD::zero();
    for (std::int64_t i = 0; i < n; i += VecD::kLanes)
      sum = fma(VecD::load(weights + i), value<kKernel>(kernel, VecD::load(t + i)), sum);
    return hsum(sum);
  });
}

void kernels_at(const DensityKernel& kernel, const double* t, double* out) {
  with_kernel(kernel.kernel, [&]<Kernel kKernel>() {
    value<kKernel>(kernel, VecD::load(t)).store(out);
    return 0;
  });
}

}  // namespace gramian::GRAMIAN_ISA
