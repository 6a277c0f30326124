#include "bayes/posterior_kernel.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;
constexpr double kLowest = std::numeric_limits<double>::lowest();

// exp(x) for x <= 0, with 0 where it would be no normal number.
VecD exp_or_zero(VecD x) { return select_less(x, VecD::set1(kSmallestExp), VecD::zero(), exp(x)); }

VecD highest_of(const double* joint, std::int64_t k) {
  VecD top = VecD::load(joint);
  for (std::int64_t c = 1; c < k; ++c) top = max(top, VecD::load(joint + c * kStride));
  return top;
}

// Puts the priors in the place of rows that are impossible in every class; returns the highest.
VecD comparable(double* joint, std::int64_t k, const double* log_prior) {
  const VecD top = highest_of(joint, k);
  if (!any_less(top, VecD::set1(kLowest))) return top;
  for (std::int64_t i = 0; i < kLanes; ++i) {
    bool is_lost = true;
    for (std::int64_t c = 0; c < k; ++c) is_lost = is_lost && joint[c * kStride + i] < kLowest;
    for (std::int64_t c = 0; c < k && is_lost; ++c) joint[c * kStride + i] = log_prior[c];
  }
  return highest_of(joint, k);
}

// Where a probability p is near one, the logarithm of p as a float, which has lost digits that the
// logarithm would hold: the two answers agree.
VecD log_of_single(VecD logarithm, VecD p) {
  double values[kLanes];
  float single[kLanes];  // in place, GCC 12 drops the conversions to float and back for AVX-512
  p.store(values);
  for (int l = 0; l < kLanes; ++l) single[l] = static_cast<float>(values[l]);
  return select_less(logarithm, VecD::set1(-0.5), logarithm, log(VecD::load(single)));
}

template <class T>
void normalise(double* joint, const JointBlock& block, bool is_log) {
  const VecD top = comparable(joint, block.k, block.log_prior);
  VecD sum = VecD::zero();
  for (std::int64_t c = 0; c < block.k; ++c) {
    double* own = joint + c * kStride;
    const VecD part = exp_or_zero(VecD::load(own) - top);
    sum = sum + part;
    if (!is_log) part.store(own);
  }
  const VecD log_sum = is_log ? log(sum) : sum;
  for (std::int64_t c = 0; c < block.k; ++c) {
    double* own = joint + c * kStride;
    const VecD z = VecD::load(own);
    VecD value = is_log ? (z - top) - log_sum : z / sum;
    if constexpr (std::is_same_v<T, float>)
      if (is_log) value = log_of_single(value, exp_or_zero(z - top) / sum);
    value.store(own);
  }
}

template <class T>
void write_rows(const JointBlock& block, Answer answer, T* out, std::int64_t ld) {
  if (answer != Answer::joint)
    for (std::int64_t i = 0; i < block.n; i += kLanes)
      normalise<T>(block.joint + i, block, answer == Answer::log_probability);
  for (std::int64_t i = 0; i < block.n; ++i)
    for (std::int64_t c = 0; c < block.k; ++c)
      out[i * ld + c] = static_cast<T>(block.joint[c * kStride + i]);
}

}  // namespace

void write_answers(const JointBlock& block, Answer answer, double* out, std::int64_t ld) {
  write_rows(block, answer, out, ld);
}
void write_answers(const JointBlock& block, Answer answer, float* out, std::int64_t ld) {
  write_rows(block, answer, out, ld);
}

void write_labels(const JointBlock& block, std::int64_t* out) {
  for (std::int64_t i = 0; i < block.n; i += kLanes) {
    double* joint = block.joint + i;
    comparable(joint, block.k, block.log_prior);
    VecD top = VecD::load(joint);
    VecD best = VecD::zero();
    for (std::int64_t c = 1; c < block.k; ++c) {
      const VecD value = VecD::load(joint + c * kStride);
      best = select_less(top, value, VecD::set1(static_cast<double>(c)), best);
      top = max(top, value);
    }
    double found[kLanes];
    best.store(found);
    const std::int64_t n = std::min(kLanes, block.n - i);
    for (std::int64_t l = 0; l < n; ++l) out[i + l] = static_cast<std::int64_t>(found[l]);
  }
}

}  // namespace gramian::GRAMIAN_ISA
