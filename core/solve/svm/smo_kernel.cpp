#include "solve/svm/smo_kernel.hpp"

#include <algorithm>
#include <limits>

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using solve::LocalProblem;
using solve::LocalResult;

constexpr int kLanes = VecD::kLanes;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastCurvature = 1e-12;

struct Extremes {
  double least_up = kInfinity;  // min f over I_up, and where: the last of equals
  std::int64_t i = 0;
  double most_low = -kInfinity;  // max f over I_low
};

struct Choice {
  double gain = -1.0;
  std::int64_t i = -1;
  std::int64_t j = -1;

  bool is_found() const { return i >= 0; }
};

VecD lane_numbers() {
  double numbers[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) numbers[lane] = lane;
  return VecD::load(numbers);
}

// The best lane, by value and then by position: the last of equals.
template <class Better>
std::int64_t best_lane(const double* values, const double* places, Better better) {
  int best = 0;
  for (int lane = 1; lane < kLanes; ++lane)
    if (better(values[lane], values[best]) ||
        (values[lane] == values[best] && places[lane] > places[best]))
      best = lane;
  return best;
}

// Adds step * (first - second) to f on the way; null adds nothing.
template <bool kMoves, class T>
Extremes extremes_of(const LocalProblem<T>& p, int group, const T* first, const T* second,
                     double step) {
  const VecD by = VecD::set1(step), eight = VecD::set1(kLanes);
  VecD least = VecD::set1(kInfinity), most = VecD::set1(-kInfinity);
  VecD place = VecD::zero(), number = lane_numbers();
  for (std::int64_t t = 0; t < p.m; t += kLanes) {
    VecD f = VecD::load(p.f + t);
    if constexpr (kMoves) {
      f = fma(by, VecD::load(first + t) - VecD::load(second + t), f);
      f.store(p.f + t);
    }
    const VecD up = f + VecD::load(p.up[group] + t);
    place = select_less(least, up, place, number);
    least = min(up, least);
    most = max(most, f + VecD::load(p.low[group] + t));
    number = number + eight;
  }
  double values[kLanes], places[kLanes], lows[kLanes];
  least.store(values);
  place.store(places);
  most.store(lows);
  const std::int64_t lane = best_lane(values, places, [](double a, double b) { return a < b; });
  return {values[lane], static_cast<std::int64_t>(places[lane]),
          *std::max_element(lows, lows + kLanes)};
}

// The j that lowers the objective most in a step with i: (f_j - f_i)^2 / |phi_i - phi_j|^2.
template <class T>
void improve(const LocalProblem<T>& p, int group, const Extremes& at, Choice& choice) {
  const T* row = p.gram + at.i * p.stride;
  const VecD f_i = VecD::set1(at.least_up), own = VecD::set1(p.diagonal[at.i]);
  const VecD least = VecD::set1(kLeastCurvature), minus_two = VecD::set1(-2.0);
  const VecD none = VecD::set1(-1.0), eight = VecD::set1(kLanes);
  VecD best = VecD::set1(-0.5), place = VecD::zero(), number = lane_numbers();
  for (std::int64_t t = 0; t < p.m; t += kLanes) {
    const VecD b = VecD::load(p.f + t) + VecD::load(p.low[group] + t) - f_i;
    const VecD curvature = fma(minus_two, VecD::load(row + t), own + VecD::load(p.diagonal + t));
    const VecD gain = select_less(
        VecD::zero(), b, b * b / select_less(VecD::zero(), curvature, curvature, least), none);
    place = select_less(gain, best, place, number);
    best = select_less(gain, best, best, gain);
    number = number + eight;
  }
  double values[kLanes], places[kLanes];
  best.store(values);
  place.store(places);
  const std::int64_t lane = best_lane(values, places, [](double a, double b) { return a > b; });
  if (values[lane] > choice.gain)
    choice = {values[lane], at.i, static_cast<std::int64_t>(places[lane])};
}

template <class T>
void set_bounds(const LocalProblem<T>& p, std::int64_t t) {
  const int group = p.n_groups == 2 && p.sign[t] < 0.0 ? 1 : 0;
  const bool below = p.alpha[t] < p.upper[t], above = p.alpha[t] > 0.0;
  p.up[group][t] = (p.sign[t] > 0.0 ? below : above) ? 0.0 : kInfinity;
  p.low[group][t] = (p.sign[t] > 0.0 ? above : below) ? 0.0 : -kInfinity;
}

// How far sign * alpha may go up (direction 1) or down (-1).
template <class T>
double room(const LocalProblem<T>& p, std::int64_t t, double direction) {
  return direction * p.sign[t] > 0.0 ? p.upper[t] - p.alpha[t] : p.alpha[t];
}

// Moves alpha to the bound itself where the step is as long as the way there.
template <class T>
void move(const LocalProblem<T>& p, std::int64_t t, double direction, double step) {
  const bool rises = direction * p.sign[t] > 0.0;
  if (step >= room(p, t, direction))
    p.alpha[t] = rises ? p.upper[t] : 0.0;
  else
    p.alpha[t] += rises ? step : -step;
  set_bounds(p, t);
}

template <class T>
LocalResult solve(const LocalProblem<T>& p) {
  const T* first = p.gram;
  const T* second = p.gram;
  double step = 0.0;
  for (std::int64_t n_steps = 0;; ++n_steps) {
    Extremes at[2];
    double gap = -kInfinity;
    for (int group = 0; group < p.n_groups; ++group) {
      at[group] = group == 0 && step != 0.0 ? extremes_of<true>(p, 0, first, second, step)
                                            : extremes_of<false>(p, group, first, second, 0.0);
      gap = std::max(gap, at[group].most_low - at[group].least_up);
    }
    if (!(gap > p.tol)) return {n_steps, true};
    if (n_steps == p.max_steps) return {n_steps, false};
    Choice choice;
    for (int group = 0; group < p.n_groups; ++group)
      if (at[group].least_up < kInfinity) improve(p, group, at[group], choice);
    // Kernels and targets beyond the largest number leave no step that is sure to gain.
    if (!choice.is_found()) return {n_steps, false};
    const std::int64_t i = choice.i, j = choice.j;
    first = p.gram + i * p.stride;
    second = p.gram + j * p.stride;
    const double curvature = p.diagonal[i] + p.diagonal[j] - 2.0 * static_cast<double>(first[j]);
    step = (p.f[j] - p.f[i]) / (curvature > 0.0 ? curvature : kLeastCurvature);
    step = std::min({step, room(p, i, 1.0), room(p, j, -1.0)});
    move(p, i, 1.0, step);
    move(p, j, -1.0, step);
  }
}

}  // namespace

LocalResult solve_local(const LocalProblem<float>& problem) { return solve(problem); }
LocalResult solve_local(const LocalProblem<double>& problem) { return solve(problem); }

}  // namespace gramian::GRAMIAN_ISA
