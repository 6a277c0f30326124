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

template <class Shrink>
double score(const std::int64_t* cells, std::int64_t n, std::int64_t start, std::int64_t total,
             const CutRules& rules, const Shrink& shrink, double* scores) {
  constexpr std::int64_t kBlock = 256;
  std::int64_t best = std::bit_cast<std::int64_t>(-1.0);
  std::int64_t sums[kBlock];
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t m = n - begin < kBlock ? n - begin : kBlock;
    for (std::int64_t i = 0; i < m; ++i) sums[i] = start += cells[begin + i];
    double* out = scores + begin;
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t left = sums[i], right = total - left;
      const std::int64_t left_hessian = left & 0xFFFFFFFF, right_hessian = right & 0xFFFFFFFF;
      const double left_gradient = shrink(static_cast<double>(left >> 32));
      const double right_gradient = shrink(static_cast<double>(right >> 32));
      const double left_size = static_cast<double>(left_hessian) + rules.l2;
      const double right_size = static_cast<double>(right_hessian) + rules.l2;
      // One division for both sides.
      const double value = (left_gradient * left_gradient * right_size +
                            right_gradient * right_gradient * left_size) /
                           (left_size * right_size);
      const bool is_allowed =
          (left_hessian >= rules.min_hessian) & (right_hessian >= rules.min_hessian);
      out[i] = is_allowed ? value : -1.0;
    }
    // Numbers that are not negative compare like their bits, and the maximum of whole numbers is a
    // vector operation.
    for (std::int64_t i = 0; i < m; ++i) {
      const auto bits = std::bit_cast<std::int64_t>(out[i]);
      best = bits > best ? bits : best;
    }
  }
  return std::bit_cast<double>(best);
}

}  // namespace

double score_cuts(const std::int64_t* cells, std::int64_t n, std::int64_t start, std::int64_t total,
                  const CutRules& rules, double* scores) {
  if (rules.l1 > 0.0) return score(cells, n, start, total, rules, Shrunk{rules.l1}, scores);
  return score(cells, n, start, total, rules, Plain{}, scores);
}

}  // namespace gramian::GRAMIAN_ISA
