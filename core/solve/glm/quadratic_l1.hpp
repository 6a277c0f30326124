// A quadratic with an L1 penalty, by coordinate descent in Gram space:
//   minimise over u  g' (u - x) + (u - x)' H (u - x) / 2 + sum_k l1_k |u_k|.
// One coordinate costs one row of H. When the signs have settled, the coordinates that are not zero
// are solved for at once by Cholesky's method.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/context.hpp"

namespace gramian::solve {

struct QuadraticL1 {
  const Buffer<double>& H;     // n x n, both halves
  std::span<const double> g;   // n
  std::span<const double> l1;  // n, zero where there is no penalty
  double tol;                  // on the largest violation of the optimality conditions
  std::int64_t max_sweeps = 500;
};

// How far g_k, the derivative of the smooth part, is from what u_k asks for: zero at the optimum.
double violation(double u, double g, double l1);

// `u` is x on entry, and the minimiser on return.
void minimise_quadratic_l1(const QuadraticL1& problem, std::span<double> u, const Context& ctx);

}  // namespace gramian::solve
