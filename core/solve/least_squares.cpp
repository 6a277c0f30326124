#include "solve/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
// Steps below this size, relative to the coefficients, are rounding noise of the gradient.
constexpr double kNegligibleStep = 4e-13;
constexpr double kNegligibleFloatStep = 5e-7;
// A column whose standard deviation is below this share of its mean is constant up to rounding.
constexpr double kConstantSpread = 1e-14;
// Centring may cost this factor; a column that loses more is summed again about its mean.
constexpr double kMaxCancellation = 1e4;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

bool is_finite(const Moments& m) {
  double sum = 0.0;
  for (std::int64_t j = 0; j < m.p; ++j) sum += 0.0 * m.gram[j * m.p + j] + 0.0 * m.sum_x[at(j)];
  for (std::int64_t k = 0; k < m.cross.size(); ++k) sum += 0.0 * m.cross[k];
  for (const double value : m.yy) sum += 0.0 * value;
  return sum == 0.0;
}

// Moments about the means, from moments about a shift; returns the worst loss by cancellation,
// |shifted| / |centred|, over the columns that are not constant.
double centre(Moments& m, std::span<double> mean_x, std::span<double> mean_y) {
  std::vector<double> dx(m.sum_x), dy(m.sum_y);
  for (double& d : dx) d /= m.weight;
  for (double& d : dy) d /= m.weight;
  double worst = 1.0;
  for (std::int64_t i = 0; i < m.p; ++i) {
    const double before = m.gram[i * m.p + i];
    for (std::int64_t j = 0; j < m.p; ++j) m.gram[i * m.p + j] -= m.weight * dx[at(i)] * dx[at(j)];
    for (std::int64_t c = 0; c < m.t; ++c) m.cross[i * m.t + c] -= m.weight * dx[at(i)] * dy[at(c)];
    mean_x[at(i)] += dx[at(i)];
    double& variance = m.gram[i * m.p + i];
    const double spread = kConstantSpread * mean_x[at(i)];
    if (variance <= 64.0 * kEps * before + m.weight * spread * spread)
      variance = 0.0;
    else
      worst = std::max(worst, before / variance);
  }
  for (std::int64_t c = 0; c < m.t; ++c) {
    m.yy[at(c)] = std::max(m.yy[at(c)] - m.weight * dy[at(c)] * dy[at(c)], 0.0);
    mean_y[at(c)] += dy[at(c)];
  }
  return worst;
}

// Moments about the means if an intercept is fitted, about zero otherwise.
Moments centred_moments(const linalg::Design& design, bool fit_intercept,
                        LeastSquaresResult& result, const Context& ctx) {
  const std::int64_t p = design.n_features();
  const std::int64_t t = design.n_targets();
  result.mean_x.assign(at(p), 0.0);
  result.mean_y.assign(at(t), 0.0);
  if (fit_intercept) design.guess_means(result.mean_x, result.mean_y);
  Moments m(p, t);
  design.add_moments(result.mean_x, result.mean_y, m, ctx);
  if (!is_finite(m)) {
    result.status = Status::not_finite;
    return m;
  }
  if (!fit_intercept) return m;
  if (centre(m, result.mean_x, result.mean_y) > kMaxCancellation && design.can_shift()) {
    Moments again(p, t);
    design.add_moments(result.mean_x, result.mean_y, again, ctx);
    centre(again, result.mean_x, result.mean_y);
    return again;
  }
  return m;
}

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

// |step| / |coef|, each coefficient measured by its effect on the fit, over the worst target.
double relative_step(std::span<const double> step, std::span<const double> coef,
                     std::span<const double> column_norm, std::size_t t) {
  double worst = 0.0;
  for (std::size_t c = 0; c < t; ++c) {
    double moved = 0.0, size = 0.0;
    for (std::size_t j = 0; j < column_norm.size(); ++j) {
      moved += std::pow(column_norm[j] * step[j * t + c], 2);
      size += std::pow(column_norm[j] * coef[j * t + c], 2);
    }
    if (moved > 0.0) worst = std::max(worst, size > 0.0 ? std::sqrt(moved / size) : 1.0);
  }
  return worst;
}

double trace_of(const Buffer<double>& A, std::int64_t n) {
  double trace = 0.0;
  for (std::int64_t i = 0; i < n; ++i) trace += A[i * n + i];
  return trace;
}

// X_c X_c' with the rows scaled by the roots of their weights. Centring leaves the vector of these
// roots in its null space; its projector, added in, makes the matrix regular and leaves the
// solution unchanged, since the centred targets are orthogonal to that vector.
template <class T>
std::optional<Buffer<double>> kernel_matrix(MatrixView<const T> X, std::span<const double> mean_x,
                                            std::span<const double> root_weight, bool fit_intercept,
                                            const Context& ctx) {
  const std::int64_t n = X.n_rows;
  Buffer<double> K(n * n);
  linalg::centred_gram(X.transposed(), mean_x, K.data(), ctx);
  double weight = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) K[i * n + j] *= root_weight[at(i)] * root_weight[at(j)];
    weight += root_weight[at(i)] * root_weight[at(i)];
  }
  const double size = trace_of(K, n) / static_cast<double>(n);
  if (!std::isfinite(size)) return std::nullopt;
  if (fit_intercept)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        K[i * n + j] += size * root_weight[at(i)] * root_weight[at(j)] / weight;
  for (std::int64_t i = 0; i < n; ++i)
    if (root_weight[at(i)] == 0.0) K[i * n + i] = size;  // a row without weight: its dual is zero
  return K;
}

// Takes the gradient at the coefficients and, while its Newton step is worth taking, moves there.
// On return the certificate's numbers belong to the coefficients as they are.
template <class Objective, class NewtonStep>
void refine(const Objective& gradient_at, const NewtonStep& newton_step,
            const LeastSquaresOptions& options, std::span<const double> column_norm,
            LeastSquaresResult& result) {
  const double negligible = options.round_to_float ? kNegligibleFloatStep : kNegligibleStep;
  double last_step = std::numeric_limits<double>::infinity();
  for (;; ++result.n_refinements) {
    if (options.round_to_float) round_coef(result.coef);
    const Gradient gradient = gradient_at(result.coef);
    result.rss = gradient.rss;
    certify(gradient, column_norm, result);
    if (result.n_refinements == kMaxRefinements) return;
    const std::vector<double> step = newton_step(gradient);
    const double size = relative_step(step, result.coef, column_norm, result.rss.size());
    if (size <= negligible || size > 0.5 * last_step) return;
    last_step = size;
    for (std::size_t k = 0; k < step.size(); ++k) result.coef[k] += step[k];
  }
}

}  // namespace

LeastSquaresResult solve_normal_equations(const linalg::Design& design,
                                          const LeastSquaresOptions& options, double* gram,
                                          const Context& ctx) {
  LeastSquaresResult result;
  const Moments m = centred_moments(design, options.fit_intercept, result, ctx);
  if (result.status != Status::ok) return result;
  if (gram) std::copy_n(m.gram.data(), m.gram.size(), gram);
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

  const auto gradient_at = [&](const std::vector<double>& coef) {
    Gradient g = design.gradient({coef, result.mean_x, result.mean_y}, nullptr, ctx);
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
  refine(gradient_at, newton_step, options, column_norm, result);
  return result;
}

template <class T>
LeastSquaresResult solve_kernel_equations(MatrixView<const T> X, MatrixView<const double> Y,
                                          std::span<const double> weight,
                                          const LeastSquaresOptions& options, const Context& ctx) {
  const std::int64_t n = X.n_rows;
  const std::int64_t p = X.n_cols;
  const std::int64_t t = Y.n_cols;
  LeastSquaresResult result;
  result.mean_x.assign(at(p), 0.0);
  result.mean_y.assign(at(t), 0.0);
  if (options.fit_intercept) {
    linalg::column_means(X, weight, result.mean_x, ctx);
    linalg::column_means(Y, weight, result.mean_y, ctx);
  }
  std::vector<double> root_weight(at(n), 1.0);
  for (std::size_t i = 0; i < weight.size(); ++i) root_weight[i] = std::sqrt(weight[i]);
  const auto K = kernel_matrix(X, result.mean_x, root_weight, options.fit_intercept, ctx);
  if (!K) {
    result.status = Status::not_finite;
    return result;
  }
  // The kernel matrix plays the part of the Gram matrix, the rows that of the columns.
  Moments dual(n, t);
  std::copy_n(K->data(), K->size(), dual.gram.data());
  const Systems systems(dual, options.alpha, ctx);
  result.rank = n - (options.fit_intercept ? 1 : 0);
  result.rcond = systems.rcond();
  if (result.rcond < kMinRcond) {
    result.status = Status::ill_conditioned;
    return result;
  }

  const linalg::DenseDesign<T> design(X, Y, weight);
  std::vector<double> residuals(at(n * t));
  std::vector<double> duals(at(n * t), 0.0);
  const std::vector<double> no_targets(at(t), 0.0);
  // X_c' (s o v): the coefficients that belong to the dual variables v.
  const auto coef_of = [&](const std::vector<double>& v) {
    std::vector<double> scaled(v);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < t; ++c) scaled[at(i * t + c)] *= root_weight[at(i)];
    const linalg::DenseDesign<T> adjoint(X, {scaled.data(), n, t}, {});
    const std::vector<double> zero(at(p * t), 0.0);
    return adjoint.gradient({zero, result.mean_x, no_targets}, nullptr, ctx).values;
  };
  const auto gradient_at = [&](const std::vector<double>& coef) {
    Gradient g = design.gradient({coef, result.mean_x, result.mean_y}, residuals.data(), ctx);
    for (std::size_t j = 0; j < at(p); ++j)
      for (std::int64_t c = 0; c < t; ++c)
        g.values[j * at(t) + at(c)] -= systems.alpha(c) * coef[j * at(t) + at(c)];
    return g;
  };
  const auto newton_step = [&](const Gradient&) {
    std::vector<double> step(at(n * t));
    for (std::int64_t c = 0; c < t; ++c) {
      for (std::int64_t i = 0; i < n; ++i)
        step[at(i * t + c)] =
            root_weight[at(i)] * residuals[at(i * t + c)] - systems.alpha(c) * duals[at(i * t + c)];
      systems.of(c).solve(step.data() + c, n, t);
    }
    for (std::size_t k = 0; k < step.size(); ++k) duals[k] += step[k];
    return coef_of(step);
  };
  result.coef.assign(at(p * t), 0.0);
  const Gradient start = gradient_at(result.coef);
  result.total = start.rss;
  for (const double value : start.values)
    if (!std::isfinite(value)) result.status = Status::not_finite;
  if (result.status != Status::ok) return result;
  const std::vector<double> first = newton_step(start);
  for (std::size_t k = 0; k < first.size(); ++k) result.coef[k] += first[k];
  std::vector<double> column_norm(at(p), std::sqrt(trace_of(*K, n) / static_cast<double>(p)));
  refine(gradient_at, newton_step, options, column_norm, result);
  result.weight = 0.0;
  for (const double s : root_weight) result.weight += s * s;
  return result;
}

template LeastSquaresResult solve_kernel_equations(MatrixView<const float>,
                                                   MatrixView<const double>,
                                                   std::span<const double>,
                                                   const LeastSquaresOptions&, const Context&);
template LeastSquaresResult solve_kernel_equations(MatrixView<const double>,
                                                   MatrixView<const double>,
                                                   std::span<const double>,
                                                   const LeastSquaresOptions&, const Context&);

}  // namespace gramian::solve
