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

// Writes the probabilities of the classes into the scratch of the rows, before their division by
// the sums, of which `inverse_sum` receives the inverses.
void exponentiate_classes(const SoftmaxRows& rows, double* inverse_sum) {
  constexpr std::int64_t kMost = SoftmaxRows::kMostRows;
  const std::int64_t n = rows.n;
  double top[kMost];
  std::copy_n(rows.scores, n, top);
  for (std::int64_t c = 1; c < rows.k; ++c) {
    const double* z = rows.scores + c * rows.stride;
    for (std::int64_t i = 0; i < n; ++i) top[i] = z[i] > top[i] ? z[i] : top[i];
  }
  std::fill_n(inverse_sum, n, 0.0);
  for (std::int64_t c = 0; c < rows.k; ++c) {
    const double* z = rows.scores + c * rows.stride;
    double* own = rows.scratch + c * kMost;
    for (std::int64_t i = 0; i < n; ++i) own[i] = z[i] - top[i];
    for (std::int64_t i = 0; i < n; i += kLanes) exp(VecD::load(own + i)).store(own + i);
    for (std::int64_t i = 0; i < n; ++i) inverse_sum[i] += own[i];
  }
  for (std::int64_t i = 0; i < n; ++i) inverse_sum[i] = 1.0 / inverse_sum[i];
}

template <class T>
void differentiate_classes(const SoftmaxRows& rows, T* gradient, T* hessian) {
  constexpr std::int64_t kMost = SoftmaxRows::kMostRows;
  double inverse_sum[kMost];
  exponentiate_classes(rows, inverse_sum);
  for (std::int64_t c = 0; c < rows.k; ++c) {
    const double* own = rows.scratch + c * kMost;
    const auto label = static_cast<double>(c);
    T* first = gradient + c * rows.stride;
    for (std::int64_t i = 0; i < rows.n; ++i) {
      const double p = own[i] * inverse_sum[i];
      first[i] = static_cast<T>(rows.y[i] == label ? p - 1.0 : p);
    }
    if (hessian == nullptr) continue;
    T* second = hessian + c * rows.stride;
    for (std::int64_t i = 0; i < rows.n; ++i) {
      const double p = own[i] * inverse_sum[i];
      second[i] = static_cast<T>(p * (1.0 - p));
    }
  }
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

void differentiate_softmax(const SoftmaxRows& rows, float* gradient, float* hessian) {
  differentiate_classes(rows, gradient, hessian);
}

void differentiate_softmax(const SoftmaxRows& rows, double* gradient, double* hessian) {
  differentiate_classes(rows, gradient, hessian);
}

}  // namespace gramian::GRAMIAN_ISA
