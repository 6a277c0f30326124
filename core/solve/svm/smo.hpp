// Support vector machines: sequential minimal optimisation in two levels.
//
// Minimises  1/2 sum_uv alpha_u alpha_v s_u s_v K(u, v) + sum_v p_v alpha_v  over 0 <= alpha <=
// upper with sum_v s_v alpha_v (for the nu-machines: the sum over each sign) as it is at the start.
// With f_v = s_v times the gradient, a point is optimal when no variable that may rise in s alpha
// (I_up) has a lower f than one that may fall (I_low).
//
// The outer level takes the variables that violate this most, fetches their kernel rows in one
// block, solves for them alone (smo_kernel.hpp) and updates f for all rows. Rows whose variables
// are fixed at a bound for good are left out on the way, and f is computed afresh at the end.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "kernel/source.hpp"

namespace gramian::solve {

// One variable for each kernel row, or two: variable c * n_rows + i belongs to row i.
struct SmoProblem {
  std::span<const double> sign;    // s: 1 or -1
  std::span<const double> linear;  // p
  std::span<const double> upper;
  bool by_sign = false;       // whether both signs keep their sums: the nu-machines
  std::span<double> alpha;    // the start, feasible; then the solution
  std::span<double> f;        // out: s * gradient at the solution, summed afresh
  bool has_intercept = true;  // without one no sum stays: for hard margins only
};

struct SmoOptions {
  double tol = 1e-3;
  std::int64_t max_iter = -1;  // steps of two variables; -1: as many as it takes
  double cache_bytes = 200e6;
  bool shrinking = true;
};

struct SmoResult {
  std::int64_t n_iter = 0;
  double gap = 0.0;     // max f over I_low - min f over I_up, the larger of both signs if by_sign
  double rho = 0.0;     // f of the free variables
  double margin = 0.0;  // of the nu-machines: (f of sign 1 - f of sign -1) / 2
  bool converged = false;
  bool timed_out = false;
  bool feasible = true;  // false of a hard margin whose constraints contradict each other
};

template <class T>
SmoResult smo(const kernel::Source<T>& source, const SmoProblem& problem, const SmoOptions& options,
              const Context& ctx);

}  // namespace gramian::solve
