#include "solve/descent/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "random/philox.hpp"
#include "solve/descent/working_set.hpp"

namespace gramian::solve {
namespace {

constexpr std::uint16_t kOrderStream = 1;
constexpr std::int64_t kFirstSize = 100;  // columns of the first working set
constexpr std::int64_t kLeastGrowth = 10;
constexpr double kPrecise = 0.01;  // tol is relative to this share of the objective
constexpr double kFloor = 1e-15;   // no gap below this share of |y|^2 can be measured
constexpr int kMaxStalls = 3;

class Descent {
 public:
  Descent(const Columns& columns, const DescentOptions& options, const double* start,
          const Context& ctx)
      : columns_(columns),
        options_(options),
        ctx_(ctx),
        p_(columns.n_features()),
        t_(columns.n_targets()),
        sums_(columns.sums(ctx)),
        set_(columns, sums_),
        stream_(ctx.seed, 0, kOrderStream),
        screened_(at(p_), 0) {
    iterate_.coef.assign(start, start + t_ * p_);
    iterate_.slope = sums_.cross;
    iterate_.rr = sums_.yy;
    for (std::int64_t j = 0; j < p_; ++j)
      if (!(sums_.squares[at(j)] > 0.0) || (options.is_positive && iterate_.coef[at(j)] < 0.0))
        for (std::int64_t c = 0; c < t_; ++c) iterate_.coef[at(c * p_ + j)] = 0.0;
    is_fresh_ = active().size() == 0;
  }

  DescentResult solve(const Penalty& penalty);
  void copy_coef(double* out) const { std::copy(iterate_.coef.begin(), iterate_.coef.end(), out); }

 private:
  ActiveCoef active() const;
  Bounds measure(const Penalty& penalty);
  void screen(const Penalty& penalty, const Bounds& bounds);
  void grow(const Penalty& penalty, const Bounds& bounds);

  const Columns& columns_;
  const DescentOptions& options_;
  const Context& ctx_;
  std::int64_t p_;
  std::int64_t t_;
  ColumnSums sums_;
  WorkingSet set_;
  Stream stream_;
  Iterate iterate_;
  std::vector<char> screened_;
  bool is_fresh_ = false;  // slopes of all columns belong to the coefficients
};

ActiveCoef Descent::active() const {
  ActiveCoef out;
  for (std::int64_t j = 0; j < p_; ++j) {
    bool is_zero = true;
    for (std::int64_t c = 0; c < t_; ++c) is_zero &= iterate_.coef[at(c * p_ + j)] == 0.0;
    if (!is_zero) out.cols.push_back(j);
  }
  for (std::int64_t c = 0; c < t_; ++c)
    for (const std::int64_t j : out.cols) out.values.push_back(iterate_.coef[at(c * p_ + j)]);
  return out;
}

// Primal and gap at the current coefficients, from the data.
Bounds Descent::measure(const Penalty& penalty) {
  if (!is_fresh_) {
    if (options_.round_to_float)
      for (double& v : iterate_.coef) v = static_cast<double>(static_cast<float>(v));
    iterate_.rr = columns_.slopes(active(), screened_, iterate_.slope.data(), ctx_);
    is_fresh_ = true;
  }
  double explained = 0.0;
  for (std::size_t k = 0; k < iterate_.coef.size(); ++k)
    explained += iterate_.coef[k] * sums_.cross[k];
  return bounds(penalty, {iterate_.coef.data(), iterate_.slope.data(), p_, p_, t_, iterate_.rr,
                          sums_.yy - explained});
}

// A column is zero at the optimum if its constraint is slack all over the sphere around the scaled
// residuals that holds the dual optimum. Where its slope is not measured any more, it is set to
// zero and counts no more.
void Descent::screen(const Penalty& penalty, const Bounds& bounds) {
  if (!(penalty.l1 > 0.0)) return;
  const double radius = std::sqrt(2.0 * std::max(bounds.sphere_gap, 0.0));
  const Point point{iterate_.coef.data(), iterate_.slope.data(), p_, p_, t_, 0.0, 0.0};
  for (std::int64_t j = 0; j < p_; ++j) {
    if (screened_[at(j)] || set_.contains(j)) continue;
    const double slack = penalty.l1 - bounds.scale * excess_slope(penalty, point, j, penalty.l2);
    if (slack <= radius * std::sqrt(sums_.squares[at(j)] + penalty.l2)) continue;
    screened_[at(j)] = 1;
    if (!columns_.can_skip()) continue;
    for (std::int64_t c = 0; c < t_; ++c) iterate_.slope[at(c * p_ + j)] = 0.0;
  }
}

// Adds the columns nearest to leaving zero, relative to their length.
void Descent::grow(const Penalty& penalty, const Bounds& bounds) {
  const Point point{iterate_.coef.data(), iterate_.slope.data(), p_, p_, t_, 0.0, 0.0};
  std::vector<std::pair<double, std::int64_t>> others;
  std::vector<std::int64_t> chosen;
  std::int64_t n_active = 0;
  std::int64_t n_violated = 0;
  for (std::int64_t j = 0; j < p_; ++j) {
    bool is_zero = true;
    for (std::int64_t c = 0; c < t_; ++c) is_zero &= iterate_.coef[at(c * p_ + j)] == 0.0;
    n_active += !is_zero;
    if (set_.contains(j) || screened_[at(j)] || !(sums_.squares[at(j)] > 0.0)) continue;
    const double slope = excess_slope(penalty, point, j, penalty.l2);
    if (!is_zero)
      chosen.push_back(j);
    else
      others.emplace_back(
          (penalty.l1 - bounds.scale * slope) / std::sqrt(sums_.squares[at(j)] + penalty.l2), j);
    n_violated += is_zero && slope > penalty.l1;
  }
  const auto size = static_cast<std::int64_t>(set_.cols().size() + chosen.size());
  const std::int64_t wanted = std::max(
      {kLeastGrowth, std::max(2 * n_active, kFirstSize) - size, std::min(n_violated, size)});
  const auto available = static_cast<std::int64_t>(others.size());
  const std::int64_t count = penalty.l1 > 0.0 ? std::min(wanted, available) : available;
  if (count > 0 && count < available)
    std::nth_element(others.begin(), others.begin() + count, others.end());
  for (std::int64_t k = 0; k < count; ++k) chosen.push_back(others[at(k)].second);
  std::sort(chosen.begin(), chosen.end());
  set_.add(chosen);
}

DescentResult Descent::solve(const Penalty& penalty) {
  const bool is_any_screened = std::find(screened_.begin(), screened_.end(), 1) != screened_.end();
  if (is_any_screened && columns_.can_skip()) is_fresh_ = false;
  std::fill(screened_.begin(), screened_.end(), 0);
  std::int64_t n_iter = 0;
  int n_stalls = 0;
  std::size_t last_size = 0;
  double last = std::numeric_limits<double>::infinity();
  for (;;) {
    const Bounds bounds = measure(penalty);
    const double share = options_.is_path ? 1.0 : kPrecise;
    const double goal = options_.tol * std::min(sums_.yy, share * bounds.primal);
    const bool has_grown = set_.cols().size() != last_size;
    n_stalls = has_grown || bounds.gap < 0.9 * last ? 0 : n_stalls + 1;
    last = std::min(last, bounds.gap);
    last_size = set_.cols().size();
    const bool is_done = bounds.gap <= std::max(goal, kFloor * sums_.yy);
    const bool is_lost = !std::isfinite(bounds.gap);  // the data overflow
    if (is_done || is_lost || n_iter >= options_.max_iter || ctx_.expired() ||
        n_stalls > kMaxStalls)
      return {bounds.primal, bounds.gap, n_iter};
    screen(penalty, bounds);
    grow(penalty, bounds);
    // Without an L1 penalty the optimum is one Newton step away.
    const double inner = penalty.l1 > 0.0 ? std::max(0.3 * goal, 1e-3 * bounds.gap) : 0.0;
    const Limits limits{n_stalls == 0 ? inner : 0.1 * goal, options_.max_iter - n_iter,
                        options_.random_order};
    n_iter += set_.descend(penalty, limits, iterate_, stream_, ctx_);
    is_fresh_ = false;
  }
}

}  // namespace

void coordinate_descent(const Columns& columns, std::span<const Penalty> penalties,
                        const DescentOptions& options, double* coef, DescentResult* results,
                        const Context& ctx) {
  const std::int64_t block = columns.n_features() * columns.n_targets();
  Descent descent(columns, options, coef, ctx);
  for (std::size_t k = 0; k < penalties.size(); ++k) {
    results[k] = descent.solve(penalties[k]);
    descent.copy_coef(coef + static_cast<std::int64_t>(k) * block);
  }
}

}  // namespace gramian::solve
