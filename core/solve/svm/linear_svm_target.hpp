// The targets of one linear machine, +1 or -1 for classes, and the cost of errors by row.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/svm/linear_svm.hpp"

namespace gramian::solve {

struct LinearSvmTarget {
  std::vector<double> y, cost;
  std::vector<double> above, below;  // the costs of errors of both signs

  LinearSvmTarget(const LinearSvmProblem& problem, std::int64_t k)
      : y(problem.y.begin(), problem.y.end()), cost(problem.cost.begin(), problem.cost.end()) {
    above = below = cost;
    if (problem.class_factor.n_rows == 0) return;
    const double own = problem.class_factor.n_rows == 1 ? 1.0 : static_cast<double>(k);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool is_own = y[i] == own;
      y[i] = is_own ? 1.0 : -1.0;
      cost[i] *= problem.class_factor(k, is_own ? 1 : 0);
      above[i] = is_own ? cost[i] : 0.0;
      below[i] = is_own ? 0.0 : cost[i];
    }
  }
};

}  // namespace gramian::solve
