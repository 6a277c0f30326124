// Oblivious trees against the best of all conditions found one by one, in any order of the rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/grow/oblivious.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace tree = gramian::tree;

namespace {

using Doubles = std::vector<double>;

constexpr std::int64_t kColumns = 3;  // two of numbers, the second with gaps, and one of levels
const std::vector<std::int32_t> kLevels{0, 0, 4};

struct Data {
  Doubles X, values, sums, weight;
  std::vector<std::int32_t> labels;

  std::int64_t n_rows() const { return static_cast<std::int64_t>(sums.size()); }
  double x(std::size_t row, std::int64_t f) const {
    return X[row * kColumns + static_cast<std::size_t>(f)];
  }
  Data take(const std::vector<std::size_t>& rows) const {
    Data out;
    for (const std::size_t i : rows) {
      for (std::int64_t f = 0; f < kColumns; ++f) out.X.push_back(x(i, f));
      out.values.push_back(values[i]);
      out.sums.push_back(sums[i]);
      out.weight.push_back(weight[i]);
      out.labels.push_back(labels[i]);
    }
    return out;
  }
};

Data drawn_data(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned k) { return static_cast<double>(random() % k); };
  Data data;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = below(50), b = below(20), level = below(4);
    data.X.push_back(0.1 * a);
    data.X.push_back(random() % 9 == 0 ? std::numeric_limits<double>::quiet_NaN() : b);
    data.X.push_back(random() % 11 == 0 ? std::numeric_limits<double>::quiet_NaN() : level);
    const double value = 100.0 * (a > 20) + 70.0 * (b < 8) + 50.0 * (level == 2) + below(60);
    data.weight.push_back(1.0 + below(3));
    data.values.push_back(value);
    data.sums.push_back(value * data.weight.back());
    data.labels.push_back(value < 80.0 ? 0 : value < 150.0 ? 1 : 2);
  }
  return data;
}

const std::vector<std::int32_t> kClasses{3};

tree::ObliviousConditions grow(const Data& data, tree::CriterionKind criterion, int n_threads = 1,
                               std::int64_t max_bins = 255, std::int64_t min_samples_leaf = 1) {
  const bool has_classes =
      criterion == tree::CriterionKind::gini || criterion == tree::CriterionKind::entropy;
  tree::ObliviousTask task{MatrixView<const double>(data.X.data(), data.n_rows(), kColumns),
                           kLevels,
                           {},
                           {},
                           data.weight,
                           criterion,
                           4,
                           min_samples_leaf,
                           0.0,
                           max_bins,
                           1.0};
  if (has_classes) {
    task.target = {data.labels, {}, kClasses, data.n_rows(), 1};
  } else {
    task.target = {{}, data.values, {}, data.n_rows(), 1};
    task.sums = data.sums;
  }
  Context ctx;
  ctx.n_threads = n_threads;
  return tree::grow_oblivious(task, ctx);
}

// The score of leaves, from the definition.
double score(const Data& data, tree::CriterionKind criterion,
             const std::vector<std::int64_t>& leaf) {
  std::map<std::int64_t, std::array<double, 3>> counts;
  std::map<std::int64_t, std::pair<double, double>> moments;
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    counts[leaf[i]][static_cast<std::size_t>(data.labels[i])] += data.weight[i];
    moments[leaf[i]].first += data.weight[i];
    moments[leaf[i]].second += data.sums[i];
  }
  double total = 0.0;
  if (criterion == tree::CriterionKind::gini) {
    for (const auto& [number, c] : counts)
      total += (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) / (c[0] + c[1] + c[2]);
  } else if (criterion == tree::CriterionKind::entropy) {
    for (const auto& [number, c] : counts)
      for (const double k : c) total += k > 0.0 ? k * std::log2(k / (c[0] + c[1] + c[2])) : 0.0;
  } else {
    for (const auto& [number, m] : moments)
      total += criterion == tree::CriterionKind::poisson
                   ? (m.second > 0.0 ? m.second * std::log(m.second / m.first)
                                     : -std::numeric_limits<double>::infinity())
                   : m.second * m.second / m.first;
  }
  return total;
}

// The score of the leaves that the best condition makes.
double best_score(const Data& data, tree::CriterionKind criterion,
                  const std::vector<std::int64_t>& leaf) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t f = 0; f < kColumns; ++f)
    for (std::size_t at = 0; at < leaf.size(); ++at)
      for (const bool is_met_by_missing : {false, true}) {
        const double cut = data.x(at, f);
        if (std::isnan(cut)) continue;
        std::vector<std::int64_t> next = leaf;
        for (std::size_t i = 0; i < next.size(); ++i) {
          const double x = data.x(i, f);
          const bool is_met = std::isnan(x) ? is_met_by_missing : f == 2 ? x == cut : x <= cut;
          next[i] = 2 * next[i] + (is_met ? 0 : 1);
        }
        best = std::max(best, score(data, criterion, next));
      }
  return best;
}

bool same(const tree::ObliviousConditions& a, const tree::ObliviousConditions& b) {
  bool are_same = a.feature == b.feature && a.level == b.level &&
                  a.missing_side == b.missing_side && a.decrease == b.decrease;
  for (std::size_t d = 0; d < a.threshold.size() && are_same; ++d)
    are_same = a.threshold[d] == b.threshold[d] || a.level[d] >= 0;
  return are_same;
}

constexpr std::array kKinds{tree::CriterionKind::gini, tree::CriterionKind::entropy,
                            tree::CriterionKind::squared_error, tree::CriterionKind::poisson};

}  // namespace

TEST(each_depth_of_an_oblivious_tree_has_the_best_condition) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Data data = drawn_data(150, seed);
    for (const tree::CriterionKind kind : kKinds) {
      const tree::ObliviousConditions found = grow(data, kind);
      CHECK(found.feature.size() == 4);
      std::vector<std::int64_t> leaf(data.sums.size(), 0);
      for (std::size_t depth = 0; depth < found.feature.size(); ++depth) {
        const double before = score(data, kind, leaf), best = best_score(data, kind, leaf);
        for (std::size_t i = 0; i < leaf.size(); ++i)
          leaf[i] = found.leaf[i] >> (found.feature.size() - depth - 1);
        CHECK(std::abs(score(data, kind, leaf) - best) <= 1e-9 * std::abs(best));
        CHECK(std::abs(found.decrease[depth] - (best - before)) <= 1e-9 * std::abs(best));
      }
    }
  }
}

TEST(oblivious_trees_are_the_same_for_any_order_of_the_rows_and_any_threads) {
  const Data data = drawn_data(2'000, 7);
  std::vector<std::size_t> order(data.sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const Data shuffled = data.take(order);
  for (const tree::CriterionKind kind : kKinds) {
    const tree::ObliviousConditions found = grow(data, kind, 1, 16);
    const tree::ObliviousConditions again = grow(shuffled, kind, 4, 16);
    CHECK(same(found, again));
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(again.leaf[i] == found.leaf[order[i]]);
  }
}

TEST(no_leaf_of_an_oblivious_tree_is_too_small) {
  const Data data = drawn_data(300, 3);
  const auto found = grow(data, tree::CriterionKind::gini, 1, 255, 12);
  std::map<std::int64_t, int> sizes;
  for (const std::int64_t leaf : found.leaf) ++sizes[leaf];
  CHECK(!found.feature.empty());
  for (const auto& [leaf, size] : sizes) CHECK(size >= 12);
}

TEST(bins_of_like_weight_and_of_single_values) {
  const Data data = drawn_data(1'000, 5);
  const auto all = grow(data, tree::CriterionKind::squared_error, 1, 1'000);
  CHECK(same(all, grow(data, tree::CriterionKind::squared_error, 1, 50)));  // as many values
  const auto few = grow(data, tree::CriterionKind::squared_error, 1, 2);
  std::map<std::int64_t, double> thresholds;  // two bins have one
  for (std::size_t d = 0; d < few.feature.size(); ++d)
    if (few.level[d] < 0)
      CHECK(thresholds.emplace(few.feature[d], few.threshold[d]).first->second == few.threshold[d]);
  CHECK(!thresholds.empty());
}
