#include "boost/grow/scan_kernel.hpp"

#include <bit>
#include <cmath>

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kBlock = 256;  // cells whose sums are found before their scores

struct Plain {
  double operator()(double gradient) const { return gradient; }
};
struct Shrunk {
  double l1;
  double operator()(double gradient) const {
    const double size = std::fabs(gradient) - l1;
    return size > 0.0 ? size : 0.0;
  }
};

// Scores of cuts with these sums on the left; returns the best of them.
template <class Shrink>
double score_sums(const std::int64_t* sums, std::int64_t n, std::int64_t total,
                  const CutRules& rules, const Shrink& shrink, double* scores) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t left = sums[i], right = total - left;
    const std::int64_t left_hessian = left & 0xFFFFFFFF, right_hessian = right & 0xFFFFFFFF;
    const double left_gradient = shrink(static_cast<double>(left >> 32));
    const double right_gradient = shrink(static_cast<double>(right >> 32));
    const double left_size = static_cast<double>(left_hessian) + rules.l2;
    const double right_size = static_cast<double>(right_hessian) + rules.l2;
    // One division for both sides.
    const double value =
        (left_gradient * left_gradient * right_size + right_gradient * right_gradient * left_size) /
        (left_size * right_size);
    const bool is_allowed =
        (left_hessian >= rules.min_hessian) & (right_hessian >= rules.min_hessian);
    scores[i] = is_allowed ? value : -1.0;
  }
  // Numbers that are not negative compare like their bits, and the maximum of whole numbers is a
  // vector operation.
  std::int64_t best = std::bit_cast<std::int64_t>(-1.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::int64_t>(scores[i]);
    best = bits > best ? bits : best;
  }
  return std::bit_cast<double>(best);
}

template <class Shrink>
double score(const std::int64_t* cells, std::int64_t n, std::int64_t start, std::int64_t total,
             const CutRules& rules, const Shrink& shrink, double* scores) {
  double best = -1.0;
  std::int64_t sums[kBlock];
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t m = n - begin < kBlock ? n - begin : kBlock;
    for (std::int64_t i = 0; i < m; ++i) sums[i] = start += cells[begin + i];
    const double found = score_sums(sums, m, total, rules, shrink, scores + begin);
    best = found > best ? found : best;
  }
  return best;
}

// The best score of sums in single precision; -1 if none is allowed.
float bound_sums(const std::int64_t* sums, std::int64_t n, std::int64_t total, float l2,
                 std::uint32_t min_hessian) {
  const auto total_gradient = static_cast<std::int32_t>(total >> 32);
  const auto total_hessian = static_cast<std::uint32_t>(total);
  std::int32_t scores[kBlock];
  for (std::int64_t i = 0; i < n; ++i) {
    const auto left_gradient = static_cast<std::int32_t>(sums[i] >> 32);
    const auto left_hessian = static_cast<std::uint32_t>(sums[i]);
    const std::uint32_t right_hessian = total_hessian - left_hessian;
    const auto left = static_cast<float>(left_gradient);
    const auto right = static_cast<float>(total_gradient - left_gradient);
    const float left_size = static_cast<float>(left_hessian) + l2;
    const float right_size = static_cast<float>(right_hessian) + l2;
    const float value =
        (left * left * right_size + right * right * left_size) / (left_size * right_size);
    const std::int32_t is_allowed =
        -static_cast<std::int32_t>((left_hessian >= min_hessian) & (right_hessian >= min_hessian));
    scores[i] = std::bit_cast<std::int32_t>(value) & is_allowed;
    scores[i] |= std::bit_cast<std::int32_t>(-1.0f) & ~is_allowed;
  }
  std::int32_t best = std::bit_cast<std::int32_t>(-1.0f);
  for (std::int64_t i = 0; i < n; ++i) best = scores[i] > best ? scores[i] : best;
  return std::bit_cast<float>(best);
}

}  // namespace

double bound_cuts(const std::int64_t* cells, std::int64_t n, std::int64_t start, std::int64_t total,
                  const CutRules& rules) {
  constexpr std::int64_t kLanes = 16;
  if (rules.min_hessian > 0xFFFFFFFF) return -1.0;
  const auto min_hessian = static_cast<std::uint32_t>(rules.min_hessian);
  float best = -1.0f;
  std::int64_t sums[kBlock];
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t m = n - begin < kBlock ? n - begin : kBlock;
    for (std::int64_t i = 0; i < m; ++i) sums[i] = start += cells[begin + i];
    // Whole vectors: the last ones have nothing on the right, which is not allowed.
    const std::int64_t n_whole = (m + kLanes - 1) / kLanes * kLanes;
    for (std::int64_t i = m; i < n_whole; ++i) sums[i] = total;
    const float found = bound_sums(sums, n_whole, total, static_cast<float>(rules.l2), min_hessian);
    best = found > best ? found : best;
  }
  // A score takes fewer than sixteen roundings, each of 2^-24 at most.
  return best < 0.0f ? -1.0 : static_cast<double>(best) * (1.0 + 0x1p-19);
}

double score_cuts(const std::int64_t* cells, std::int64_t n, std::int64_t start, std::int64_t total,
                  const CutRules& rules, double* scores) {
  if (rules.l1 > 0.0) return score(cells, n, start, total, rules, Shrunk{rules.l1}, scores);
  return score(cells, n, start, total, rules, Plain{}, scores);
}

double score_each(const std::int64_t* cells, std::int64_t n, std::int64_t total,
                  const CutRules& rules, double* scores) {
  if (rules.l1 > 0.0) return score_sums(cells, n, total, rules, Shrunk{rules.l1}, scores);
  return score_sums(cells, n, total, rules, Plain{}, scores);
}

}  // namespace gramian::GRAMIAN_ISA
