// Sequential minimal optimisation of a few variables whose kernel matrix is at hand.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::solve {

// The variables of a working set: arrays of m numbers, padded to whole vectors of 8. With
// g = min of f over I_up and f over I_low above it, a step moves one unit of alpha from j to i.
template <class T>
struct LocalProblem {
  const T* gram;  // m rows of `stride` entries, padded with zeros
  std::int64_t stride;
  std::int64_t m;
  const double* diagonal;
  const double* sign;   // 1 or -1
  const double* upper;  // alpha <= upper
  double* alpha;
  double* f;
  // By group: 0 where a variable of the group may go up (down) in sign * alpha, else +inf (-inf).
  double* up[2];
  double* low[2];
  int n_groups;
  double tol;
  std::int64_t max_steps;
};

struct LocalResult {
  std::int64_t n_steps;
  bool converged;
};

}  // namespace gramian::solve

namespace gramian {

// Steps until max f over I_low - min f over I_up <= tol in every group. Each takes the i that is
// minimal in I_up, and the j in I_low for which a step lowers the objective most (second order).
GRAMIAN_DECLARE_KERNEL(solve::LocalResult solve_local(const solve::LocalProblem<float>& problem))
GRAMIAN_DECLARE_KERNEL(solve::LocalResult solve_local(const solve::LocalProblem<double>& problem))

}  // namespace gramian
