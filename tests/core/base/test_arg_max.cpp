#include <limits>
#include <optional>
#include <vector>

#include "base/arg_max.hpp"
#include "base/index.hpp"
#include "check.hpp"

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Index = std::optional<std::int64_t>;

Index best_of(const std::vector<double>& scores) {
  return gramian::arg_max(std::ssize(scores),
                          [&](std::int64_t i) { return scores[gramian::at(i)]; });
}

Index near_best_of(const std::vector<double>& scores, double noise) {
  return gramian::first_near_max(
      std::ssize(scores), [&](std::int64_t i) { return scores[gramian::at(i)]; }, noise);
}

}  // namespace

TEST(arg_max_takes_the_first_of_equals) {
  CHECK(best_of({1.0, 3.0, 2.0, 3.0}) == Index(1));
  CHECK(best_of({-5.0}) == Index(0));
  CHECK(best_of({1.0, kInfinity, kInfinity}) == Index(1));
  CHECK(best_of({-0.0, 0.0}) == Index(0));
}

TEST(arg_max_never_takes_what_is_no_number) {
  CHECK(best_of({kNan, 1.0, kNan, 2.0, kNan}) == Index(3));
  CHECK(best_of({kNan, -kInfinity, -1e308}) == Index(2));
}

TEST(arg_max_of_nothing_is_none) {
  CHECK(best_of({}) == std::nullopt);
  CHECK(best_of({kNan, kNan}) == std::nullopt);
  CHECK(best_of({-kInfinity, kNan}) == std::nullopt);
}

TEST(first_near_max_takes_scores_that_differ_by_noise_as_equal) {
  CHECK(near_best_of({0.5, 1.0, 1.05}, 0.1) == Index(1));
  CHECK(near_best_of({0.5, 1.0, 1.05}, 0.0) == Index(2));
  CHECK(near_best_of({kNan, -kInfinity, 2.0, 2.0}, 1e-12) == Index(2));
  CHECK(near_best_of({1.0, kInfinity}, 1.0) == Index(1));
  CHECK(near_best_of({kNan, kNan}, 1.0) == std::nullopt);
  CHECK(near_best_of({}, 1.0) == std::nullopt);
}
