#include "solve/least_squares/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/index.hpp"
#include "linalg/cholesky.hpp"

namespace gramian::solve {
namespace {

using linalg::AffineMap;
using linalg::Cholesky;
using linalg::Gradient;
using linalg::Moments;

constexpr double kEps = std::numeric_limits<double>::epsilon();
// Refinement gains a factor of about kEps / rcond per step; at this limit four or more digits.
constexpr double kMinRcond = 1e-11;
constexpr int kMaxRefinements = 5;
// Steps below this size, relative to the coefficients, are not worth another pass over the data.
constexpr double kNegligibleStep = 1e-14;
constexpr double kNegligibleStepLarge = 4e-13;
constexpr std::int64_t kLarge = std::int64_t{1} << 22;  // entries, from which a pass is dear
constexpr double kNegligibleFloatStep = 5e-7;           // rounding to float moves them as much
// Where a pass is dear the moments give the gradient, too, as far as their rounding leaves it more
// digits than a refinement asks for: without cancellation, neither of centring nor of residuals.
constexpr double kSufficientRcond = 1e-2, kSufficientFloatRcond = 1e-6;
constexpr double kSufficientShare = 1e-4;  // of the residual sum of squares in the total
constexpr double kMildCancellation = 16.0;

// (G + alpha I) restricted to the columns that vary, scaled to a unit diagonal, and factorised.
struct ScaledSystem {
  std::vector<std::int64_t> kept;
  std::vector<double> scale;  // 1 / sqrt(G_jj + alpha)
  std::optional<Cholesky> factor;

  ScaledSystem(const Moments& m, double alpha, const Context& ctx) {
    for (std::int64_t j = 0; j < m.p; ++j)
      if (m.gram[j * m.p + j] > 0.0) {
        kept.push_back(j);
        scale.push_back(1.0 / std::sqrt(m.gram[j * m.p + j] + alpha));
      }
    const auto n = static_cast<std::int64_t>(kept.size());
    Buffer<double> A(n * n);
    for (std::int64_t a = 0; a < n; ++a) {
      for (std::int64_t b = 0; b < n; ++b)
        A[a * n + b] = m.gram[kept[at(a)] * m.p + kept[at(b)]] * scale[at(a)] * scale[at(b)];
      A[a * n + a] = 1.0;
    }
    factor = Cholesky::factor(A.data(), n, ctx);
  }

  // x <- (G + alpha I)^-1 x for one target's p entries, `stride` apart.
  void solve(double* x, std::int64_t p, std::int64_t stride) const {
    std::vector<double> small(kept.size());
    for (std::size_t a = 0; a < kept.size(); ++a) small[a] = scale[a] * x[kept[a] * stride];
    factor->solve(small);
    for (std::int64_t j = 0; j < p; ++j) x[j * stride] = 0.0;
    for (std::size_t a = 0; a < kept.size(); ++a) x[kept[a] * stride] = scale[a] * small[a];
  }
};

// One factorisation per distinct penalty.
class Systems {
 public:
  Systems(const Moments& m, std::span<const double> alpha, const Context& ctx) : alpha_(alpha) {
    for (const double a : alpha)
      if (std::find(distinct_.begin(), distinct_.end(), a) == distinct_.end()) {
        distinct_.push_back(a);
        systems_.emplace_back(m, a, ctx);
      }
  }

  double rcond() const {
    double worst = 1.0;
    for (const auto& system : systems_)
      worst = std::min(worst, system.factor ? system.factor->rcond() : 0.0);
    return worst;
  }
  double alpha(std::int64_t target) const {
    return alpha_.size() == 1 ? alpha_[0] : alpha_[at(target)];
  }
  const ScaledSystem& of(std::int64_t target) const {
    const auto found = std::find(distinct_.begin(), distinct_.end(), alpha(target));
    return systems_[static_cast<std::size_t>(found - distinct_.begin())];
  }
  std::int64_t rank() const { return static_cast<std::int64_t>(systems_.front().kept.size()); }

 private:
  std::span<const double> alpha_;
  std::vector<double> distinct_;
  std::vector<ScaledSystem> systems_;
};

void round_coef(std::vector<double>& coef) {
  for (double& value : coef) value = static_cast<double>(static_cast<float>(value));
}

// What the certificate needs, from the gradient at the returned coefficients.
void certify(const Gradient& gradient, std::span<const double> column_norm,
             LeastSquaresResult& result) {
  const std::size_t t = result.rss.size();
  result.optimality = 0.0;
  result.squared_norm.assign(t, 0.0);
  for (std::size_t j = 0; j < column_norm.size(); ++j)
    for (std::size_t c = 0; c < t; ++c) {
      const double g = gradient.values[j * t + c];
      result.squared_norm[c] += g * g;
      const double size = column_norm[j] * std::sqrt(result.total[c]);
      if (size > 0.0) result.optimality = std::max(result.optimality, std::abs(g) / size);
    }
}

// |step| / |coef| of one target, each coefficient measured by its effect on the fit.
double relative_step(std::span<const double> step, std::span<const double> coef,
                     std::span<const double> column_norm, std::size_t target, std::size_t t) {
  double moved = 0.0, size = 0.0;
  for (std::size_t j = 0; j < column_norm.size(); ++j) {
    moved += std::pow(column_norm[j] * step[j * t + target], 2);
    size += std::pow(column_norm[j] * coef[j * t + target], 2);
  }
  if (moved == 0.0) return 0.0;
  return size > 0.0 ? std::sqrt(moved / size) : 1.0;
}

double trace_of(const Buffer<double>& A, std::int64_t n) {
  double trace = 0.0;
  for (std::int64_t i = 0; i < n; ++i) trace += A[i * n + i];
  return trace;
}

// Takes the gradient at the coefficients and, while its Newton step is worth taking, moves there:
// each target by itself, so that its coefficients do not depend on what else is fitted with it.
// On return the certificate's numbers belong to the coefficients as they are.
template <class Objective, class NewtonStep>
void refine(const Objective& gradient_at, const NewtonStep& newton_step,
            const LeastSquaresOptions& options, std::span<const double> column_norm,
            std::int64_t n_entries, LeastSquaresResult& result) {
  const double negligible = options.round_to_float ? kNegligibleFloatStep
                            : n_entries > kLarge   ? kNegligibleStepLarge
                                                   : kNegligibleStep;
  const std::size_t t = result.total.size();
  std::vector<double> last_step(t, std::numeric_limits<double>::infinity());
  for (;; ++result.n_refinements) {
    if (options.round_to_float) round_coef(result.coef);
    const Gradient gradient = gradient_at(result.coef);
    result.rss = gradient.rss;
    certify(gradient, column_norm, result);
    if (result.n_refinements == kMaxRefinements) return;
    const std::vector<double> step = newton_step(gradient);
    bool has_moved = false;
    for (std::size_t c = 0; c < t; ++c) {
      const double size = relative_step(step, result.coef, column_norm, c, t);
      if (size <= negligible || size > 0.5 * last_step[c]) {
        last_step[c] = 0.0;  // this target is done
        continue;
      }
      last_step[c] = size;
      has_moved = true;
      for (std::size_t j = 0; j < column_norm.size(); ++j)
        result.coef[j * t + c] += step[j * t + c];
    }
    if (!has_moved) return;
  }
}

// The gradient at coef, from moments about the means: cross - G v and yy - v' (cross + (cross - G
// v)).
Gradient gradient_of(const Moments& m, const std::vector<double>& coef) {
  Gradient out{{m.cross.data(), m.cross.data() + m.cross.size()}, m.yy};
  for (std::int64_t j = 0; j < m.p; ++j)
    for (std::int64_t c = 0; c < m.t; ++c) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < m.p; ++k) sum += m.gram[j * m.p + k] * coef[at(k * m.t + c)];
      double& value = out.values[at(j * m.t + c)];
      value -= sum;
      out.rss[at(c)] -= coef[at(j * m.t + c)] * (m.cross[j * m.t + c] + value);
    }
  return out;
}

// Whether the moments of many rows say as much about the coefficients as the rows would.
bool suffices(const Moments& m, double cancellation, const LeastSquaresOptions& options,
              const LeastSquaresResult& result) {
  const double least = options.round_to_float ? kSufficientFloatRcond : kSufficientRcond;
  if (result.rcond < least || cancellation > kMildCancellation) return false;
  const Gradient gradient = gradient_of(m, result.coef);
  for (std::size_t c = 0; c < gradient.rss.size(); ++c) {
    const double centred = options.fit_intercept ? m.sum_y[c] * m.sum_y[c] / m.weight : 0.0;
    if (!(gradient.rss[c] > kSufficientShare * (m.yy[c] + centred))) return false;
  }
  return true;
}

// The problem in dual variables u, one per row: coef = X_c' (s o u), s the roots of the weights,
// and (K + alpha I) u = s o (y - mean_y). The kernel matrix plays the part of the Gram matrix.
template <class T>
class DualProblem {
 public:
  DualProblem(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weight,
              const LeastSquaresOptions& options, LeastSquaresResult& result, const Context& ctx)
      : X_(X),
        design_(X, Y, weight),
        result_(result),
        ctx_(ctx),
        root_weight_(at(X.n_rows), 1.0),
        residuals_(at(X.n_rows * Y.n_cols)),
        dual_(at(X.n_rows * Y.n_cols), 0.0) {
    for (std::size_t i = 0; i < weight.size(); ++i) root_weight_[i] = std::sqrt(weight[i]);
    for (const double s : root_weight_) result.weight += s * s;
    Moments kernel(X.n_rows, Y.n_cols);
    if (!fill_kernel(kernel, options)) {
      result.status = Status::not_finite;
      return;
    }
    column_norm_ = std::sqrt(trace_of(kernel.gram, X.n_rows) / static_cast<double>(X.n_cols));
    systems_.emplace(kernel, options.alpha, ctx);
    const auto n_used =
        std::count_if(root_weight_.begin(), root_weight_.end(), [](double s) { return s > 0.0; });
    result.rank = n_used - (options.fit_intercept ? 1 : 0);
    result.rcond = systems_->rcond();
    if (result.rcond < kMinRcond) result.status = Status::ill_conditioned;
  }

  double column_norm() const { return column_norm_; }  // root mean square over the columns

  // X_c' W r - alpha coef; keeps r for the next step.
  Gradient gradient(const std::vector<double>& coef) {
    Gradient g = design_.gradient({coef, result_.mean_x, result_.mean_y}, residuals_.data(), ctx_);
    const std::int64_t t = design_.n_targets();
    for (std::int64_t j = 0; j < X_.n_cols; ++j)
      for (std::int64_t c = 0; c < t; ++c)
        g.values[at(j * t + c)] -= systems_->alpha(c) * coef[at(j * t + c)];
    return g;
  }

  // The change of the coefficients that solves the dual system for the last residuals.
  std::vector<double> step() {
    const std::int64_t n = X_.n_rows;
    const std::int64_t t = design_.n_targets();
    std::vector<double> change(at(n * t));
    for (std::int64_t c = 0; c < t; ++c) {
      for (std::int64_t i = 0; i < n; ++i)
        change[at(i * t + c)] = root_weight_[at(i)] * residuals_[at(i * t + c)] -
                                systems_->alpha(c) * dual_[at(i * t + c)];
      systems_->of(c).solve(change.data() + c, n, t);
    }
    for (std::size_t k = 0; k < change.size(); ++k) dual_[k] += change[k];
    return coef_of(change);
  }

 private:
  // X_c X_c' with the rows scaled by the roots of their weights. Centring leaves the vector of
  // these roots in its null space; its projector, added in, makes the matrix regular and leaves the
  // solution unchanged, since the centred targets are orthogonal to that vector.
  bool fill_kernel(Moments& kernel, const LeastSquaresOptions& options) const {
    const std::int64_t n = X_.n_rows;
    Buffer<double>& K = kernel.gram;
    if (options.kernel != nullptr)
      std::copy_n(options.kernel, n * n, K.data());
    else
      linalg::centred_gram(X_.transposed(), result_.mean_x, K.data(), ctx_);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        K[i * n + j] *= root_weight_[at(i)] * root_weight_[at(j)];
    const double size = trace_of(K, n) / static_cast<double>(n);
    if (!std::isfinite(size)) return false;
    for (std::int64_t i = 0; i < n && options.fit_intercept; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        K[i * n + j] += size * root_weight_[at(i)] * root_weight_[at(j)] / result_.weight;
    for (std::int64_t i = 0; i < n; ++i)
      if (root_weight_[at(i)] == 0.0) K[i * n + i] = size;  // no weight: the dual is zero
    return true;
  }

  std::vector<double> coef_of(std::vector<double> dual) const {
    const std::int64_t t = design_.n_targets();
    for (std::int64_t i = 0; i < X_.n_rows; ++i)
      for (std::int64_t c = 0; c < t; ++c) dual[at(i * t + c)] *= root_weight_[at(i)];
    const linalg::DenseDesign<T> adjoint(X_, {dual.data(), X_.n_rows, t}, {});
    const std::vector<double> zero_coef(at(X_.n_cols * t), 0.0);
    const std::vector<double> zero_mean(at(t), 0.0);
    return adjoint.gradient({zero_coef, result_.mean_x, zero_mean}, nullptr, ctx_).values;
  }

  MatrixView<const T> X_;
  linalg::DenseDesign<T> design_;
  LeastSquaresResult& result_;
  const Context& ctx_;
  std::vector<double> root_weight_;
  std::vector<double> residuals_;  // n x t, of the last gradient
  std::vector<double> dual_;       // n x t
  std::optional<Systems> systems_;
  double column_norm_ = 0.0;
};

template <class T>
LeastSquaresResult kernel_equations(MatrixView<const T> X, MatrixView<const double> Y,
                                    std::span<const double> weight,
                                    const LeastSquaresOptions& options, const Context& ctx) {
  LeastSquaresResult result;
  result.mean_x.assign(at(X.n_cols), 0.0);
  result.mean_y.assign(at(Y.n_cols), 0.0);
  if (options.fit_intercept) {
    linalg::column_means(X, weight, result.mean_x, ctx);
    linalg::column_means(Y, weight, result.mean_y, ctx);
  }
  DualProblem<T> dual(X, Y, weight, options, result, ctx);
  if (result.status != Status::ok) return result;

  result.coef.assign(at(X.n_cols * Y.n_cols), 0.0);
  const auto gradient_at = [&](const std::vector<double>& coef) { return dual.gradient(coef); };
  const auto newton_step = [&](const Gradient&) { return dual.step(); };
  const Gradient start = gradient_at(result.coef);
  result.total = start.rss;
  for (const auto* sums : {&start.values, &start.rss})
    for (const double value : *sums)
      if (!std::isfinite(value)) result.status = Status::not_finite;
  if (result.status != Status::ok) return result;
  result.coef = newton_step(start);
  const std::vector<double> column_norm(at(X.n_cols), dual.column_norm());
  refine(gradient_at, newton_step, options, column_norm, X.n_rows * X.n_cols, result);
  return result;
}

}  // namespace

LeastSquaresResult solve_normal_equations(const linalg::Design& design,
                                          const LeastSquaresOptions& options, double* gram,
                                          const Context& ctx) {
  LeastSquaresResult result;
  double cancellation = 1.0;
  const Moments m = centred_moments(design, options.fit_intercept, result, ctx, &cancellation);
  if (result.status == Status::not_finite) return result;
  if (gram) std::copy_n(m.gram.data(), m.gram.size(), gram);
  if (result.status != Status::ok) return result;
  const Systems systems(m, options.alpha, ctx);
  result.rank = systems.rank();
  result.rcond = systems.rcond();
  result.weight = m.weight;
  result.total = m.yy;
  if (result.rcond < kMinRcond) {
    result.status = Status::ill_conditioned;
    return result;
  }
  std::vector<double> column_norm(at(m.p));
  for (std::int64_t j = 0; j < m.p; ++j) column_norm[at(j)] = std::sqrt(m.gram[j * m.p + j]);
  result.coef.assign(m.cross.data(), m.cross.data() + m.cross.size());
  const auto solve_all = [&](std::vector<double>& x) {
    for (std::int64_t c = 0; c < m.t; ++c) systems.of(c).solve(x.data() + c, m.p, m.t);
  };
  solve_all(result.coef);

  const std::int64_t n_entries = design.n_rows() * m.p;
  const bool is_known =
      n_entries > kLarge && design.can_shift() && suffices(m, cancellation, options, result);
  const auto gradient_at = [&](const std::vector<double>& coef) {
    Gradient g = is_known ? gradient_of(m, coef)
                          : design.gradient({coef, result.mean_x, result.mean_y}, nullptr, ctx);
    for (std::int64_t j = 0; j < m.p; ++j)
      for (std::int64_t c = 0; c < m.t; ++c)
        g.values[at(j * m.t + c)] -= systems.alpha(c) * coef[at(j * m.t + c)];
    return g;
  };
  const auto newton_step = [&](const Gradient& g) {
    std::vector<double> step(g.values);
    solve_all(step);
    return step;
  };
  refine(gradient_at, newton_step, options, column_norm, n_entries, result);
  return result;
}

LeastSquaresResult solve_kernel_equations(const AnyDense& X, MatrixView<const double> Y,
                                          std::span<const double> weight,
                                          const LeastSquaresOptions& options, const Context& ctx) {
  return std::visit(
      [&](const auto& rows) { return kernel_equations(rows, Y, weight, options, ctx); }, X);
}

}  // namespace gramian::solve
