#include "boost/objective/objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "loss/pointwise_kernel.hpp"
#include "loss/robust.hpp"
#include "loss/softmax_kernel.hpp"
#include "loss/squared.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kBlockRows = SoftmaxColumns::kMostRows;
constexpr double kCost = 4.0;  // nanoseconds for a row and group

struct Absolute {
  double value(double p, double y) const { return std::abs(p - y); }
  double derivative(double p, double y) const { return p > y ? 1.0 : p < y ? -1.0 : 0.0; }
};
struct Quantile {
  double share;
  double value(double p, double y) const {
    return y >= p ? share * (y - p) : (1.0 - share) * (p - y);
  }
  double derivative(double p, double y) const { return p > y ? 1.0 - share : p < y ? -share : 0.0; }
};
// |share - 1{y < p}| (p - y)^2: its hessian is not one, but one makes the steps those of a bound.
struct Expectile {
  double share;
  double value(double p, double y) const {
    return (y < p ? 1.0 - share : share) * (p - y) * (p - y);
  }
  double derivative(double p, double y) const {
    return 2.0 * (y < p ? 1.0 - share : share) * (p - y);
  }
  double curvature(double p, double y) const { return 2.0 * (y < p ? 1.0 - share : share); }
};

std::optional<PointwiseLoss> vector_loss(Loss loss) {
  switch (loss) {
    case Loss::logistic:
      return PointwiseLoss::logistic;
    case Loss::poisson:
      return PointwiseLoss::poisson;
    case Loss::gamma:
      return PointwiseLoss::gamma;
    case Loss::tweedie:
      return PointwiseLoss::tweedie;
    default:
      return std::nullopt;
  }
}

// Calls function(loss) with the struct of a loss that needs no exponentials.
template <class Function>
auto with_plain(const Objective& objective, const Function& function) {
  switch (objective.loss) {
    case Loss::absolute:
      return function(Absolute{});
    case Loss::huber:
      return function(loss::Huber{objective.parameter});
    case Loss::quantile:
      return function(Quantile{objective.parameter});
    case Loss::expectile:
      return function(Expectile{objective.parameter});
    default:
      return function(loss::Squared{});
  }
}

// One block of rows of softmax: the scores side by side, as its kernel wants them.
class SoftmaxRows {
 public:
  SoftmaxRows(std::int64_t n_groups, std::span<const double> scores)
      : k_(n_groups),
        ld_((n_groups + 7) / 8 * 8),
        n_rows_(static_cast<std::int64_t>(scores.size()) / n_groups),
        scores_(scores),
        z_(at(kBlockRows * ld_)),
        scratch_(at(kBlockRows)) {}

  double evaluate(std::int64_t begin, std::int64_t n, const double* y, const double* w) {
    for (std::int64_t c = 0; c < k_; ++c)
      for (std::int64_t i = 0; i < n; ++i)
        z_[at(i * ld_ + c)] = scores_[at(c * n_rows_ + begin + i)];
    return GRAMIAN_DISPATCH(evaluate_softmax,
                            SoftmaxBlock{z_.data(), ld_, n, k_, y, w, nullptr, scratch_.data()});
  }

 private:
  std::int64_t k_, ld_, n_rows_;
  std::span<const double> scores_;
  std::vector<double> z_, scratch_;
};

}  // namespace

bool has_unit_hessian(Loss loss) {
  return loss == Loss::squared || loss == Loss::absolute || loss == Loss::huber ||
         loss == Loss::quantile;
}

void Objective::differentiate(std::span<const double> y, std::span<const double> scores,
                              std::span<float> gradient, std::span<float> hessian,
                              const Context& ctx) const {
  const auto n = static_cast<std::int64_t>(y.size());
  const Chunks chunks = Chunks::of_rows(n, kBlockRows);
  const double cost = kCost * static_cast<double>(n * n_groups);
  parallel_for(
      ctx, chunks.count(), cost,
      [&](std::int64_t chunk) {
        const std::int64_t begin = chunks.begin(chunk), m = chunks.end(chunk) - begin;
        if (loss == Loss::softmax) {
          std::vector<double> scratch(at(n_groups * SoftmaxColumns::kMostRows));
          GRAMIAN_DISPATCH(
              differentiate_softmax,
              SoftmaxColumns{scores.data() + begin, n, m, n_groups, y.data() + begin,
                             gradient.data() + begin, hessian.data() + begin, scratch.data()});
        } else if (const auto kind = vector_loss(loss)) {
          std::array<double, kBlockRows> first, second;
          const LossBlock block{scores.data() + begin, y.data() + begin, nullptr, m,
                                first.data(),          second.data()};
          GRAMIAN_DISPATCH(differentiate_losses, *kind, parameter, block);
          for (std::int64_t i = 0; i < m; ++i) {
            gradient[at(begin + i)] = static_cast<float>(first[at(i)]);
            hessian[at(begin + i)] = static_cast<float>(second[at(i)]);
          }
        } else {
          with_plain(*this, [&](const auto& plain) {
            for (std::int64_t i = begin; i < begin + m; ++i)
              gradient[at(i)] = static_cast<float>(plain.derivative(scores[at(i)], y[at(i)]));
            if constexpr (std::is_same_v<decltype(plain), const Expectile&>)
              for (std::int64_t i = begin; i < begin + m; ++i)
                hessian[at(i)] = static_cast<float>(plain.curvature(scores[at(i)], y[at(i)]));
          });
        }
      },
      Claims::by_place);
}

double Objective::mean_loss(std::span<const double> y, std::span<const double> weight,
                            std::span<const double> scores, const Context& ctx) const {
  const auto n = static_cast<std::int64_t>(y.size());
  struct Sums {
    double loss = 0.0, weight = 0.0;
  };
  const Sums sums = parallel_reduce(
      ctx, Chunks::of_rows(n, kBlockRows), kCost * static_cast<double>(n * n_groups),
      [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t m = end - begin;
        const double* w = weight.empty() ? nullptr : weight.data() + begin;
        Sums part;
        for (std::int64_t i = 0; i < m; ++i) part.weight += w != nullptr ? w[i] : 1.0;
        if (loss == Loss::softmax) {
          SoftmaxRows rows(n_groups, scores);
          part.loss = rows.evaluate(begin, m, y.data() + begin, w);
        } else if (const auto kind = vector_loss(loss)) {
          std::array<double, kBlockRows> unused;
          part.loss = GRAMIAN_DISPATCH(
              evaluate_losses, *kind, parameter,
              LossBlock{scores.data() + begin, y.data() + begin, w, m, unused.data(), nullptr});
        } else {
          with_plain(*this, [&](const auto& plain) {
            for (std::int64_t i = 0; i < m; ++i)
              part.loss += (w != nullptr ? w[i] : 1.0) *
                           plain.value(scores[at(begin + i)], y[at(begin + i)]);
          });
        }
        return part;
      },
      [](Sums& total, const Sums& part) {
        total.loss += part.loss;
        total.weight += part.weight;
      });
  return sums.weight > 0.0 ? sums.loss / sums.weight : 0.0;
}

}  // namespace gramian::boost
