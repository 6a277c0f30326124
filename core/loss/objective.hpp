// A loss by its name, over all rows: what both kinds of boosting minimise. The losses themselves
// are those of the other headers here; the choice among them is made once for a block of rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "loss/asymmetric.hpp"
#include "loss/exponential.hpp"
#include "loss/exponential_family.hpp"
#include "loss/logistic.hpp"
#include "loss/robust.hpp"
#include "loss/squared.hpp"

namespace gramian::loss {

enum class Kind {
  squared,
  absolute,
  huber,      // parameter: where it becomes linear
  pinball,    // parameter: the quantile
  expectile,  // parameter: the expectile
  exponential,
  logistic,
  poisson,
  gamma,
  tweedie,  // parameter: the power of the variance, neither 1 nor 2
  softmax,  // of several scores for each row
};

// The subgradient of `absolute` and `pinball` where the score is the target.
enum class Kink { zero, from_below };

// Sums over rows.
struct LossSum {
  double loss = 0.0;
  double weight = 0.0;
};

struct Objective {
  Kind kind = Kind::squared;
  double parameter = 0.0;
  std::int64_t n_groups = 1;  // scores of a row: classes of softmax, else 1
  Kink kink = Kink::zero;

  // All arrays have n entries for each group, one group after the other; `y` has n: class numbers
  // for softmax, 0 or 1 for logistic and exponential. An empty `hessian` is not written; that of
  // softmax has the diagonal alone.
  void differentiate(std::span<const double> y, std::span<const double> scores,
                     std::span<float> gradient, std::span<float> hessian, const Context& ctx) const;
  void differentiate(std::span<const double> y, std::span<const double> scores,
                     std::span<double> gradient, std::span<double> hessian,
                     const Context& ctx) const;

  // An empty weight is one for each row.
  LossSum sum(std::span<const double> y, std::span<const double> weight,
              std::span<const double> scores, const Context& ctx) const;
};

// Calls function(loss) with the loss of one score that an objective names.
template <class Function>
auto with_loss(const Objective& objective, const Function& function) {
  const double parameter = objective.parameter;
  const bool is_from_below = objective.kink == Kink::from_below;
  switch (objective.kind) {
    case Kind::absolute:
      return function(Absolute{is_from_below ? -1.0 : 0.0});
    case Kind::huber:
      return function(Huber{parameter});
    case Kind::pinball:
      return function(Pinball{parameter, is_from_below ? -parameter : 0.0});
    case Kind::expectile:
      return function(Expectile{parameter});
    case Kind::exponential:
      return function(Exponential{});
    case Kind::logistic:
      return function(Logistic{});
    case Kind::poisson:
      return function(Poisson{});
    case Kind::gamma:
      return function(Gamma{});
    case Kind::tweedie:
      return function(Tweedie{parameter});
    default:
      return function(Squared{});
  }
}

}  // namespace gramian::loss
