// Ranges, thresholds, sums and scores of random cuts are those of plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/criterion/criterion_moments.hpp"
#include "tree/random_splits.hpp"
#include "tree/search/column_cuts_kernel.hpp"
#include "tree/search/cuts_kernel.hpp"
#include "tree/search/not_above.hpp"

namespace tree = gramian::tree;
using test::at;
using test::Random;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Values and addends are quarters: their sums are exact in any order.
template <class T>
struct Data {
  std::vector<T> values;
  std::vector<std::uint32_t> rows;
  std::vector<double> weights, addends;
  tree::RowTable<T> table;

  Data(std::int64_t n, std::int64_t p, Random& random) {
    for (std::int64_t i = 0; i < n * (p + 1); ++i)
      values.push_back(static_cast<T>(test::below(random, 41) - 20) / T{4});
    for (std::uint32_t i = 0; i < n; ++i) {
      if (random() % 3 == 0 && i + 1 < n) continue;
      rows.push_back(i);
      weights.push_back(static_cast<double>(1 + random() % 5));
      addends.push_back(static_cast<double>(test::below(random, 65) - 32) / 4.0);
    }
    table = {values.data(), p + 1, n, p};
  }
  tree::NodeRows node(bool has_weights) const {
    return {rows.data(), static_cast<std::int64_t>(rows.size()),
            has_weights ? weights.data() : nullptr, addends.data()};
  }
  std::vector<T> column(std::int64_t f) const {
    std::vector<T> found;
    for (const std::uint32_t row : rows) found.push_back(values[at(row * table.row_stride + f)]);
    return found;
  }
  // What goes left of a threshold.
  tree::LeftSum left_of(std::int64_t f, double threshold, bool has_weights) const {
    tree::LeftSum left;
    const auto x = column(f);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (static_cast<double>(x[i]) > threshold) continue;
      left.count += 1;
      left.weight += has_weights ? weights[i] : 1.0;
      left.sum += addends[i];
    }
    return left;
  }
};

// Room for whole vectors of columns.
template <class T>
struct Cuts {
  std::vector<T> lowest, highest, compared;
  std::vector<double> places, thresholds, weights, sums, scores;
  std::vector<std::int32_t> counts;

  explicit Cuts(std::size_t n)
      : lowest(n),
        highest(n),
        compared(n),
        places(n, NAN),
        thresholds(n),
        weights(n),
        sums(n),
        scores(n),
        counts(n) {}
  tree::LeftSums left() { return {counts.data(), weights.data(), sums.data()}; }
};

double score_of(const tree::MomentNode& node, const tree::LeftSum& left) {
  double score = -kInfinity;
  if (std::min(left.count, node.n - left.count) >= node.min_samples_leaf)
    tree::SquaredError::improves(left.sum, left.weight, node.sum - left.sum,
                                 node.weight - left.weight, -kInfinity, score);
  return score;
}

template <class T>
void check_rows(const Data<T>& data, bool has_weights, test::Level level) {
  const auto node = data.node(has_weights);
  const std::int64_t p = data.table.n_features;
  Cuts<T> cuts(at(data.table.n_lanes()));
  for (std::int64_t f = 0; f < p; ++f) cuts.places[at(f)] = static_cast<double>(f % 11) / 11.0;
  AT_LEVEL(level, row_ranges, data.table, node, cuts.lowest.data(), cuts.highest.data());
  AT_LEVEL(level, row_thresholds, data.table, cuts.lowest.data(), cuts.highest.data(),
           cuts.places.data(), cuts.thresholds.data(), cuts.compared.data());
  AT_LEVEL(level, row_sums, data.table, node, cuts.compared.data(), cuts.left());
  tree::MomentNode total{node.n, 0.0, 0.0, 2};
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    total.weight += has_weights ? data.weights[i] : 1.0;
    total.sum += data.addends[i];
  }
  const double best =
      AT_LEVEL(level, score_cuts, total, cuts.left(), has_weights, p, cuts.scores.data());
  double highest_score = -kInfinity;
  for (std::int64_t f = 0; f < p; ++f) {
    const auto column = data.column(f);
    const auto [lowest, highest] = std::minmax_element(column.begin(), column.end());
    CHECK(cuts.lowest[at(f)] == *lowest && cuts.highest[at(f)] == *highest);
    const double threshold = tree::drawn_threshold(*lowest, *highest, cuts.places[at(f)]);
    CHECK(cuts.thresholds[at(f)] == threshold);
    CHECK(cuts.compared[at(f)] == tree::not_above(threshold, T{}));
    const auto left = data.left_of(f, threshold, has_weights);
    CHECK(cuts.counts[at(f)] == left.count && cuts.sums[at(f)] == left.sum);
    CHECK(!has_weights || cuts.weights[at(f)] == left.weight);
    CHECK(cuts.scores[at(f)] == score_of(total, left));
    highest_score = std::max(highest_score, cuts.scores[at(f)]);
  }
  CHECK(best == highest_score);
}

template <class T>
void check_column(const Data<T>& data, bool has_weights, test::Level level) {
  auto column = data.column(0);
  const auto node = data.node(has_weights);
  const auto left = data.left_of(0, 0.25, has_weights);
  const auto sum = AT_LEVEL(level, column_sum, column.data(), node, T{0.25});
  CHECK(sum.count == left.count && sum.weight == left.weight && sum.sum == left.sum);
  const auto [lowest, highest] = std::minmax_element(column.begin(), column.end());
  auto range = AT_LEVEL(level, column_range, column.data(), node.n);
  CHECK(range.lowest == *lowest && range.highest == *highest);
  std::fill(column.begin(), column.end(), static_cast<T>(NAN));
  range = AT_LEVEL(level, column_range, column.data(), node.n);
  CHECK(range.lowest == static_cast<T>(kInfinity) && range.highest == -static_cast<T>(kInfinity));
}

template <class T>
void check_all(std::int64_t n, std::int64_t p, Random& random) {
  const Data<T> data(n, p, random);
  for (const bool has_weights : {false, true})
    for (const auto level : test::levels()) {
      check_rows(data, has_weights, level);
      check_column(data, has_weights, level);
    }
}

}  // namespace

TEST(random_cuts_are_those_of_plain_loops_on_every_level) {
  Random random(1);
  for (const std::int64_t n : {1, 2, 7, 17, 40, 150})
    for (const std::int64_t p : {1, 3, 7, 8, 9, 15, 16, 17, 33, 70}) {
      check_all<float>(n, p, random);
      check_all<double>(n, p, random);
    }
}
