// Moments about the means of the columns, summed again where centring has cost too many digits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "solve/least_squares/least_squares.hpp"

namespace gramian::solve {
namespace {

using linalg::Moments;

constexpr double kEps = std::numeric_limits<double>::epsilon();
// A column whose standard deviation is below this share of its mean is constant up to rounding.
constexpr double kConstantSpread = 1e-14;
// Centring may cost this factor; a column that loses more is summed again about its mean.
constexpr double kMaxCancellation = 1e4;
// Where a design cannot shift, its centred moments may be wrong by this share: refinement mends it.
constexpr double kMaxCentringError = 1e-4;

// Whether the moments hold numbers: neither data that are not finite, nor squares that overflow or
// vanish (a column whose square is zero but whose product with the target is not).
bool is_representable(const Moments& m) {
  constexpr double kTiny = 1e-280;
  double sum = 0.0;
  for (std::int64_t j = 0; j < m.p; ++j) {
    sum += 0.0 * m.gram[j * m.p + j] + 0.0 * m.sum_x[at(j)];
    for (std::int64_t c = 0; c < m.t; ++c) {
      const double cross = m.cross[j * m.t + c];
      sum += 0.0 * cross;
      if (m.gram[j * m.p + j] < kTiny && std::abs(cross) > kTiny) return false;
    }
  }
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

// Whether centring has left digits in every column that varies; those that do not become zero.
bool check_variances(Moments& m, std::span<const double> mean_x, std::span<const double> exact) {
  for (std::int64_t j = 0; j < m.p; ++j) {
    const double spread = kConstantSpread * mean_x[at(j)];
    double& variance = m.gram[j * m.p + j];
    if (exact[at(j)] <= m.weight * spread * spread)
      variance = 0.0;
    else if (std::abs(variance - exact[at(j)]) > kMaxCentringError * exact[at(j)])
      return false;
  }
  return true;
}

}  // namespace

Moments centred_moments(const linalg::Design& design, bool fit_intercept,
                        LeastSquaresResult& result, const Context& ctx, double* cancellation) {
  result.mean_x.assign(at(design.n_features()), 0.0);
  result.mean_y.assign(at(design.n_targets()), 0.0);
  if (fit_intercept) design.guess_means(result.mean_x, result.mean_y);
  Moments m = design.moments(result.mean_x, result.mean_y, ctx);
  if (!is_representable(m)) {
    result.status = Status::not_finite;
    return m;
  }
  if (!fit_intercept) return m;
  double worst = centre(m, result.mean_x, result.mean_y);
  if (worst > kMaxCancellation && design.can_shift()) {
    m = design.moments(result.mean_x, result.mean_y, ctx);
    worst = centre(m, result.mean_x, result.mean_y);
  }
  if (cancellation != nullptr) *cancellation = worst;
  if (!design.can_shift() &&
      !check_variances(m, result.mean_x, design.squares_about(result.mean_x, ctx)))
    result.status = Status::ill_conditioned;
  return m;
}

}  // namespace gramian::solve
