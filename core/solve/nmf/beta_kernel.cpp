#include "solve/nmf/beta_kernel.hpp"

#include "simd/order.hpp"
#include "simd/simd.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr double kTiny = 1e-300;  // has a logarithm

template <class Function>
void for_each_vector(const BetaEntries& entries, Function&& function) {
  for (std::int64_t i = 0; i < entries.count; i += VecD::kLanes)
    function(entries.x + i, entries.y + i);
}

VecD power(VecD y, double exponent) { return exp(VecD::set1(exponent) * log(y)); }

template <class Function>
double sum_of(const BetaEntries& entries, Function&& function) {
  VecD sum = VecD::zero();
  for (std::int64_t i = 0; i < entries.count; i += VecD::kLanes)
    sum = sum + function(VecD::load(entries.x + i), VecD::load(entries.y + i));
  return hsum(sum);
}

}  // namespace

void beta_ratios(const BetaEntries& entries) {
  const double beta = entries.beta;
  const VecD least = VecD::set1(entries.least), one = VecD::set1(1.0);
  if (beta == 1.0)
    return for_each_vector(entries, [&](double* x, double* y) {
      (VecD::load(x) / max(least, VecD::load(y))).store(x);
      one.store(y);
    });
  if (beta == 0.0)
    return for_each_vector(entries, [&](double* x, double* y) {
      const VecD inverse = one / max(least, VecD::load(y));
      (VecD::load(x) * inverse * inverse).store(x);
      inverse.store(y);
    });
  const VecD floor = beta < 2.0 ? least : VecD::set1(kTiny);
  for_each_vector(entries, [&](double* x, double* y) {
    const VecD product = max(floor, VecD::load(y));
    const VecD raised = power(product, beta - 2.0);
    (VecD::load(x) * raised).store(x);
    (raised * product).store(y);
  });
}

double beta_divergences(const BetaEntries& entries) {
  const double beta = entries.beta;
  const VecD least = VecD::set1(entries.least), tiny = VecD::set1(kTiny), one = VecD::set1(1.0);
  if (beta == 2.0) return 0.5 * sum_of(entries, [&](VecD x, VecD y) { return (x - y) * (x - y); });
  if (beta == 1.0)
    return sum_of(entries, [&](VecD x, VecD y) {
      // 0 log 0 = 0
      return x * (log(max(tiny, x)) - log(max(least, y))) - x + y;
    });
  if (beta == 0.0)
    return sum_of(entries, [&](VecD x, VecD y) {
      const VecD bounded = max(least, y);
      return x / bounded - log(max(tiny, x)) + log(bounded) - one;
    });
  const VecD floor = beta < 1.0 ? least : tiny, order = VecD::set1(beta);
  const double sum = sum_of(entries, [&](VecD x, VecD y) {
    const VecD product = max(floor, y);
    const VecD raised = power(product, beta - 1.0);
    const VecD of_x = select_less(tiny, x, power(max(tiny, x), beta), VecD::zero());
    return of_x + VecD::set1(beta - 1.0) * raised * product - order * x * raised;
  });
  return sum / (beta * (beta - 1.0));
}

}  // namespace gramian::GRAMIAN_ISA
