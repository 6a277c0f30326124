#include "network/step_kernel.hpp"

#include "network/vectors.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using network::Solver;
using network::StepRule;

template <class T>
VecOf<T> gradient_at(const StepRule& rule, const StepStretch<T>& s, std::int64_t i, VecOf<T> x) {
  using Vec = VecOf<T>;
  const Vec penalty = constant<Vec>(rule.decay) * x;
  if (s.gradient == nullptr) return penalty;
  return fma(constant<Vec>(rule.share), Vec::load(s.gradient + i), penalty);
}

template <class T>
void momentum_steps(const StepRule& rule, const StepStretch<T>& s) {
  using Vec = VecOf<T>;
  const Vec momentum = constant<Vec>(rule.first);
  const Vec rate = constant<Vec>(rule.rate);
  for (std::int64_t i = 0; i < s.n; i += Vec::kLanes) {
    const Vec x = Vec::load(s.x + i);
    const Vec move = rate * gradient_at(rule, s, i, x);
    const Vec velocity = momentum * Vec::load(s.first + i) - move;
    velocity.store(s.first + i);
    (x + (rule.nesterov ? momentum * velocity - move : velocity)).store(s.x + i);
  }
}

template <class T>
void adam_steps(const StepRule& rule, const StepStretch<T>& s) {
  using Vec = VecOf<T>;
  const Vec first = constant<Vec>(rule.first), rest_first = constant<Vec>(1.0 - rule.first);
  const Vec second = constant<Vec>(rule.second), rest_second = constant<Vec>(1.0 - rule.second);
  const Vec epsilon = constant<Vec>(rule.epsilon);
  const Vec rate = constant<Vec>(rule.rate);
  const Vec kept = constant<Vec>(1.0 - rule.shrink);
  for (std::int64_t i = 0; i < s.n; i += Vec::kLanes) {
    Vec x = Vec::load(s.x + i);
    const Vec g = gradient_at(rule, s, i, x);
    const Vec m = fma(first, Vec::load(s.first + i), rest_first * g);
    const Vec v = fma(second, Vec::load(s.second + i), rest_second * (g * g));
    m.store(s.first + i);
    v.store(s.second + i);
    if (rule.solver == Solver::adamw) x = kept * x;
    (x - rate * m / (sqrt(v) + epsilon)).store(s.x + i);
  }
}

template <class T>
void take(const StepRule& rule, const StepStretch<T>& stretch) {
  if (rule.solver == Solver::sgd)
    momentum_steps(rule, stretch);
  else
    adam_steps(rule, stretch);
}

template <class T>
double sum_squares(const T* x, std::int64_t n) {
  VecD sum = VecD::zero();
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) {
    const VecD each = VecD::load(x + i);
    sum = fma(each, each, sum);
  }
  return hsum(sum);
}

}  // namespace

void take_step(const StepRule& rule, const StepStretch<double>& stretch) { take(rule, stretch); }
void take_step(const StepRule& rule, const StepStretch<float>& stretch) { take(rule, stretch); }

double squares_of(const double* x, std::int64_t n) { return sum_squares(x, n); }
double squares_of(const float* x, std::int64_t n) { return sum_squares(x, n); }

}  // namespace gramian::GRAMIAN_ISA
