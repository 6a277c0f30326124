// The objective of a generalised linear model with a quadratic penalty, over the parameters of
// core/solve/glm/rows.hpp:
//   F = (1 / W) sum_i w_i loss(z_i, y_i) + (l2 / 2) sum |v|^2 + (l2_intercept / 2) sum b^2,
// W the sum of the weights. The loss is pointwise, or the multinomial one of several classes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "loss/pointwise_kernel.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

struct GlmProblem {
  std::optional<PointwiseLoss> pointwise;  // nothing: multinomial
  double power = 0.0;                      // of the Tweedie losses; or epsilon
  std::int64_t n_outputs = 1;              // classes of the multinomial loss, else 1
  std::span<const double> y;               // targets, or the numbers of the classes
  std::span<const double> weight;          // empty: one each
  double l2 = 0.0;
  double l2_intercept = 0.0;
  bool fit_intercept = true;
};

// What a pass remembers of each row: w times the curvature of the loss, observed or expected, or
// the probabilities of the classes.
enum class Kept { nothing, observed, expected };

// The loss of a block of rows whose scores, of the first `n_scored` outputs, become its
// derivatives. `scores` receives the scores and `kept` what is kept, of the rows from block.begin
// on, unless they are null.
double write_losses(const GlmProblem& problem, const ScoreBlock& block, std::int64_t n_scored,
                    Kept which, double* scores, double* kept);

class GlmObjective {
 public:
  GlmObjective(const Rows& rows, const GlmProblem& problem);

  std::int64_t n_params() const { return problem_.n_outputs * stride(); }
  std::int64_t n_outputs() const { return problem_.n_outputs; }
  const Rows& rows() const { return rows_; }
  const GlmProblem& problem() const { return problem_; }
  double total_weight() const { return total_weight_; }
  // Whether the Hessian is positive semidefinite everywhere.
  bool is_convex() const {
    return !problem_.pointwise || gramian::is_convex(*problem_.pointwise, problem_.power);
  }

  // F at x, and its gradient. With `keep`, remembers the curvatures for the functions below.
  double evaluate(std::span<const double> x, std::span<double> gradient, bool keep,
                  const Context& ctx);
  // Remembers at x the expected curvatures in place of the curvatures: they are positive.
  void keep_expected(std::span<const double> x, const Context& ctx);

  // Whether the evaluations of several outputs keep the scores even if they keep no curvatures.
  void want_scores(bool wanted) { wants_scores_ = wanted; }
  // Where F was evaluated last, and the scores of the rows there, n x n_outputs; no point if the
  // scores were not kept. Those of the classes may all be moved by a number of the row's.
  std::span<const double> last_point() const { return last_point_; }
  const std::vector<double>& scores(const Context& ctx) const;

  // The mean size of the terms that the derivatives are differences of, at the point last kept: as
  // far as rounding goes, they cancel to a share of it. It is 1 where they are probabilities.
  double derivative_scale(const Context& ctx) const;

  // Both halves, at the point last kept. Along what the multinomial loss does not see, the same
  // change of every class, a positive definite matrix is added.
  Buffer<double> hessian(const Context& ctx) const { return hessian_of(rows_, true, ctx); }
  // The same for some columns of the rows; without `full_gauge` only the constants, which have no
  // penalty, get that addition.
  Buffer<double> hessian_of(const Rows& columns, bool full_gauge, const Context& ctx) const;
  // The same for one output, from moments of the columns with weights times curvatures.
  Buffer<double> hessian_from(const linalg::Moments& moments) const;
  void hessian_times(std::span<const double> v, std::span<double> out, const Context& ctx) const;
  // Its diagonal; for several classes with the same probability of each.
  std::vector<double> diagonal(const Context& ctx) const;
  // One output's block of the Hessian with the same probability of every class, p + 1 x p + 1.
  Buffer<double> class_hessian(const Context& ctx) const;

 private:
  std::int64_t stride() const { return rows_.n_features() + 1; }
  double weight_of(std::int64_t i) const {
    return problem_.weight.empty() ? 1.0 : problem_.weight[static_cast<std::size_t>(i)];
  }
  PassSums pass_over_rows(std::span<const double> x, Kept kept, const Context& ctx);
  std::vector<double> without_last_class(std::span<const double> x) const;
  void add_last_class(PassSums& sums) const;
  // Outputs that are scored: differences from the last class are scores, too.
  std::int64_t n_scored() const;
  std::vector<double> scored_point(std::span<const double> x) const;
  void add_penalty(std::span<const double> x, std::span<double> out) const;
  void add_to_block(const linalg::Moments& m, double scale, double* block, std::int64_t ld) const;
  void add_signed_moments(const Rows& columns, double* block, std::int64_t ld,
                          const Context& ctx) const;
  void add_constants_hessian(double* H, const Context& ctx) const;
  void finish_hessian(Buffer<double>& H, std::int64_t n, std::int64_t stride) const;
  Buffer<double> multinomial_hessian(const Rows& columns, bool full_gauge,
                                     const Context& ctx) const;
  std::vector<double> row_weights(double factor) const;

  const Rows& rows_;
  GlmProblem problem_;
  double total_weight_ = 0.0;
  std::vector<double> last_point_;
  mutable std::vector<double> scores_;  // empty: those of rows elsewhere were not asked for yet
  bool wants_scores_ = false;
  // At the point last kept: w times the curvature, or the probabilities of the classes.
  std::vector<double> kept_;
};

}  // namespace gramian::solve
