#include "solve/robust/quantile.hpp"

#include <vector>

#include "base/index.hpp"

namespace gramian::solve {

QuantileResult fit_quantile(const WeightedRows& X, std::span<const double> y,
                            std::span<const double> weight, const QuantileOptions& options,
                            const Context& ctx) {
  std::vector<double> above(at(X.n_rows())), below(above.size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double w = weight.empty() ? 1.0 : weight[i];
    above[i] = options.quantile * w;
    below[i] = (1.0 - options.quantile) * w;
  }
  PinballProblem problem;
  problem.y = y;
  problem.above = above;
  problem.below = below;
  problem.l1 = options.penalty;
  problem.fit_intercept = options.fit_intercept;
  return fit_pinball(X, problem, {options.tol, options.max_iter}, ctx);
}

}  // namespace gramian::solve
