#include "tree/explain/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace gramian::tree {
namespace {

// The Legendre polynomial of degree n at x, and its derivative.
struct Legendre {
  long double value;
  long double slope;
};

Legendre legendre(int n, long double x) {
  long double before = 1.0L, value = x;
  for (int k = 2; k <= n; ++k) {
    const long double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, n * (x * value - before) / (x * x - 1.0L)};
}

}  // namespace

Quadrature gauss_legendre(int n_nodes) {
  const auto n = static_cast<std::size_t>(n_nodes);
  Quadrature rule{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
    const std::size_t mirrored = n - 1 - i;
    // The i-th root from above, by Newton's method from Tricomi's approximation.
    long double x = i == mirrored ? 0.0L
                                  : std::cos(std::numbers::pi_v<long double> *
                                             (static_cast<long double>(i) + 0.75L) /
                                             (static_cast<long double>(n) + 0.5L));
    for (int step = 0; step < 8 && i != mirrored; ++step) {
      const Legendre at = legendre(n_nodes, x);
      x -= at.value / at.slope;
    }
    const long double slope = legendre(n_nodes, x).slope;
    const auto low = static_cast<double>((1.0L - x) / 2.0L);
    const auto high = static_cast<double>((1.0L + x) / 2.0L);
    rule.node[i] = rule.complement[mirrored] = low;
    rule.node[mirrored] = rule.complement[i] = high;
    rule.weight[i] = rule.weight[mirrored] =
        static_cast<double>(1.0L / ((1.0L - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace gramian::tree
