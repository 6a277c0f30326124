// Coordinate descent in residual space, for working sets too large for a Gram matrix: a coordinate
// costs a dot product with the residuals, and an update of them if it moves.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/index.hpp"
#include "solve/descent/working_set.hpp"

namespace gramian::solve {
namespace {

constexpr int kEpochsPerCheck = 5;

}  // namespace

// One coordinate; returns twice what the visit took off the objective, or more.
double WorkingSet::visit(const Penalty& penalty, ResidualSpace& space, std::int64_t k) {
  const double g = sums_.squares[at(cols_[at(k)])];
  double square = 0.0;
  for (std::int64_t c = 0; c < n_targets(); ++c) {
    double& z = slope_[at(c * ld_ + k)];
    z = space.dot(k, c) + g * coef_[at(c * ld_ + k)];
    square += z * z;
  }
  const double norm = penalty.is_positive ? slope_[at(k)] : std::sqrt(square);
  const double factor = norm > penalty.l1 ? (1.0 - penalty.l1 / norm) / (g + penalty.l2) : 0.0;
  double moved = 0.0;
  for (std::int64_t c = 0; c < n_targets(); ++c) {
    double& v = coef_[at(c * ld_ + k)];
    const double change = factor * slope_[at(c * ld_ + k)] - v;
    if (change == 0.0) continue;
    v += change;
    space.subtract(k, c, change);
    moved += change * change;
  }
  return (g + penalty.l2) * moved;
}

void WorkingSet::measure_slopes(const ResidualSpace& space) {
  for (std::int64_t c = 0; c < n_targets(); ++c)
    for (std::int64_t k = 0; k < size(); ++k) slope_[at(c * ld_ + k)] = space.dot(k, c);
}

std::int64_t WorkingSet::descend_by_residuals(const Penalty& penalty, const Limits& limits,
                                              Stream& stream, const Context& ctx) {
  ActiveCoef active;
  for (std::int64_t k = 0; k < size(); ++k) active.cols.push_back(cols_[at(k)]);
  for (std::int64_t c = 0; c < n_targets(); ++c)
    active.values.insert(active.values.end(), coef_.begin() + c * ld_,
                         coef_.begin() + c * ld_ + size());
  const auto space = columns_.residual_space(cols_, active, ctx);
  history_.clear();
  std::int64_t epochs = 0;
  while (epochs < limits.max_epochs) {
    if (limits.random_order) shuffle(stream);
    double moved = 0.0;
    for (std::int64_t i = 0; i < size(); ++i) {
      ctx.check();
      moved = std::max(moved, visit(penalty, *space, limits.random_order ? order_[at(i)] : i));
    }
    ++epochs;
    if (moved == 0.0 || ctx.expired()) break;
    if (history_.push(coef_, space->state())) {
      const std::vector<double> coef = coef_;
      const auto state = space->state();
      const std::vector<double> residuals(state.begin(), state.end());
      const double before = bounds_of(penalty, space->squared_norm()).primal;
      const bool is_done = history_.extrapolate(coef_, state);
      const bool is_allowed =
          !penalty.is_positive ||
          std::all_of(coef_.begin(), coef_.end(), [](double v) { return v >= 0.0; });
      if (is_done && !(is_allowed && bounds_of(penalty, space->squared_norm()).primal < before)) {
        coef_ = coef;
        std::copy(residuals.begin(), residuals.end(), state.begin());
      }
    }
    if (epochs % kEpochsPerCheck != 0) continue;
    measure_slopes(*space);
    if (bounds_of(penalty, space->squared_norm()).gap <= limits.goal) break;
  }
  measure_slopes(*space);
  return epochs;
}

}  // namespace gramian::solve
