// Support vector machines without slacks:
//   minimise |w|^2 / 2  with  s_v (w' phi(row of v) + b) >= -p_v  for every variable v,
// the machines of smo.hpp whose variables have no upper bound.
//
// The dual active-set method of Goldfarb and Idnani (1983). At any time the solution is the optimum
// for some of the constraints, all of them tight and affinely independent: with coefficients beta
// of their rows,  K beta + b = their targets,  sum beta = 0. The constraint violated most is
// added along the line on which the tight ones stay tight; one whose multiplier would change its
// sign is left out on the way. It ends after finitely many steps, in the optimum or with a
// combination of rows that no solution can satisfy.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "kernel/source.hpp"
#include "solve/svm/smo.hpp"

namespace gramian::solve {

// `upper` of the problem is infinite, or 0 for variables without a constraint; alpha starts at 0.
// Where the result is not feasible, alpha has the multipliers, which sum to 1 for each sign, of
// constraints that contradict each other: the combinations of their rows are one point.
SmoResult hard_margin(const kernel::Source<double>& source, const SmoProblem& problem,
                      const SmoOptions& options, const Context& ctx);

}  // namespace gramian::solve
