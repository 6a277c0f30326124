// The memory of L-BFGS, around a preconditioner.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace gramian::solve {

using Vector = std::vector<double>;

// x <- M^-1 x.
using Preconditioner = std::function<void(std::span<double>)>;

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

inline void negate(Vector& v) {
  for (double& value : v) value = -value;
}

class QuasiNewton {
 public:
  bool empty() const { return pairs_.empty(); }
  void clear() { pairs_.clear(); }

  // A step from (x, gradient) to (next_x, next_gradient); the first two are used up.
  void add(Vector x, Vector gradient, const Vector& next_x, const Vector& next_gradient) {
    constexpr std::size_t kMemory = 20;
    Pair pair{std::move(x), std::move(gradient), 0.0};
    for (std::size_t k = 0; k < pair.s.size(); ++k) {
      pair.s[k] = next_x[k] - pair.s[k];
      pair.y[k] = next_gradient[k] - pair.y[k];
    }
    const double sy = dot(pair.s, pair.y);
    if (!(sy > 0.0) || !std::isfinite(1.0 / sy)) return;
    pair.rho = 1.0 / sy;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }

  // The two-loop recursion: -H g with H from the pairs and the preconditioner.
  Vector direction(const Vector& gradient, const Preconditioner& precondition) const {
    Vector q = gradient;
    Vector alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = pairs_[i].rho * dot(pairs_[i].s, q);
      for (std::size_t k = 0; k < q.size(); ++k) q[k] -= alpha[i] * pairs_[i].y[k];
    }
    double gamma = 1.0;
    if (!pairs_.empty()) {
      Vector y = pairs_.back().y;
      precondition(y);
      gamma = 1.0 / (pairs_.back().rho * dot(pairs_.back().y, y));
    }
    precondition(q);
    for (double& value : q) value *= gamma;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double beta = pairs_[i].rho * dot(pairs_[i].y, q);
      for (std::size_t k = 0; k < q.size(); ++k) q[k] += (alpha[i] - beta) * pairs_[i].s[k];
    }
    negate(q);
    return q;
  }

 private:
  struct Pair {
    Vector s, y;
    double rho;
  };
  std::deque<Pair> pairs_;
};

}  // namespace gramian::solve
