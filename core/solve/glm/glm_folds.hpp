// Generalised linear models with a quadratic penalty on several weightings of the same rows, such
// as the training parts of the folds of a cross-validation, from strong to weak penalties.
//
// All folds go in step: one read of the data serves the next step of each, and no fold's rows are
// copied. Optima of folds are near each other, so that the mean of their Hessians is a good
// preconditioner for the L-BFGS of each. It is renewed only where steps have become many: with
// many rows, weak penalties hardly change the optimum. Folds that are still not done go on alone,
// by Newton's method.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "loss/pointwise_kernel.hpp"
#include "solve/glm/glm.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

struct FoldsProblem {
  PointwiseLoss loss = PointwiseLoss::logistic;
  std::span<const double> y;
  MatrixView<const double> weight;   // n_folds x n_rows, contiguous; each with a positive sum
  std::span<const double> strength;  // descending: l2 times the fold's sum of weights
  bool fit_intercept = true;
};

struct FoldFit {
  double gradient_size = 0.0;  // largest entry
  std::int64_t n_iter = 0;
  bool converged = false;
  bool is_finite = true;
};

// `params` (n_strengths x n_folds x (p + 1), constants that belong to columns about zero) receives
// the fits, and `fits` (n_strengths x n_folds) what was reached. The first start from zero.
void fit_glm_folds(const Rows& rows, const FoldsProblem& problem, const GlmOptions& options,
                   std::span<double> params, std::span<FoldFit> fits, const Context& ctx);

}  // namespace gramian::solve
