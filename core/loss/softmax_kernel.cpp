#include "loss/softmax_kernel.hpp"

#include <algorithm>

#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecD::kLanes;

double largest(const double* z, std::int64_t k) {
  double top = z[0];
  for (std::int64_t c = 1; c < k; ++c) top = z[c] > top ? z[c] : top;
  return top;
}

// Replaces the scores by exp(z - top) and returns their sum.
double exponentiate(double* z, std::int64_t k, std::int64_t ld, double top) {
  const VecD shift = VecD::set1(top);
  VecD sum = VecD::zero();
  for (std::int64_t c = 0; c < ld; c += kLanes) {
    exp(VecD::load(z + c) - shift).store(z + c);
    for (std::int64_t l = k > c ? k - c : 0; l < kLanes; ++l) z[c + l] = 0.0;
    sum = sum + VecD::load(z + c);
  }
  return hsum(sum);
}

}  // namespace

double evaluate_softmax(const SoftmaxBlock& block) {
  double total = 0.0;
  for (std::int64_t i = 0; i < block.n; ++i) {
    double* z = block.z + i * block.ld;
    const auto y = static_cast<std::int64_t>(block.y[i]);
    const double top = largest(z, block.k);
    const double w = block.w ? block.w[i] : 1.0;
    total += w * (top - z[y]);
    const double sum = exponentiate(z, block.k, block.ld, top);
    block.scratch[i] = sum;
    const VecD scale = VecD::set1(1.0 / sum);
    const VecD weight = VecD::set1(w);
    double* probability = block.probability ? block.probability + i * block.k : nullptr;
    for (std::int64_t c = 0; c < block.ld; c += kLanes) {
      const VecD p = VecD::load(z + c) * scale;
      if (probability) {
        if (c + kLanes <= block.k)
          p.store(probability + c);
        else
          store_partial(p, probability + c, block.k - c);
      }
      (p * weight).store(z + c);
    }
    z[y] -= w;
  }
  for (std::int64_t i = block.n; i % kLanes != 0; ++i) block.scratch[i] = 1.0;
  VecD logs = VecD::zero();
  for (std::int64_t i = 0; i < block.n; i += kLanes) {
    const VecD value = log(VecD::load(block.scratch + i));
    if (block.w == nullptr)
      logs = logs + value;
    else if (i + kLanes <= block.n)
      logs = fma(value, VecD::load(block.w + i), logs);
    else
      logs = fma(value, load_partial<VecD>(block.w + i, block.n - i), logs);
  }
  return total + hsum(logs);
}

void differentiate_softmax(const SoftmaxColumns& block) {
  constexpr std::int64_t kMost = SoftmaxColumns::kMostRows;
  const std::int64_t n = block.n;
  double top[kMost], sum[kMost];
  std::copy_n(block.scores, n, top);
  for (std::int64_t c = 1; c < block.k; ++c) {
    const double* z = block.scores + c * block.stride;
    for (std::int64_t i = 0; i < n; ++i) top[i] = z[i] > top[i] ? z[i] : top[i];
  }
  std::fill_n(sum, n, 0.0);
  for (std::int64_t c = 0; c < block.k; ++c) {
    const double* z = block.scores + c * block.stride;
    double* own = block.scratch + c * kMost;
    for (std::int64_t i = 0; i < n; ++i) own[i] = z[i] - top[i];
    for (std::int64_t i = 0; i < n; i += kLanes) exp(VecD::load(own + i)).store(own + i);
    for (std::int64_t i = 0; i < n; ++i) sum[i] += own[i];
  }
  for (std::int64_t i = 0; i < n; ++i) sum[i] = 1.0 / sum[i];
  for (std::int64_t c = 0; c < block.k; ++c) {
    const double* own = block.scratch + c * kMost;
    const auto label = static_cast<double>(c);
    float* gradient = block.gradient + c * block.stride;
    float* hessian = block.hessian + c * block.stride;
    for (std::int64_t i = 0; i < n; ++i) {
      const double p = own[i] * sum[i];
      gradient[i] = static_cast<float>(block.y[i] == label ? p - 1.0 : p);
      hessian[i] = static_cast<float>(p * (1.0 - p));
    }
  }
}

}  // namespace gramian::GRAMIAN_ISA
