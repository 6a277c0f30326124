#include "network/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/instantiate.hpp"
#include "solve/glm/quasi_newton.hpp"
#include "solve/glm/smooth.hpp"

namespace gramian::network {
namespace {

using solve::Vector;

constexpr double kLeastDecrease = 2.2e-9;  // relative, of a step after which others follow
constexpr int kMaxTrials = 30;             // of lengths of a step
constexpr double kSlopeLeft = 0.9;         // share of the slope at most, where a step ends

struct Point {
  Vector x, gradient;
  Objective objective;

  double gradient_size() const {
    double size = 0.0;
    for (const double g : gradient) size = std::max(size, std::abs(g));
    return size;
  }
};

template <class T>
class Descent {
 public:
  Descent(Training<T>& training, const TrainingRows<T>& rows, const MinimiseOptions& options,
          const Context& ctx)
      : training_(training), rows_(rows), options_(options), ctx_(ctx) {
    const Network<T>& network = training.network();
    at_.x.assign(network.parameters(), network.parameters() + network.size());
    evaluate(at_);
  }

  Minimised run() {
    Minimised out;
    while ((out.end = next_end(out)) == MinimiseEnd::no_progress) {
      const double before = at_.objective.value;
      if (!move()) break;
      ++out.n_iter;
      out.losses.push_back(at_.objective.loss);
      const double scale = std::max({std::abs(before), std::abs(at_.objective.value), 1.0});
      is_flat_ = before - at_.objective.value <= kLeastDecrease * scale;
    }
    set_parameters(at_.x);
    out.n_evaluations = n_evaluations_;
    out.objective = at_.objective;
    out.gradient_size = at_.gradient_size();
    return out;
  }

 private:
  // Why to stop; no_progress: there is no reason.
  MinimiseEnd next_end(const Minimised& out) const {
    if (at_.gradient_size() <= options_.tol) return MinimiseEnd::gradient;
    if (is_flat_) return MinimiseEnd::decrease;
    if (out.n_iter >= options_.max_iter) return MinimiseEnd::max_iter;
    if (n_evaluations_ >= options_.max_evaluations) return MinimiseEnd::max_evaluations;
    if (ctx_.expired()) return MinimiseEnd::time_limit;
    return MinimiseEnd::no_progress;
  }

  // A step along the direction of the memory; if that is none that descends, along the gradient.
  bool move() {
    for (bool is_retry = false;; is_retry = true) {
      const Vector direction = memory_.direction(at_.gradient, [](std::span<double>) {});
      // The first step of a memory without pairs has at most the length 1.
      const double length = memory_.empty() ? 1.0 / std::max(1.0, std::sqrt(squared())) : 1.0;
      if (search(direction, length)) return true;
      if (is_retry || memory_.empty()) return false;
      memory_.clear();
    }
  }

  // A point that is low enough and where the slope has fallen, between steps that are too short
  // and too long; or, when trials run out, the best that is low enough.
  bool search(const Vector& direction, double length) {
    const double slope = solve::dot(at_.gradient, direction);
    if (!(slope < 0.0)) return false;
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    Point best, next;
    for (int trial = 0; trial < kMaxTrials; ++trial) {
      next.x = at_.x;
      for (std::size_t k = 0; k < next.x.size(); ++k) next.x[k] += length * direction[k];
      evaluate(next);
      const double next_slope = solve::dot(next.gradient, direction);
      const double excess = next.objective.value - at_.objective.value - slope * length;
      const bool is_finite = std::isfinite(next.objective.value) && std::isfinite(next_slope);
      if (is_finite && solve::is_progress(at_.objective.value, next.objective.value, slope,
                                          next_slope, length)) {
        low = length;
        std::swap(best, next);
        if (next_slope >= kSlopeLeft * slope) break;
      } else {
        high = length;
      }
      if (n_evaluations_ >= options_.max_evaluations || ctx_.expired()) break;
      // where the parabola through both points has its minimum, if the step was too long
      const double bottom = is_finite ? -0.5 * slope * length * length / excess : 0.0;
      const double middle = 0.5 * (low + high);
      const bool fits = low == 0.0 && bottom >= 0.1 * length && bottom <= middle;
      length = std::isinf(high) ? 2.0 * length : fits ? bottom : middle;
    }
    if (best.x.empty()) return false;
    memory_.add(std::move(at_.x), std::move(at_.gradient), best.x, best.gradient);
    at_ = std::move(best);
    return true;
  }

  void evaluate(Point& point) {
    set_parameters(point.x);
    point.gradient.resize(point.x.size());
    point.objective = training_.objective(rows_, options_.alpha, point.gradient, ctx_);
    ++n_evaluations_;
  }

  void set_parameters(const Vector& x) {
    T* out = training_.network().parameters();
    std::ranges::transform(x, out, [](double value) { return static_cast<T>(value); });
    training_.network().refresh();
  }

  double squared() const { return solve::dot(at_.gradient, at_.gradient); }

  Training<T>& training_;
  const TrainingRows<T>& rows_;
  const MinimiseOptions& options_;
  const Context& ctx_;
  solve::QuasiNewton memory_;
  Point at_;
  std::int64_t n_evaluations_ = 0;
  bool is_flat_ = false;
};

}  // namespace

template <class T>
Minimised minimise(Training<T>& training, const TrainingRows<T>& rows,
                   const MinimiseOptions& options, const Context& ctx) {
  return Descent<T>(training, rows, options, ctx).run();
}

#define GRAMIAN_MINIMISE(T)                                                                 \
  template Minimised minimise(Training<T>&, const TrainingRows<T>&, const MinimiseOptions&, \
                              const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_MINIMISE)

}  // namespace gramian::network
