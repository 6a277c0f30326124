// Minimisers of a smooth objective: Newton's method with Cholesky or conjugate gradients, and
// L-BFGS with a preconditioner. Every step descends, so that an objective that is not convex is
// minimised too, if only locally.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "linalg/cholesky.hpp"
#include "solve/glm/glm_objective.hpp"
#include "solve/glm/quasi_newton.hpp"

namespace gramian::solve {

struct SmoothOptions {
  double tol = 1e-4;            // on the largest entry of the gradient
  std::int64_t max_iter = 100;  // accepted steps
  // Once the gradient is below tol, steps go on until the estimated excess of the objective over
  // the optimum is below this: it costs little, and the coefficients gain digits.
  double excess = 1e-16;
  std::int64_t max_polish = 12;  // most steps for that
};

// Where a minimiser stands.
struct SmoothState {
  std::vector<double> x;
  std::vector<double> gradient;
  double value = 0.0;
  double excess = 0.0;  // estimate of what the objective is above its minimum: g' H^-1 g / 2
  std::int64_t n_iter = 0;
  std::int64_t n_polish = 0;
  bool converged = false;
  bool is_singular = false;  // whether a Hessian without penalty was, to working precision

  double gradient_size() const;
};

// A symmetric positive definite matrix, factorised after scaling its diagonal to one. If it is
// singular to working precision its diagonal is raised until it is not.
class ScaledFactor {
 public:
  ScaledFactor(Buffer<double> matrix, std::int64_t n, const Context& ctx);
  void solve(std::span<double> x) const;
  // Whether the diagonal had to be raised by more than rounding explains.
  bool is_indefinite() const { return raised_ > 1e-8; }
  // Whether the matrix has, to working precision, a direction that it does not see.
  bool is_singular() const;

 private:
  double raised_ = 0.0;
  std::vector<double> scale_;
  std::optional<linalg::Cholesky> factor_;
};

// Sets `converged` and tells whether to go on; `reached` is the excess expected at state.x.
bool goes_on(SmoothState& state, double reached, const SmoothOptions& options, const Context& ctx);

// Whether a step along a direction, by `length` times it, may be taken: the objective has fallen
// enough. Near the optimum it tells no more: the slope at the new point then decides.
bool is_progress(double value, double next_value, double slope, double next_slope, double length);

// Each starts from state.x, and returns when converged, out of iterations or time, or when no step
// makes progress. The first evaluates the objective at state.x, and keeps curvatures if asked to.
void start(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
           const Context& ctx, bool keep = true);
void newton_cholesky(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
                     const Context& ctx);
void newton_cg(GlmObjective& objective, SmoothState& state, const Preconditioner& precondition,
               const SmoothOptions& options, const Context& ctx);
// Begins with a memory, and returns that of its own steps: a sample's serves all rows.
QuasiNewton lbfgs(GlmObjective& objective, SmoothState& state, const Preconditioner& precondition,
                  const SmoothOptions& options, const Context& ctx, QuasiNewton memory = {});
void gradient_descent(GlmObjective& objective, SmoothState& state, const SmoothOptions& options,
                      const Context& ctx);

// Derivatives of the losses whose mean is no larger than this cancel, as far as rounding lets one
// see; for the scores that the objective last kept.
double balance_tolerance(const GlmObjective& objective, const Context& ctx);

// Replaces the constants in x, where the objective was evaluated last, by those that are optimal
// for its coefficients; without a pass over the data. Without success x stays, and it says so.
bool settle_constants(const GlmObjective& objective, std::span<double> x, const Context& ctx);

}  // namespace gramian::solve
