#include "linalg/extended_kernel.hpp"

#ifndef GRAMIAN_ISA
#error "kernel sources are compiled with GRAMIAN_ISA set"
#endif

namespace gramian::GRAMIAN_ISA {
namespace {

// high + low; |low| is at most rounding size of high.
struct Extended {
  double high;
  double low;

  void add(double x) {  // two-sum (Knuth)
    const double sum = high + x;
    const double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  void add_product(double a, double b) {  // two-product
    const double product = a * b;
    low += __builtin_fma(a, b, -product);
    add(product);
  }
};

}  // namespace

void extended_primal(const ExtendedRows& rows, std::int64_t begin, std::int64_t end, double* f) {
  for (std::int64_t i = begin; i < end; ++i) {
    Extended sum{rows.y[i], 0.0};
    sum.add(-rows.intercept);
    for (std::int64_t j = 0; j < rows.X.n_cols; ++j) sum.add_product(-rows.X(i, j), rows.coef[j]);
    Extended scaled{-rows.residual[i], 0.0};
    scaled.add_product(rows.root_weight[i], sum.high);
    scaled.add_product(rows.root_weight[i], sum.low);
    f[i] = scaled.high + scaled.low;
  }
}

void extended_adjoint(const ExtendedRows& rows, std::int64_t begin, std::int64_t end, double* high,
                      double* low) {
  const std::int64_t p = rows.X.n_cols;
  for (std::int64_t i = begin; i < end; ++i) {
    Extended scaled{0.0, 0.0};
    scaled.add_product(rows.root_weight[i], rows.residual[i]);
    const double top = scaled.high + scaled.low;
    const double rest = (scaled.high - top) + scaled.low;
    for (std::int64_t j = 0; j <= p; ++j) {
      const double x = j < p ? rows.X(i, j) : 1.0;
      Extended sum{high[j], low[j]};
      sum.add_product(x, top);
      sum.low += x * rest;
      high[j] = sum.high;
      low[j] = sum.low;
    }
  }
}

}  // namespace gramian::GRAMIAN_ISA
