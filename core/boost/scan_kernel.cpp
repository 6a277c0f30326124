#include "boost/scan_kernel.hpp"

#include <bit>
#include <cmath>

namespace gramian::GRAMIAN_ISA {
namespace {

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
  constexpr std::int64_t kBlock = 256;
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

}  // namespace

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
