#include "manifold/perplexity_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/order.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kMostSteps = 200;
constexpr double kTolerance = 1e-9;  // of the entropy

double log_of(double x) {
  double lanes[VecD::kLanes];
  log(VecD::set1(x)).store(lanes);
  return lanes[0];
}

struct Moments {
  double sum;       // of e^(-beta v)
  double mean;      // of v
  double variance;  // of v
};

// Of the distances v and weights 1 (0 for what does not count), in whole vectors.
Moments moments_at(double beta, const double* v, const double* counts, std::int64_t n_padded) {
  VecD s0 = VecD::zero(), s1 = VecD::zero(), s2 = VecD::zero();
  const VecD rate = VecD::set1(-beta);
  for (std::int64_t j = 0; j < n_padded; j += VecD::kLanes) {
    const VecD x = VecD::load(v + j);
    const VecD e = exp(rate * x) * VecD::load(counts + j), ex = e * x;
    s0 = s0 + e;
    s1 = s1 + ex;
    s2 = fma(ex, x, s2);
  }
  const double sum = hsum(s0), mean = hsum(s1) / sum;
  return {sum, mean, std::max(hsum(s2) / sum - mean * mean, 0.0)};
}

// Newton's method on log beta, within bounds that each step narrows: the entropy
// H = log sum + beta mean falls with log beta at the rate beta^2 variance.
double solve(double entropy, const double* v, const double* counts, std::int64_t n_padded,
             double first, Calibration& found) {
  double low = 0.0, high = std::numeric_limits<double>::infinity(), beta = first;
  for (found.n_steps = 1; found.n_steps < kMostSteps; ++found.n_steps) {
    const Moments at = moments_at(beta, v, counts, n_padded);
    found.entropy = log_of(at.sum) + beta * at.mean;
    const double excess = found.entropy - entropy;
    if (std::fabs(excess) <= kTolerance) break;
    (excess > 0.0 ? low : high) = beta;
    const double rate = beta * beta * at.variance;
    const double step = rate > 0.0 ? excess / rate : (excess > 0.0 ? 2.0 : -2.0);
    const double bounded = std::clamp(step, -2.0, 2.0);
    // exp of a step of at most 2, as a ratio that any machine computes alike
    double next = beta * (1.0 + bounded / 2.0 + bounded * bounded / 12.0) /
                  (1.0 - bounded / 2.0 + bounded * bounded / 12.0);
    if (next <= low) next = high < 1e300 ? 0.5 * (low + high) : 2.0 * low;
    if (next >= high) next = 0.5 * (low + high);
    if (next == beta) break;
    beta = next;
  }
  return beta;
}

void write_alike(const double* v, const double* counts, std::int64_t n, double most, double share,
                 float* p) {
  for (std::int64_t j = 0; j < n; ++j)
    p[j] = counts[j] > 0.0 && v[j] <= most ? static_cast<float>(share) : 0.0f;
}

}  // namespace

Calibration calibrate(const double* squared, std::int64_t n, std::int64_t self, double entropy,
                      double* scratch, float* p) {
  const std::int64_t n_padded = (n + VecD::kLanes - 1) / VecD::kLanes * VecD::kLanes;
  double *v = scratch, *counts = scratch + n_padded;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::int64_t j = 0; j < n_padded; ++j) {
    counts[j] = j < n && j != self ? 1.0 : 0.0;
    v[j] = j < n ? squared[j] : 0.0;
    if (counts[j] == 0.0) continue;
    least = std::min(least, v[j]);
    most = std::max(most, v[j]);
  }
  // Distances are taken from the least, and relative to the largest: neither changes p.
  const double range = most - least, scale = range > 0.0 ? 1.0 / range : 0.0;
  double n_counted = 0.0, n_nearest = 0.0, mean = 0.0;
  for (std::int64_t j = 0; j < n_padded; ++j) {
    v[j] = counts[j] > 0.0 ? (v[j] - least) * scale : 0.0;
    n_counted += counts[j];
    n_nearest += v[j] == 0.0 ? counts[j] : 0.0;
    mean += v[j];
  }
  Calibration found{0.0, log_of(std::max(n_counted, 1.0)), 0};
  if (found.entropy <= entropy || n_nearest == n_counted) {
    write_alike(v, counts, n, 1.0, 1.0 / std::max(n_counted, 1.0), p);
    return found;
  }
  if (log_of(n_nearest) >= entropy) {
    write_alike(v, counts, n, 0.0, 1.0 / n_nearest, p);
    return {std::numeric_limits<double>::infinity(), log_of(n_nearest), 0};
  }
  const double beta = solve(entropy, v, counts, n_padded, n_counted / mean, found);
  double sum = 0.0;
  for (std::int64_t j = 0; j < n_padded; j += VecD::kLanes) {
    const VecD e = exp(VecD::set1(-beta) * VecD::load(v + j)) * VecD::load(counts + j);
    sum += hsum(e);
    e.store(v + j);
  }
  for (std::int64_t j = 0; j < n; ++j) p[j] = static_cast<float>(v[j] / sum);
  found.beta = beta * scale;
  return found;
}

}  // namespace gramian::GRAMIAN_ISA
