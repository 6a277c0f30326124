// Objectives over all rows against the definitions of their losses, row by row, and those against
// difference quotients.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "loss/objective.hpp"

using gramian::loss::Kind;
using gramian::loss::Kink;
using gramian::loss::Objective;
using test::at;

namespace {

using Doubles = std::vector<double>;

constexpr std::int64_t kRows = 1300;  // more than two blocks, and a remainder

const std::vector<Objective> kPointwise{
    {Kind::squared},
    {Kind::absolute},
    {Kind::huber, 0.7},
    {Kind::pinball, 0.3},
    {Kind::expectile, 0.2},
    {Kind::exponential},
    {Kind::logistic},
    {Kind::poisson},
    {Kind::gamma},
    {Kind::tweedie, 1.5},
    {Kind::absolute, 0.0, 1, Kink::from_below},
    {Kind::pinball, 0.3, 1, Kink::from_below},
};

// Targets that every loss allows; every tenth score is its target.
struct Rows {
  Doubles y, z = test::normal_values(kRows, 5, 0.0), weight;

  Rows() {
    for (std::int64_t i = 0; i < kRows; ++i) {
      y.push_back(i % 2 == 0 ? 0.0 : 1.0);
      weight.push_back(static_cast<double>(i % 4));
      if (i % 10 == 0) z[at(i)] = y[at(i)];
    }
  }
};

double largest_difference(const auto& found, const Doubles& expected) {
  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
  return worst;
}

}  // namespace

TEST(derivatives_are_difference_quotients) {
  constexpr double kStep = 1e-5;
  for (const Objective& objective : kPointwise)
    gramian::loss::with_loss(objective, [](const auto& loss) {
      for (const double z : {-1.3, -0.4, 0.35, 1.6})
        for (const double y : {0.0, 1.0}) {
          const double up = loss.value(z + kStep, y), down = loss.value(z - kStep, y);
          CHECK(std::abs((up - down) / (2.0 * kStep) - loss.derivative(z, y)) < 1e-8);
          const double slope = loss.derivative(z + kStep, y) - loss.derivative(z - kStep, y);
          CHECK(std::abs(slope / (2.0 * kStep) - loss.curvature(z, y)) < 1e-8);
        }
    });
}

TEST(the_slope_at_a_kink_is_the_one_asked_for) {
  const auto slope_of = [](const Objective& objective) {
    return gramian::loss::with_loss(objective,
                                    [](const auto& loss) { return loss.derivative(2.0, 2.0); });
  };
  CHECK(slope_of({Kind::absolute}) == 0.0 && slope_of({Kind::pinball, 0.3}) == 0.0);
  CHECK(slope_of({Kind::absolute, 0.0, 1, Kink::from_below}) == -1.0);
  CHECK(slope_of({Kind::pinball, 0.3, 1, Kink::from_below}) == -0.3);
}

TEST(objectives_are_their_losses_row_by_row) {
  const Rows rows;
  const gramian::Context ctx = test::context_with(2);
  for (const Objective& objective : kPointwise) {
    Doubles gradient(at(kRows)), hessian(at(kRows)), value(at(kRows));
    gramian::loss::with_loss(objective, [&](const auto& loss) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        value[i] = loss.value(rows.z[i], rows.y[i]);
        gradient[i] = loss.derivative(rows.z[i], rows.y[i]);
        hessian[i] = loss.curvature(rows.z[i], rows.y[i]);
      }
    });
    Doubles first(at(kRows)), second(at(kRows)), alone(at(kRows));
    std::vector<float> single(at(kRows)), single_hessian(at(kRows));
    objective.differentiate(rows.y, rows.z, first, second, ctx);
    objective.differentiate(rows.y, rows.z, alone, {}, ctx);
    objective.differentiate(rows.y, rows.z, single, single_hessian, ctx);
    CHECK(largest_difference(first, gradient) < 1e-13 && first == alone);
    CHECK(largest_difference(second, hessian) < 1e-13);
    CHECK(largest_difference(single, first) < 1e-5);
    CHECK(largest_difference(single_hessian, second) < 1e-5);
    const auto weighted = objective.sum(rows.y, rows.weight, rows.z, ctx);
    const auto plain = objective.sum(rows.y, {}, rows.z, ctx);
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      sum += rows.weight[i] * value[i];
      total += value[i];
    }
    CHECK(std::abs(weighted.loss - sum) < 1e-10 * sum &&
          std::abs(plain.loss - total) < 1e-10 * sum);
    CHECK(plain.weight == static_cast<double>(kRows));
  }
}

TEST(softmax_of_two_scores_is_logistic_over_all_rows) {
  const Rows rows;
  const gramian::Context ctx = test::context_with(2);
  Doubles scores(at(2 * kRows), 0.0);
  std::copy(rows.z.begin(), rows.z.end(), scores.begin() + kRows);
  Doubles one(at(kRows)), one_hessian(at(kRows)), both(at(2 * kRows)), both_hessian(at(2 * kRows));
  const Objective logistic{Kind::logistic}, softmax{Kind::softmax, 0.0, 2};
  logistic.differentiate(rows.y, rows.z, one, one_hessian, ctx);
  softmax.differentiate(rows.y, scores, both, both_hessian, ctx);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(std::abs(both[at(kRows) + i] - one[i]) < 1e-15 && std::abs(both[i] + one[i]) < 1e-15);
    CHECK(std::abs(both_hessian[i] - one_hessian[i]) < 1e-15);
  }
  std::vector<float> single(at(2 * kRows));
  softmax.differentiate(rows.y, scores, single, {}, ctx);
  CHECK(largest_difference(single, both) < 1e-7);
  const auto expected = logistic.sum(rows.y, rows.weight, rows.z, ctx);
  const auto found = softmax.sum(rows.y, rows.weight, scores, ctx);
  CHECK(std::abs(found.loss - expected.loss) < 1e-11 * expected.loss);
  CHECK(found.weight == expected.weight);
}
