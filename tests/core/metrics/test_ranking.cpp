// Threshold counts and areas against sums over all pairs of rows, and the radix sort against the
// standard library's.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "metrics/radix_sort.hpp"
#include "metrics/ranking.hpp"
#include "random/philox.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::metrics::ScoredRows;
using test::at;
using test::context_with;

namespace {

using Doubles = std::vector<double>;

template <class T>
struct Problem {
  std::vector<T> score;
  std::vector<std::uint8_t> positive;
  Doubles weight;

  // `n_levels` zero: no ties but by chance.
  Problem(std::int64_t n, std::int64_t n_levels, bool has_weight) {
    const Doubles values = test::normal_values(n, 11);
    const Doubles labels = test::normal_values(n, 12, 0.3);
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = values[at(i)];
      const double scale = n_levels > 0 ? static_cast<double>(n_levels) : 1e6;
      score.push_back(
          static_cast<T>(n_levels > 0 ? std::round(value * scale) / scale : value * scale));
      positive.push_back(labels[at(i)] > 0.0);
      if (has_weight) weight.push_back(static_cast<double>(i % 4) / 2.0);
    }
  }

  std::int64_t n() const { return static_cast<std::int64_t>(score.size()); }
  double w(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }
  ScoredRows<T> rows() const { return {score.data(), 1, positive.data(), 1, n(), weight}; }

  double area(double max_fpr, const Context& ctx) const {
    double out = -1.0;
    gramian::metrics::roc_areas<T>({score.data(), 1, n()}, {positive.data(), 1, n()}, weight,
                                   max_fpr, {&out, 1}, ctx);
    return out;
  }
  double precision(const Context& ctx) const {
    double out = -1.0;
    gramian::metrics::average_precisions<T>({score.data(), 1, n()}, {positive.data(), 1, n()},
                                            weight, {&out, 1}, ctx);
    return out;
  }
};

template <class T>
struct Counts {
  std::vector<T> thresholds;
  Doubles fps, tps;

  Counts(const Problem<T>& problem, const Context& ctx)
      : thresholds(problem.score.size()), fps(thresholds.size()), tps(thresholds.size()) {
    const auto count =
        at(gramian::metrics::threshold_counts<T>(problem.rows(), {thresholds, fps, tps}, ctx));
    thresholds.resize(count);
    fps.resize(count);
    tps.resize(count);
  }
};

template <class T>
void check_counts(const Problem<T>& problem) {
  const Counts<T> counts(problem, context_with(2));
  std::vector<T> levels;
  for (std::size_t i = 0; i < problem.score.size(); ++i)
    if (problem.w(i) != 0.0) levels.push_back(problem.score[i]);
  std::sort(levels.begin(), levels.end(), std::greater<T>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  CHECK(counts.thresholds == levels);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    double fps = 0.0, tps = 0.0;
    for (std::size_t i = 0; i < problem.score.size(); ++i)
      if (problem.score[i] >= levels[k]) (problem.positive[i] ? tps : fps) += problem.w(i);
    CHECK(counts.fps[k] == fps && counts.tps[k] == tps);  // sums of halves: exact
  }
}

// The weight of pairs in the right order, ties half, as a share of all pairs.
template <class T>
double pair_area(const Problem<T>& problem) {
  double right = 0.0, total = 0.0;
  for (std::size_t i = 0; i < problem.score.size(); ++i)
    for (std::size_t j = 0; j < problem.score.size(); ++j) {
      if (!problem.positive[i] || problem.positive[j]) continue;
      const double pair = problem.w(i) * problem.w(j);
      total += pair;
      if (problem.score[i] > problem.score[j]) right += pair;
      if (problem.score[i] == problem.score[j]) right += 0.5 * pair;
    }
  return right / total;
}

template <class T>
void check_all(std::int64_t n) {
  for (const std::int64_t n_levels : {0, 5})
    for (const bool has_weight : {false, true}) {
      const Problem<T> problem(n, n_levels, has_weight);
      check_counts(problem);
      CHECK(std::abs(problem.area(1.0, context_with(2)) - pair_area(problem)) < 1e-13);
    }
}

}  // namespace

TEST(threshold_counts_and_roc_area_are_those_of_all_pairs) {
  for (const std::int64_t n : {20, 700}) {
    check_all<double>(n);
    check_all<float>(n);
    check_all<std::int64_t>(n);
  }
}

TEST(ranking_gives_the_same_bits_for_any_number_of_threads) {
  for (const std::int64_t n_levels : {0, 300})
    for (const bool has_weight : {false, true}) {
      const Problem<double> problem(300'000, n_levels, has_weight);
      const Counts<double> one(problem, context_with(1));
      for (const int n_threads : {2, 3}) {
        const Context ctx = context_with(n_threads);
        const Counts<double> more(problem, ctx);
        CHECK(more.thresholds == one.thresholds && more.fps == one.fps && more.tps == one.tps);
        CHECK(problem.area(0.3, ctx) == problem.area(0.3, context_with(1)));
        CHECK(problem.precision(ctx) == problem.precision(context_with(1)));
      }
    }
}

TEST(average_precision_is_the_sum_over_thresholds) {
  const Problem<double> problem(900, 7, true);
  const Counts<double> counts(problem, Context{});
  double sum = 0.0, before = 0.0;
  for (std::size_t k = 0; k < counts.tps.size(); ++k) {
    sum += (counts.tps[k] - before) * counts.tps[k] / (counts.tps[k] + counts.fps[k]);
    before = counts.tps[k];
  }
  CHECK(std::abs(problem.precision(Context{}) - sum / counts.tps.back()) < 1e-14);
}

TEST(zeros_of_both_signs_tie) {
  Problem<double> problem(2, 0, false);
  problem.score = {-0.0, 0.0};
  problem.positive = {0, 1};
  CHECK(problem.area(1.0, Context{}) == 0.5);
  CHECK(Counts<double>(problem, Context{}).thresholds.size() == 1);
}

TEST(extreme_scores_come_back_as_thresholds) {
  Problem<double> problem(4, 0, false);
  const double largest = std::numeric_limits<double>::max();
  problem.score = {-largest, largest, -std::numeric_limits<double>::denorm_min(), 0.0};
  const Counts<double> counts(problem, Context{});
  std::sort(problem.score.begin(), problem.score.end(), std::greater<double>());
  CHECK(counts.thresholds == problem.score);
}

TEST(areas_without_a_class_are_nan) {
  Problem<double> problem(10, 0, false);
  problem.positive.assign(10, 1);
  CHECK(std::isnan(problem.area(1.0, Context{})));
  problem.positive.assign(10, 0);
  CHECK(std::isnan(problem.area(1.0, Context{})));
  CHECK(std::isnan(problem.precision(Context{})));
  CHECK(std::isnan(Problem<double>(0, 0, false).area(1.0, Context{})));
}

TEST(many_short_problems_are_those_of_their_rows) {
  const Problem<double> problem(3000, 0, false);
  const std::int64_t n_cols = 30;
  Doubles out(100);
  const MatrixView<const double> score(problem.score.data(), 100, n_cols);
  const MatrixView<const std::uint8_t> positive(problem.positive.data(), 100, n_cols);
  gramian::metrics::roc_areas<double>(score, positive, {}, 1.0, out, context_with(2));
  for (std::int64_t k = 0; k < 100; ++k) {
    Problem<double> one(0, 0, false);
    for (std::int64_t j = 0; j < n_cols; ++j) {
      one.score.push_back(score(k, j));
      one.positive.push_back(positive(k, j));
    }
    CHECK(out[at(k)] == one.area(1.0, Context{}));
  }
}

TEST(radix_sort_is_stable) {
  struct Item {
    std::uint64_t key;
    std::int64_t place;
    bool operator==(const Item&) const = default;
  };
  const auto key_of = [](const Item& item) { return item.key; };
  const Context ctx = context_with(2);
  const gramian::metrics::RadixSort<Item, decltype(key_of)> sort(key_of, ctx);
  // Few keys, keys that agree in their high bits but for one, and keys spread over all bits.
  for (const std::uint64_t mask :
       {std::uint64_t{0xF}, std::uint64_t{0xFFFF'FFFF}, ~std::uint64_t{0}})
    for (const std::int64_t n : {100, 100'000}) {
      std::vector<Item> items(at(n)), scratch(at(n));
      std::uint64_t state = 1;
      for (std::int64_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        items[at(i)] = {(state ^ (state >> 33)) & mask, i};
      }
      items[0].key = ~std::uint64_t{0};
      std::vector<Item> expected = items;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Item& a, const Item& b) { return a.key < b.key; });
      sort(items.data(), scratch.data(), n, 64);
      CHECK(items == expected);
    }
}
