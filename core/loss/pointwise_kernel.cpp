#include "loss/pointwise_kernel.hpp"

#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

struct Evaluated {
  VecD value, derivative, curvature;
};

// The formulas of core/loss/logistic.hpp and core/loss/exponential_family.hpp.
struct LogisticLanes {
  Evaluated operator()(VecD z, VecD y) const {
    const VecD one = VecD::set1(1.0);
    const VecD zero = VecD::zero();
    const VecD e = exp(zero - abs(z));
    const VecD q = one / (one + e);
    const VecD tail = e * q;
    const VecD value = log1p_unit(e) + (max(zero, z) - y * z);
    return {value, select_less(z, zero, tail - y, (one - y) - tail), tail * q};
  }
};

struct PoissonLanes {
  Evaluated operator()(VecD z, VecD y) const {
    const VecD mean = exp(z);
    return {mean - y * z, mean - y, mean};
  }
};

struct GammaLanes {
  Evaluated operator()(VecD z, VecD y) const {
    const VecD ratio = y * exp(VecD::zero() - z);
    return {z + ratio, VecD::set1(1.0) - ratio, ratio};
  }
};

struct TweedieLanes {
  double power;
  bool expected;
  Evaluated operator()(VecD z, VecD y) const {
    const VecD a = VecD::set1(2.0 - power);
    const VecD b = VecD::set1(1.0 - power);
    const VecD first = exp(a * z);
    const VecD second = y * exp(b * z);
    return {first / a - second / b, first - second, expected ? first : a * first - b * second};
  }
};

// Outside z > 0 the value is large but finite: times a weight of zero it has to vanish.
struct TweedieIdentityLanes {
  double power;
  bool expected;
  Evaluated operator()(VecD z, VecD y) const {
    const VecD zero = VecD::zero();
    const VecD mean = select_less(zero, z, z, VecD::set1(1.0));
    const VecD log_mean = log(mean);
    const VecD unit = exp(VecD::set1(-power) * log_mean);  // mean^-p
    const VecD a = VecD::set1(2.0 - power);
    const VecD b = VecD::set1(1.0 - power);
    const VecD first = power == 2.0 ? log_mean : mean * mean * unit / a;
    const VecD second = power == 1.0 ? log_mean : mean * unit / b;
    const VecD value = select_less(zero, z, first - y * second, VecD::set1(1e300));
    const VecD observed = (b + VecD::set1(power) * y / mean) * unit;
    return {value, (mean - y) * unit, expected ? unit : observed};
  }
};

struct SquaredLanes {
  Evaluated operator()(VecD z, VecD y) const {
    const VecD r = z - y;
    return {VecD::set1(0.5) * r * r, r, VecD::set1(1.0)};
  }
};

// The formulas of core/loss/hinge.hpp and core/loss/robust.hpp.
struct SquaredHingeLanes {
  Evaluated operator()(VecD z, VecD y) const {
    const VecD zero = VecD::zero();
    const VecD two = VecD::set1(2.0);
    const VecD slack = max(zero, VecD::set1(1.0) - y * z);
    return {slack * slack, zero - two * y * slack, select_less(zero, slack, two, zero)};
  }
};

struct SquaredEpsilonInsensitiveLanes {
  double epsilon;
  Evaluated operator()(VecD z, VecD y) const {
    const VecD zero = VecD::zero();
    const VecD two = VecD::set1(2.0);
    const VecD error = z - y;
    const VecD excess = max(zero, abs(error) - VecD::set1(epsilon));
    const VecD slope = two * excess;
    return {excess * excess, select_less(error, zero, zero - slope, slope),
            select_less(zero, excess, two, zero)};
  }
};

// The losses are summed only if they are wanted; else the compiler leaves them out.
template <bool kWantsValue, class Lanes>
double evaluate(const Lanes& lanes, const LossBlock& block) {
  VecD total = VecD::zero();
  std::int64_t i = 0;
  const auto weighted = [&](VecD z, VecD y, VecD w, bool has_weight) {
    Evaluated at = lanes(z, y);
    if (has_weight) at = {at.value * w, at.derivative * w, at.curvature * w};
    return at;
  };
  for (; i + VecD::kLanes <= block.n; i += VecD::kLanes) {
    const VecD w = block.w ? VecD::load(block.w + i) : VecD::zero();
    const Evaluated at =
        weighted(VecD::load(block.z + i), VecD::load(block.y + i), w, block.w != nullptr);
    if constexpr (kWantsValue) total = total + at.value;
    if (block.derivative) at.derivative.store(block.derivative + i);
    if (block.curvature) at.curvature.store(block.curvature + i);
  }
  const std::int64_t rest = block.n - i;
  if (rest > 0) {
    VecD w = VecD::zero();  // the lanes beyond the end count for nothing
    if (block.w) {
      w = load_partial<VecD>(block.w + i, rest);
    } else {
      const double ones[VecD::kLanes] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
      w = load_partial<VecD>(ones, rest);
    }
    const Evaluated at = weighted(load_partial<VecD>(block.z + i, rest),
                                  load_partial<VecD>(block.y + i, rest), w, true);
    if constexpr (kWantsValue) total = total + at.value;
    if (block.derivative) store_partial(at.derivative, block.derivative + i, rest);
    if (block.curvature) store_partial(at.curvature, block.curvature + i, rest);
  }
  return hsum(total);
}

template <bool kWantsValue>
double evaluate_with(PointwiseLoss loss, double power, const LossBlock& block) {
  switch (loss) {
    case PointwiseLoss::logistic:
      return evaluate<kWantsValue>(LogisticLanes{}, block);
    case PointwiseLoss::poisson:
      return evaluate<kWantsValue>(PoissonLanes{}, block);
    case PointwiseLoss::gamma:
      return evaluate<kWantsValue>(GammaLanes{}, block);
    case PointwiseLoss::tweedie:
      return evaluate<kWantsValue>(TweedieLanes{power, block.expected}, block);
    case PointwiseLoss::tweedie_identity:
      return evaluate<kWantsValue>(TweedieIdentityLanes{power, block.expected}, block);
    case PointwiseLoss::squared_hinge:
      return evaluate<kWantsValue>(SquaredHingeLanes{}, block);
    case PointwiseLoss::squared_epsilon_insensitive:
      return evaluate<kWantsValue>(SquaredEpsilonInsensitiveLanes{power}, block);
    default:
      return evaluate<kWantsValue>(SquaredLanes{}, block);
  }
}

}  // namespace

double evaluate_losses(PointwiseLoss loss, double power, const LossBlock& block) {
  return evaluate_with<true>(loss, power, block);
}

void differentiate_losses(PointwiseLoss loss, double power, const LossBlock& block) {
  evaluate_with<false>(loss, power, block);
}

void apply_math(MathFunction function, const double* x, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    const VecD value = VecD::set1(x[i]);
    const VecD result = function == MathFunction::exp   ? exp(value)
                        : function == MathFunction::log ? log(value)
                                                        : log1p_unit(value);
    store_partial(result, out + i, 1);
  }
}

}  // namespace gramian::GRAMIAN_ISA
