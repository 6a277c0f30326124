#include "solve/glm/glm_proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "solve/glm/quadratic_l1.hpp"
#include "solve/glm/row_sums.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::solve {
namespace {

// A gap this small, relative to the objective, is not worth a second bound over all rows.
constexpr double kTightGap = 1e-9;
constexpr double kDivergenceNs = 40.0;  // two exponentials and two logarithms of a row
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Proof {
 public:
  Proof(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
        std::span<const double> params, const Context& ctx)
      : objective_(rows, problem),
        penalty_(penalty),
        ctx_(ctx),
        stride_(rows.n_features() + 1),
        x_(params.begin(), params.end()),
        gradient_(params.size()) {
    ctx_.deadline.reset();  // the fit is over; its proof takes a pass or two
    move_constants(rows, 1.0, problem.n_outputs, x_);
  }

  GlmProof run() {
    GlmProof proof;
    objective_.want_scores(true);
    proof.objective = evaluate();
    for (std::size_t k = 0; k < x_.size(); ++k)
      proof.gradient_size = std::max(proof.gradient_size, violation(x_[k], gradient_[k], l1_of(k)));
    proof.is_finite = std::isfinite(proof.objective) && std::isfinite(proof.gradient_size);
    proof.excess = proof.is_finite ? excess(proof.objective) : kInfinity;
    return proof;
  }

 private:
  const GlmProblem& problem() const { return objective_.problem(); }
  bool is_constant(std::size_t k) const { return k % at(stride_) == at(stride_ - 1); }
  double l1_of(std::size_t k) const { return is_constant(k) ? penalty_.intercept : penalty_.coef; }
  double l2_of(std::size_t k) const {
    return is_constant(k) ? problem().l2_intercept : problem().l2;
  }
  // Whether parameter k is there, but without a penalty.
  bool is_free(std::size_t k) const {
    return l1_of(k) == 0.0 && l2_of(k) == 0.0 && (!is_constant(k) || problem().fit_intercept);
  }
  bool is_probability() const {
    return !problem().pointwise || *problem().pointwise == PointwiseLoss::logistic;
  }

  bool is_squared_excess() const {
    return problem().pointwise && gramian::is_squared_excess(*problem().pointwise);
  }
  // Whether the derivatives may be scaled down: the conjugate of the loss is known.
  bool has_scaled_bound() const { return is_probability() || is_squared_excess(); }

  double evaluate() {
    double value = objective_.evaluate(x_, gradient_, !is_probability(), ctx_);
    loss_ = value;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      loss_ -= 0.5 * l2_of(k) * x_[k] * x_[k];
      value += l1_of(k) * std::abs(x_[k]);
    }
    return value;
  }

  // Whether the derivatives cancel wherever they have to.
  bool is_balanced() const {
    double size = 0.0;
    for (std::size_t k = 0; k < x_.size(); ++k)
      if (is_free(k)) size = std::max(size, std::abs(gradient_[k]));
    return size == 0.0 || size <= balance_tolerance(objective_, ctx_);
  }

  double excess(double value) {
    if (!objective_.is_convex() || (penalty_.coef == 0.0 && problem().l2 == 0.0)) return kInfinity;
    double gained = 0.0;
    if (!is_balanced()) {
      if (!settle_constants(objective_, x_, ctx_)) return kInfinity;
      gained = std::max(value - evaluate(), 0.0);
      if (!is_balanced()) return kInfinity;
    }
    double gap = plain_gap();
    if (has_scaled_bound() && !(gap <= kTightGap * value)) gap = std::min(gap, scaled_gap());
    // These losses are never negative.
    return std::min(gained + gap, has_scaled_bound() ? value : kInfinity);
  }

  // R(v) + g'v + R*(-g), each coordinate as a sum of terms that are not negative.
  double plain_gap() const {
    double gap = 0.0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const double l1 = l1_of(k), l2 = l2_of(k), v = x_[k];
      if (l1 == 0.0 && l2 == 0.0) continue;
      const double g = gradient_[k] - l2 * v;
      const double over = std::abs(g) - l1;
      const double sign = g > 0.0 ? -1.0 : 1.0;
      if (over <= 0.0)
        gap += 0.5 * l2 * v * v + l1 * std::abs(v) + g * v;
      else if (l2 > 0.0)
        gap += (l2 * v - sign * over) * (l2 * v - sign * over) / (2.0 * l2) +
               l1 * (std::abs(v) - sign * v);
      else
        return kInfinity;
    }
    return gap;
  }

  // The same with the derivatives scaled by the largest c <= 1 for which no |c g_j| exceeds l1.
  double scaled_gap() const {
    double c = 1.0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const double g = std::abs(gradient_[k] - l2_of(k) * x_[k]);
      if (!is_free(k) && g > l1_of(k)) c = std::min(c, l1_of(k) / g);
    }
    if (!(c > 0.0)) return kInfinity;
    double gap = is_squared_excess() ? (1.0 - c) * (1.0 - c) * loss_ : divergence(c);
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const double l2 = l2_of(k), v = x_[k];
      if (is_free(k)) continue;
      gap += 0.5 * l2 * v * v + l1_of(k) * std::abs(v) + c * (gradient_[k] - l2 * v) * v;
    }
    return gap;
  }

  // Mean Kullback-Leibler divergence of the probabilities p_i from those whose distances from the
  // classes seen are c times theirs: with q the probability of the other classes,
  //   c q log(c) + (1 - c q) (log(1 - c q) - log(1 - q)).
  double divergence(double c) const {
    if (c == 1.0) return 0.0;
    const std::int64_t n = objective_.rows().n_rows();
    const std::span<const double> scores = objective_.scores(ctx_);
    const auto row = [&](std::size_t i, std::array<double, 1>& sum) {
      const double other = log_odds_against(i, scores);  // log(q / (1 - q))
      const double q = 1.0 / (1.0 + std::exp(-other));
      const double loss = std::max(other, 0.0) + std::log1p(std::exp(-std::abs(other)));
      const double w = problem().weight.empty() ? 1.0 : problem().weight[i];
      sum[0] += w * (c * q * std::log(c) + (1.0 - c * q) * (std::log1p(-c * q) + loss));
    };
    return std::max(sum_rows<1>(n, row, ctx_, kDivergenceNs)[0], 0.0) / objective_.total_weight();
  }

  double log_odds_against(std::size_t i, std::span<const double> scores) const {
    const double y = problem().y[i];
    if (problem().pointwise) return y > 0.5 ? -scores[i] : scores[i];
    const std::size_t k = at(objective_.n_outputs()), seen = static_cast<std::size_t>(y);
    const double* z = scores.data() + i * k;
    double largest = -kInfinity, sum = 0.0;
    for (std::size_t c = 0; c < k; ++c)
      if (c != seen) largest = std::max(largest, z[c]);
    for (std::size_t c = 0; c < k; ++c)
      if (c != seen) sum += std::exp(z[c] - largest);
    return largest + std::log(sum) - z[seen];
  }

  GlmObjective objective_;
  L1Penalty penalty_;
  Context ctx_;
  std::int64_t stride_;
  std::vector<double> x_, gradient_;
  double loss_ = 0.0;  // the mean loss, where it was evaluated last
};

}  // namespace

GlmProof prove_glm(const Rows& rows, const GlmProblem& problem, const L1Penalty& penalty,
                   std::span<const double> params, const Context& ctx) {
  return Proof(rows, problem, penalty, params, ctx).run();
}

}  // namespace gramian::solve
