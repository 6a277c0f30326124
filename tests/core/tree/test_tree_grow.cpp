// Growing trees: both exact searches find the split that trying everything finds, any number of
// threads grows the same tree, and what the searches are made of keeps its promises.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "loss/weighted_quantile.hpp"
#include "tree/criterion/criterion_absolute.hpp"
#include "tree/grow/grow.hpp"
#include "tree/search/sort_keys.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace loss = gramian::loss;
namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Data {
  std::vector<double> X, values;
  std::vector<std::int32_t> labels, n_classes, n_levels;
  std::int64_t n, p;

  tree::Target target(bool is_classification) const {
    tree::Target out;
    if (is_classification) {
      out.labels = labels;
      out.n_classes = n_classes;
    } else {
      out.values = values;
    }
    out.n_rows = n;
    return out;
  }
  MatrixView<const double> matrix() const { return {X.data(), n, p}; }
  double x(std::int64_t i, std::int64_t j) const { return X[static_cast<std::size_t>(i * p + j)]; }
};

// Coarse values, so that there are ties; one column in three has gaps, another holds levels.
Data make_data(std::int64_t n, std::int64_t p, std::int32_t n_classes, Random& random) {
  Data data;
  data.n = n;
  data.p = p;
  data.n_classes = {n_classes};
  std::normal_distribution<double> normal;
  for (std::int64_t j = 0; j < p; ++j) data.n_levels.push_back(j % 3 == 2 ? 6 : 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < p; ++j) {
      const bool has_gap = j % 3 == 1 && random() % 5 == 0;
      const bool is_level = j % 3 == 2;
      const double number =
          is_level ? static_cast<double>(random() % 6) : std::round(4.0 * normal(random)) / 4.0;
      data.X.push_back(has_gap ? kMissing : number);
    }
    data.values.push_back(data.x(i, 0) + normal(random));
    data.labels.push_back(
        static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n_classes)));
  }
  return data;
}

tree::GrownTrees grow(const Data& data, const tree::Options& options, bool is_classification,
                      tree::Columns::Form form, int n_threads, std::int64_t n_draws = 0,
                      std::size_t n_trees = 1) {
  Context ctx;
  ctx.n_threads = n_threads;
  const tree::Columns columns(data.matrix(), data.n_levels, form, ctx);
  std::vector<std::uint64_t> seeds;
  for (std::size_t t = 0; t < n_trees; ++t) seeds.push_back(t + 1);
  const tree::Sampling sampling{seeds, {}, n_draws, {}};
  return tree::grow_trees(columns, data.target(is_classification), options, sampling, ctx);
}

bool is_same(const tree::GrownTrees& a, const tree::GrownTrees& b) {
  return a.node_offsets == b.node_offsets && a.feature == b.feature && a.threshold == b.threshold &&
         a.flags == b.flags && a.category_words == b.category_words &&
         a.leaf_value == b.leaf_value && a.leaf_count == b.leaf_count;
}

// Sum of w - sum_k c_k^2 / w over both sides, or of squares about the means.
double loss_of(const Data& data, const std::vector<bool>& is_left, bool is_classification) {
  double loss = 0.0;
  for (const bool side : {true, false}) {
    std::vector<double> counts(static_cast<std::size_t>(data.n_classes[0]));
    double n = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < is_left.size(); ++i) {
      if (is_left[i] != side) continue;
      n += 1.0;
      sum += data.values[i];
      squares += data.values[i] * data.values[i];
      counts[static_cast<std::size_t>(data.labels[i])] += 1.0;
    }
    if (n == 0.0) return kInfinity;
    double terms = 0.0;
    for (const double count : counts) terms += count * count;
    loss += is_classification ? n - terms / n : squares - sum * sum / n;
  }
  return loss;
}

// The least loss of any cut of any column: every threshold with missing values on either side, and
// every set of levels.
double least_loss(const Data& data, bool is_classification) {
  double least = kInfinity;
  std::vector<bool> is_left(static_cast<std::size_t>(data.n));
  const auto consider = [&](const auto& goes_left) {
    for (std::int64_t i = 0; i < data.n; ++i) is_left[static_cast<std::size_t>(i)] = goes_left(i);
    least = std::min(least, loss_of(data, is_left, is_classification));
  };
  for (std::int64_t j = 0; j < data.p; ++j) {
    if (data.n_levels[static_cast<std::size_t>(j)] > 0) {
      for (std::uint32_t set = 1; set < 63; ++set)
        consider([&](std::int64_t i) { return (set >> static_cast<int>(data.x(i, j)) & 1) != 0; });
      continue;
    }
    for (std::int64_t k = 0; k < data.n; ++k) {
      if (std::isnan(data.x(k, j))) continue;
      for (const bool missing_left : {false, true})
        consider([&](std::int64_t i) {
          return std::isnan(data.x(i, j)) ? missing_left : data.x(i, j) <= data.x(k, j);
        });
    }
  }
  return least;
}

double loss_of_stump(const Data& data, const tree::GrownTrees& stump, bool is_classification) {
  std::vector<bool> is_left(static_cast<std::size_t>(data.n));
  const std::int64_t f = stump.feature[0];
  for (std::int64_t i = 0; i < data.n; ++i) {
    const double x = data.x(i, f);
    bool left = x <= stump.threshold[0];
    if ((stump.flags[0] & 2) != 0) left = (stump.category_words[0] >> static_cast<int>(x) & 1) != 0;
    is_left[static_cast<std::size_t>(i)] = std::isnan(x) ? (stump.flags[0] & 1) != 0 : left;
  }
  return loss_of(data, is_left, is_classification);
}

}  // namespace

TEST(a_stump_is_the_best_of_all_cuts) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const bool is_classification = round % 2 == 0;
    const Data data = make_data(5 + round, 4, 2, random);
    tree::Options options;
    options.criterion =
        is_classification ? tree::CriterionKind::gini : tree::CriterionKind::squared_error;
    options.limits.max_depth = 1;
    options.limits.max_features = data.p;
    const double least = least_loss(data, is_classification);
    for (const auto form : {tree::Columns::Form::sorted, tree::Columns::Form::coded}) {
      const auto stump = grow(data, options, is_classification, form, 1);
      if (stump.feature.size() == 1) continue;  // all labels are the same
      CHECK(loss_of_stump(data, stump, is_classification) <= least + 1e-9 * (1.0 + least));
    }
  }
}

TEST(any_number_of_threads_grows_the_same_tree) {
  Random random(2);
  const Data data = make_data(6000, 9, 3, random);
  tree::Options options;
  for (const auto criterion : {tree::CriterionKind::gini, tree::CriterionKind::entropy,
                               tree::CriterionKind::squared_error}) {
    options.criterion = criterion;
    const bool is_classification = criterion != tree::CriterionKind::squared_error;
    for (const auto form :
         {tree::Columns::Form::sorted, tree::Columns::Form::coded, tree::Columns::Form::values}) {
      options.random_splits = form == tree::Columns::Form::values;
      options.limits.max_features = form == tree::Columns::Form::sorted ? data.p : 3;
      const auto one = grow(data, options, is_classification, form, 1);
      CHECK(is_same(one, grow(data, options, is_classification, form, 4)));
      const auto forest = grow(data, options, is_classification, form, 1, data.n, 5);
      CHECK(is_same(forest, grow(data, options, is_classification, form, 3, data.n, 5)));
    }
  }
}

TEST(leaves_hold_every_row_once) {
  Random random(3);
  const Data data = make_data(500, 6, 4, random);
  tree::Options options;
  options.limits.max_features = data.p;
  const auto grown = grow(data, options, true, tree::Columns::Form::sorted, 2);
  std::int64_t n_rows = 0;
  for (const std::int32_t count : grown.leaf_count) n_rows += count;
  CHECK(n_rows == data.n);
  CHECK(grown.feature.size() == 2 * grown.leaf_count.size() - 1);
  CHECK(grown.threshold.size() == grown.leaf_count.size() - 1);
}

TEST(the_best_leaves_are_split_first) {
  Random random(4);
  const Data data = make_data(400, 6, 2, random);
  tree::Options options;
  options.criterion = tree::CriterionKind::squared_error;
  options.limits.max_features = data.p;
  double before = kInfinity;
  for (const std::int64_t n_leaves : {2, 4, 8, 16, 32}) {
    options.limits.max_leaf_nodes = n_leaves;
    const auto grown = grow(data, options, false, tree::Columns::Form::sorted, 2);
    CHECK(static_cast<std::int64_t>(grown.leaf_count.size()) == n_leaves);
    double loss = 0.0;
    for (std::size_t k = 0; k < grown.leaf_count.size(); ++k)
      loss += grown.leaf_impurity[k] * grown.leaf_count[k];
    CHECK(loss < before);
    before = loss;
  }
}

TEST(a_constant_table_is_one_leaf) {
  Data data;
  data.n = 7;
  data.p = 2;
  data.X.assign(14, 3.0);
  data.values = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  data.n_levels = {0, 0};
  tree::Options options;
  options.criterion = tree::CriterionKind::squared_error;
  options.limits.max_features = 1;
  for (const auto form : {tree::Columns::Form::sorted, tree::Columns::Form::coded}) {
    const auto grown = grow(data, options, false, form, 1);
    CHECK(grown.feature == std::vector<std::int32_t>{-1});
    CHECK(grown.leaf_value == std::vector<double>{4.0});
  }
}

TEST(a_tree_without_a_row_is_refused) {
  Random random(5);
  const Data data = make_data(10, 3, 2, random);
  const Context ctx;
  const tree::Columns columns(data.matrix(), data.n_levels, tree::Columns::Form::sorted, ctx);
  tree::Options options;
  options.limits.max_features = 3;
  const std::vector<std::uint64_t> seeds{1};
  const std::vector<double> nothing(10, 0.0);
  const tree::Sampling sampling{seeds, nothing, 0, {}};
  CHECK_THROWS(gramian::InvalidArgument,
               tree::grow_trees(columns, data.target(true), options, sampling, ctx));
}

TEST(values_that_float32_merges_are_compared_in_float64) {
  std::vector<double> X;
  for (int i = 0; i < 200; ++i) X.push_back(1.6e9 + i);  // seconds: float32 has steps of 128
  const Context ctx;
  const tree::Columns times(MatrixView<const double>(X.data(), 200, 1), {},
                            tree::Columns::Form::sorted, ctx);
  CHECK(times[0].is_double);
  CHECK(times[0].missing_code == 200);
  for (double& x : X) x -= 1.6e9;
  const tree::Columns small(MatrixView<const double>(X.data(), 200, 1), {},
                            tree::Columns::Form::sorted, ctx);
  CHECK(!small[0].is_double);
}

TEST(keys_of_a_node_are_sorted_by_code_and_place) {
  Random random(6);
  for (const std::size_t n : {2u, 17u, 160u, 161u, 3000u}) {
    for (const int code_bits : {1, 10, 20}) {
      std::vector<std::uint32_t> made(n), keys(n);
      for (std::size_t i = 0; i < n; ++i)
        made[i] = static_cast<std::uint32_t>((random() % (1u << code_bits)) << 12 | i);
      made[0] ^= 1u << 12;  // not all codes are the same
      made[1] = (made[0] ^ 1u << 12) | 1u;
      const auto key_of = [&](std::size_t i) { return made[i]; };
      tree::KeySorter<std::uint32_t> sort;
      CHECK(sort(keys, 12, 12 + code_bits, key_of, tree::kSortFewKeys));
      std::vector<std::uint32_t> expected = made;
      std::sort(expected.begin(), expected.end());
      CHECK(keys == expected);
      const auto constant = [&](std::size_t i) { return static_cast<std::uint32_t>(1u << 12 | i); };
      CHECK(!sort(keys, 12, 12 + code_bits, constant, tree::kSortFewKeys));
    }
  }
}

TEST(sums_on_a_grid_do_not_depend_on_the_order) {
  Random random(7);
  std::normal_distribution<double> normal;
  std::vector<double> y(1000);
  double sizes = 0.0;
  for (double& value : y) {
    value = std::exp(3.0 * normal(random)) * normal(random);
    sizes += std::abs(value);
  }
  const tree::Grid grid(sizes);
  double forward = 0.0, backward = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    forward += grid.round(y[i]);
    backward += grid.round(y[y.size() - 1 - i]);
    CHECK(std::abs(grid.round(y[i]) - y[i]) <= sizes * 0x1p-50);
  }
  CHECK(forward == backward);
}

TEST(a_shrinking_median_is_that_of_what_is_left) {
  Random random(8);
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 1 + random() % 30;
    std::vector<double> y(n), w(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = static_cast<double>(random() % 20);
      w[i] = static_cast<double>(1 + random() % 3);
    }
    std::sort(y.begin(), y.end());
    std::vector<std::int32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::int32_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    tree::ShrinkingMedian medians;
    medians.reset(y, w);
    std::vector<bool> is_left(n, true);
    for (std::size_t k = 0; k + 1 < n; ++k) {
      double least = kInfinity;
      for (const double m : y) {
        double loss = 0.0;
        for (std::size_t i = 0; i < n; ++i)
          if (is_left[i]) loss += w[i] * std::abs(y[i] - m);
        least = std::min(least, loss);
      }
      CHECK(medians.loss() == least);
      std::vector<loss::WeightedValue> left;
      for (std::size_t i = 0; i < n; ++i)
        if (is_left[i]) left.push_back({y[i], w[i]});
      CHECK(medians.median() ==
            loss::WeightedQuantiles(left).at(0.5, loss::QuantileMethod::averaged_inverted_cdf));
      medians.remove(order[k]);
      is_left[static_cast<std::size_t>(order[k])] = false;
    }
  }
}
