#include "mixture/responsibilities_kernel.hpp"

#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;

// exp(x) for x <= 0, with 0 where it would be no normal number.
VecD exp_or_zero(VecD x) { return select_less(x, VecD::set1(kSmallestExp), VecD::zero(), exp(x)); }

VecD highest_of(const double* joint, std::int64_t k) {
  VecD top = VecD::load(joint);
  for (std::int64_t c = 1; c < k; ++c) top = max(top, VecD::load(joint + c * kStride));
  return top;
}

}  // namespace

void share_rows(const JointBlock& block, double* evidence, double* entropy) {
  for (std::int64_t i = 0; i < block.n; i += kLanes) {
    double* joint = block.joint + i;
    const VecD top = highest_of(joint, block.k);
    VecD sum = VecD::zero(), weighted = VecD::zero();
    for (std::int64_t c = 0; c < block.k; ++c) {
      double* own = joint + c * kStride;
      // What is minus infinity becomes a number, whose part is 0 all the same.
      const VecD apart = max(VecD::load(own) - top, VecD::set1(-1e300));
      const VecD part = exp_or_zero(apart);
      part.store(own);
      sum = sum + part;
      weighted = fma(part, select_less(part, VecD::set1(1e-300), VecD::zero(), apart), weighted);
    }
    const VecD log_sum = log(sum);
    const VecD inverse = VecD::set1(1.0) / sum;
    for (std::int64_t c = 0; c < block.k; ++c) {
      double* own = joint + c * kStride;
      (VecD::load(own) * inverse).store(own);
    }
    (top + log_sum).store(evidence + i);
    (weighted * inverse - log_sum).store(entropy + i);
  }
}

void sum_evidence(const JointBlock& block, double* evidence) {
  for (std::int64_t i = 0; i < block.n; i += kLanes) {
    const double* joint = block.joint + i;
    const VecD top = highest_of(joint, block.k);
    VecD sum = VecD::zero();
    for (std::int64_t c = 0; c < block.k; ++c)
      sum = sum + exp_or_zero(max(VecD::load(joint + c * kStride) - top, VecD::set1(-1e300)));
    (top + log(sum)).store(evidence + i);
  }
}

}  // namespace gramian::GRAMIAN_ISA
