// Trees of the flat format: what their check lets through never leads outside of any array, and
// both forms of a forest find the leaves of a plain walk.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "tree/format/topology.hpp"
#include "tree/predict/paths.hpp"
#include "tree/predict/predict.hpp"
#include "tree/predict/ranked.hpp"

using gramian::Context;
using gramian::MatrixView;
using test::at;

namespace {

struct Forest {
  std::vector<std::int64_t> node_offsets{0};
  std::vector<std::int32_t> feature;
  std::vector<double> threshold;
  std::vector<std::uint8_t> flags;
  std::vector<std::uint64_t> category_words;
  std::vector<std::int32_t> n_levels;
  std::vector<std::uint8_t> is_double;
  std::vector<double> leaf_value;
  std::vector<std::int32_t> leaf_count;

  gramian::tree::TreesView view() const {
    gramian::tree::TreesView trees;
    trees.node_offsets = node_offsets;
    trees.feature = feature;
    trees.threshold = threshold;
    trees.flags = flags;
    trees.category_words = category_words;
    trees.n_levels = n_levels;
    trees.is_double = is_double;
    trees.width = 1;
    trees.leaf_value = gramian::tree::RealSpan(leaf_value);
    trees.leaf_count = leaf_count;
    return trees;
  }
};

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

void grow(Forest& forest, Random& random, int n_open_splits) {
  if (n_open_splits == 0) {
    forest.feature.push_back(-1);
    forest.leaf_value.push_back(static_cast<double>(below(random, 1000)));
    forest.leaf_count.push_back(1);
    return;
  }
  const auto column = below(random, static_cast<std::int64_t>(forest.n_levels.size()));
  forest.feature.push_back(static_cast<std::int32_t>(column));
  const bool is_set = forest.n_levels[at(column)] > 0;
  forest.flags.push_back(static_cast<std::uint8_t>(below(random, 2) + (is_set ? 2 : 0)));
  forest.threshold.push_back(is_set ? static_cast<double>(forest.category_words.size())
                                    : static_cast<double>(below(random, 200)) / 4.0 - 10.0);
  for (std::int32_t k = 0; is_set && k < (forest.n_levels[at(column)] + 63) / 64; ++k)
    forest.category_words.push_back(random());
  const int n_left = static_cast<int>(below(random, n_open_splits));
  grow(forest, random, n_left);
  grow(forest, random, n_open_splits - 1 - n_left);
}

Forest random_forest(Random& random, int n_trees, int n_splits, bool has_levels,
                     std::size_t n_columns = 4) {
  Forest forest;
  forest.n_levels = {0, has_levels ? 70 : 0, 0, has_levels ? 3 : 0};
  forest.is_double = {0, 0, 1, 0};
  forest.n_levels.resize(n_columns, 0);
  forest.is_double.resize(n_columns, 0);
  for (int t = 0; t < n_trees; ++t) {
    grow(forest, random, n_splits);
    forest.node_offsets.push_back(static_cast<std::int64_t>(forest.feature.size()));
  }
  return forest;
}

std::vector<float> random_rows(Random& random, std::int64_t n, std::int64_t n_columns = 4) {
  std::vector<float> rows;
  for (std::int64_t i = 0; i < n_columns * n; ++i)
    rows.push_back(below(random, 9) == 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(below(random, 80)) / 2.0F - 8.0F);
  return rows;
}

bool goes_left(const Forest& forest, std::size_t split, std::size_t column, double x) {
  const bool missing = (forest.flags[split] & 1) != 0;
  if ((forest.flags[split] & 2) == 0) return std::isnan(x) ? missing : x <= forest.threshold[split];
  if (!(x >= 0.0 && x < forest.n_levels[column] && x == std::floor(x))) return missing;
  const auto level = static_cast<std::size_t>(x);
  const auto start = static_cast<std::size_t>(forest.threshold[split]);
  return ((forest.category_words[start + level / 64] >> (level % 64)) & 1U) != 0;
}

// The value of the leaf below the node that `node`, `split` and `leaf` count; all three move past
// the node's subtree.
template <class T>
double reach(const Forest& forest, const T* row, std::size_t& node, std::size_t& split,
             std::size_t& leaf) {
  const auto column = forest.feature[node++];
  if (column < 0) return forest.leaf_value[leaf++];
  const bool is_left = goes_left(forest, split++, at(column), static_cast<double>(row[column]));
  const double left = reach(forest, row, node, split, leaf);
  const double right = reach(forest, row, node, split, leaf);
  return is_left ? left : right;
}

}  // namespace

TEST(both_forms_of_a_forest_find_the_leaves_of_a_plain_walk) {
  Random random(1);
  for (const int n_splits : {0, 1, 7, 30, 200})
    for (const bool has_levels : {false, true})
      for (const std::int64_t n : {1, 9, 130, 330}) {
        const Forest forest = random_forest(random, 20, n_splits, has_levels);
        const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
        const auto rows = random_rows(random, n);
        std::vector<double> out(at(20 * n));
        predictor.each(MatrixView<const float>(rows.data(), n, 4),
                       MatrixView<double>(out.data(), n, 20), Context{});
        for (std::int64_t i = 0; i < n; ++i) {
          std::size_t node = 0, split = 0, leaf = 0;
          for (std::int64_t t = 0; t < 20; ++t)
            CHECK(out[at(20 * i + t)] == reach(forest, rows.data() + 4 * i, node, split, leaf));
        }
      }
}

// Some of these thresholds and numbers are floats, some lie between two.
TEST(few_trees_lead_to_the_leaves_of_a_plain_walk) {
  Random random(11);
  for (const int n_trees : {1, 2})
    for (const int n_splits : {0, 1, 7, 400})
      for (const bool is_double : {false, true}) {
        Forest forest = random_forest(random, n_trees, n_splits, false);
        forest.is_double.assign(4, is_double ? 1 : 0);
        for (double& t : forest.threshold) t += static_cast<double>(below(random, 3) - 1) * 1e-12;
        const std::int64_t n = 2100;
        const auto floats = random_rows(random, n);
        std::vector<double> X(floats.begin(), floats.end());
        for (double& x : X) x += static_cast<double>(below(random, 3) - 1) * 2e-12;
        std::vector<double> seen = X;  // what is compared
        for (double& x : seen)
          if (!is_double) x = static_cast<double>(static_cast<float>(x));
        std::vector<double> columns(X.size());
        for (std::int64_t i = 0; i < 4 * n; ++i) columns[at(i % 4 * n + i / 4)] = X[at(i)];

        const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
        std::vector<double> by_rows(at(n_trees * n)), by_columns = by_rows;
        predictor.each(MatrixView<const double>(X.data(), n, 4),
                       MatrixView<double>(by_rows.data(), n, n_trees), Context{});
        predictor.each(MatrixView<const double>(columns.data(), n, 4, 1, n),
                       MatrixView<double>(by_columns.data(), n, n_trees), Context{});
        std::vector<std::uint8_t> is_asked(at(n_trees * n));
        for (auto& asked : is_asked) asked = static_cast<std::uint8_t>(below(random, 2));
        std::vector<double> of_some = by_rows;
        predictor.some_rows(MatrixView<const double>(X.data(), n, 4), 5, n,
                            {is_asked.data(), n_trees, n}, Context{},
                            [&](std::int64_t tree, auto rows, auto leaves) {
                              for (std::size_t k = 0; k < rows.size(); ++k)
                                of_some[at((rows[k] + 5) * n_trees + tree)] =
                                    predictor.leaf_values(tree, leaves[k])[0];
                            });
        for (std::int64_t i = 0; i < n; ++i) {
          std::size_t node = 0, split = 0, leaf = 0;
          for (std::int64_t t = 0; t < n_trees; ++t) {
            const double expected = reach(forest, seen.data() + 4 * i, node, split, leaf);
            CHECK(by_rows[at(n_trees * i + t)] == expected);
            CHECK(by_columns[at(n_trees * i + t)] == expected);
            CHECK(of_some[at(n_trees * i + t)] == expected);
          }
        }
      }
}

TEST(rows_in_an_order_of_their_own_keep_their_means) {
  Random random(2);
  constexpr std::int64_t kRows = 5003;  // enough to be ordered, and the last group is not full
  for (const bool has_levels : {false, true}) {
    const Forest forest = random_forest(random, 10, 1100, has_levels);
    const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
    const auto rows = random_rows(random, kRows);
    const MatrixView<const float> X(rows.data(), kRows, 4);
    std::vector<double> mean(at(kRows)), each(at(10 * kRows));
    predictor.mean(X, MatrixView<double>(mean.data(), kRows, 1), Context{});
    predictor.each(X, MatrixView<double>(each.data(), kRows, 10), Context{});
    for (std::int64_t i = 0; i < kRows; ++i) {
      double sum = 0.0;
      for (std::int64_t t = 0; t < 10; ++t) sum += each[at(10 * i + t)];
      CHECK(mean[at(i)] == sum / 10.0);
    }
  }
}

namespace {

Context threads(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

// Leaves of all rows by ranks, in the order of the trees.
void check_ranked(const Forest& forest, const std::vector<float>& rows, std::int64_t n, int n_trees,
                  bool has_form = true, const Context& ctx = {}) {
  const auto view = forest.view();
  const gramian::tree::KeySpace keys(view, Context{});
  const gramian::tree::WalkForm walk(view, keys, Context{});
  const auto ranked = gramian::tree::RankedForm::make(walk.forest(), keys, walk.n_nodes(), ctx);
  CHECK(ranked.has_value() == has_form);
  if (!ranked) return;
  const std::int64_t n_columns = view.n_features();
  auto block = ranked->block(MatrixView<const float>(rows.data(), n, n_columns), 0, n, keys);
  std::vector<std::uint32_t> leaves(at(n + 64));
  for (std::int64_t t = 0; t < n_trees; ++t) {
    ranked->find_leaves(t, block, leaves.data());
    for (std::int64_t i = 0; i < n; ++i) {
      auto node = at(forest.node_offsets[at(t)]);
      auto split = at(view.first_split(t)), leaf = at(view.first_leaf(t));
      const double value = reach(forest, rows.data() + n_columns * i, node, split, leaf);
      CHECK(forest.leaf_value[at(view.first_leaf(t) + leaves[at(i)])] == value);
    }
  }
}

}  // namespace

TEST(ranks_lead_to_the_leaves_of_a_plain_walk) {
  Random random(3);
  for (const int n_splits : {0, 1, 2, 5, 31, 40, 300})
    for (const std::int64_t n : {1, 64, 130, 330})
      for (const bool has_missing : {false, true}) {
        const Forest forest = random_forest(random, 5, n_splits, false);
        auto rows = random_rows(random, n);
        for (float& x : rows)
          if (!has_missing && std::isnan(x)) x = 0.5F;
        check_ranked(forest, rows, n, 5);
      }
  check_ranked(random_forest(random, 2, 30, true), random_rows(random, 1), 1, 2, false);
}

TEST(ranks_lead_to_the_leaves_of_sets_of_levels) {
  Random random(7);
  const bool has_form = gramian::cpu_level() == gramian::Level::v4;
  for (const int n_splits : {1, 2, 31, 40, 1000})
    for (const std::int32_t n_levels : {1, 31, 32, 33, 64})
      for (const std::size_t n_columns : {4U, 40U}) {
        Forest forest = random_forest(random, 4, 0, false, n_columns);
        forest.n_levels[0] = n_levels;
        forest.n_levels[3] = 20;
        forest.node_offsets = {0};
        forest.feature.clear();
        forest.leaf_value.clear();
        forest.leaf_count.clear();
        for (int t = 0; t < 4; ++t) {
          grow(forest, random, n_splits);
          forest.node_offsets.push_back(static_cast<std::int64_t>(forest.feature.size()));
        }
        const bool asks_levels =
            std::ranges::any_of(forest.flags, [](std::uint8_t flags) { return (flags & 2U) != 0; });
        auto rows = random_rows(random, 200, static_cast<std::int64_t>(n_columns));
        for (float& x : rows)  // more of them are levels
          if (below(random, 2) == 0) x = static_cast<float>(below(random, 66));
        check_ranked(forest, rows, 200, 4, has_form || !asks_levels);
      }
}

TEST(rows_of_any_width_have_ranks) {
  Random random(6);
  for (const std::int64_t n_columns : {31, 32, 33, 63, 64, 65, 200})
    for (const bool has_missing : {false, true}) {
      const Forest forest = random_forest(random, 3, 1000, false, at(n_columns));
      auto rows = random_rows(random, 130, n_columns);
      for (float& x : rows)
        if (!has_missing && std::isnan(x)) x = 0.5F;
      check_ranked(forest, rows, 130, 3);
    }
}

TEST(a_rank_is_the_number_of_thresholds_below) {
  using gramian::tree::kMissingKey;
  for (const std::uint32_t n : {0U, 1U, 15U, 16U, 17U, 255U, 256U, 257U, 4096U, 4097U, 65534U}) {
    std::vector<std::uint32_t> thresholds;
    for (std::uint32_t i = 0; i < n; ++i) thresholds.push_back(5U + 3U * i);
    const gramian::tree::RankTable table(thresholds);
    std::vector<std::uint32_t> keys;
    for (std::uint32_t i = 0; i < 64; ++i) keys.push_back(3U + i * (3U * n + 8U) / 63U);
    keys[20] = kMissingKey;
    std::vector<std::uint16_t> ranks(64);
    GRAMIAN_DISPATCH(write_ranks, keys.data(), table.levels(), ranks.data());
    for (std::size_t i = 0; i < 64; ++i) {
      const auto below = std::lower_bound(thresholds.begin(), thresholds.end(), keys[i]);
      const auto n_below = static_cast<std::uint16_t>(below - thresholds.begin());
      CHECK(ranks[i] == (i == 20 ? gramian::tree::kMissingRank : n_below));
    }
  }
}

TEST(columns_with_more_thresholds_than_ranks_take_turns) {
  Random random(4);
  Forest forest = random_forest(random, 7, 12000, false);
  for (std::size_t split = 0; split < forest.threshold.size(); ++split) {
    forest.threshold[split] = static_cast<double>(random() % (1U << 23)) * 0x1p-17 - 10.0;
  }
  for (std::size_t node = 0; node < forest.feature.size(); ++node)
    if (forest.feature[node] > 0 && below(random, 8) != 0) forest.feature[node] = 0;
  const auto rows = random_rows(random, 200);
  for (const int n_threads : {1, 3}) check_ranked(forest, rows, 200, 7, true, threads(n_threads));
}

TEST(rows_that_ask_often_enough_get_the_same_by_ranks) {
  Random random(5);
  constexpr std::int64_t kRows = 1001;
  const Forest forest = random_forest(random, 6, 700, false);
  const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
  const auto rows = random_rows(random, kRows);
  const MatrixView<const float> X(rows.data(), kRows, 4);
  std::vector<double> first(at(6 * kRows)), again(first.size());
  predictor.each(X, MatrixView<double>(first.data(), kRows, 6), Context{});
  for (int k = 0; k < 8; ++k) {  // the form is made on the way
    predictor.each(X, MatrixView<double>(again.data(), kRows, 6), Context{});
    CHECK(first == again);
  }
}

// Threads of the caller's share a fitted model: whoever asks often enough makes the other form,
// while others read. Under TSan this shows a race.
TEST(threads_that_share_a_predictor_get_the_same) {
  Random random(8);
  constexpr std::int64_t kRows = 1001;
  for (const int n_workers : {1, 2}) {
    const Forest forest = random_forest(random, 6, 700, n_workers == 2);
    const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
    const auto rows = random_rows(random, kRows);
    const MatrixView<const float> X(rows.data(), kRows, 4);
    std::vector<std::vector<double>> found(4, std::vector<double>(at(6 * kRows)));
    std::vector<std::thread> threads_of_caller;
    for (auto& own : found) {
      threads_of_caller.emplace_back([&] {
        for (int k = 0; k < 8; ++k)
          predictor.each(X, MatrixView<double>(own.data(), kRows, 6), threads(n_workers));
      });
    }
    for (auto& thread : threads_of_caller) thread.join();
    for (const auto& own : found) CHECK(own == found[0]);
  }
}

namespace {

// What a check on three threads has against these trees.
std::string complaint(const Forest& forest) {
  try {
    forest.view().check(threads(3));
  } catch (const gramian::InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(predictors_built_on_several_threads_are_the_same) {
  Random random(6);
  constexpr std::int64_t kRows = 300;
  for (const bool has_levels : {false, true}) {
    const Forest forest = random_forest(random, 60, 2000, has_levels);
    const auto rows = random_rows(random, kRows);
    const MatrixView<const float> X(rows.data(), kRows, 4);
    std::vector<std::vector<double>> each;
    std::vector<std::vector<std::int64_t>> nodes;
    for (const int n_threads : {1, 3}) {
      const gramian::tree::Predictor predictor(forest.view(), {}, threads(n_threads));
      each.emplace_back(at(60 * kRows));
      nodes.emplace_back(at(60 * kRows));
      predictor.each(X, MatrixView<double>(each.back().data(), kRows, 60), Context{});
      predictor.apply(X, MatrixView<std::int64_t>(nodes.back().data(), kRows, 60),
                      threads(n_threads));
    }
    CHECK(each[0] == each[1]);
    CHECK(nodes[0] == nodes[1]);
    for (std::size_t k = 0; k < nodes[0].size(); ++k) {
      const auto tree = static_cast<std::int64_t>(k) % 60;
      const auto node = at(forest.node_offsets[at(tree)] + nodes[0][k]);
      CHECK(forest.feature[node] == -1);
    }
  }
}

TEST(thresholds_beyond_floats_and_between_them) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  const double max = Float::max(), tiny = Float::denorm_min();
  std::vector<double> thresholds{0.0, -0.0, tiny,  -tiny,  tiny / 2,           -tiny / 2,
                                 max, -max, 1e300, -1e300, Double::infinity(), -Double::infinity(),
                                 0.1, -0.1, 1.0,   -1.0,   max * (1 + 1e-9),   -max * (1 + 1e-9)};
  std::vector<float> values;
  for (const double t : thresholds) {
    const auto nearest = static_cast<float>(std::clamp(t, -2.0 * max, 2.0 * max));
    for (const float x : {nearest, std::nextafter(nearest, -Float::infinity()),
                          std::nextafter(nearest, Float::infinity())})
      values.push_back(x);
  }
  Forest forest;
  forest.n_levels = {0};
  forest.is_double = {0};
  for (const double t : thresholds) {
    forest.feature.insert(forest.feature.end(), {0, -1, -1});
    forest.threshold.push_back(t);
    forest.flags.push_back(0);
    forest.leaf_value.insert(forest.leaf_value.end(), {1.0, 0.0});
    forest.leaf_count.insert(forest.leaf_count.end(), {1, 1});
    forest.node_offsets.push_back(static_cast<std::int64_t>(forest.feature.size()));
  }
  const auto n = static_cast<std::int64_t>(values.size());
  const auto n_trees = static_cast<std::int64_t>(thresholds.size());
  const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
  std::vector<double> out(at(n * n_trees));
  predictor.each(MatrixView<const float>(values.data(), n, 1),
                 MatrixView<double>(out.data(), n, n_trees), Context{});
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto x = static_cast<double>(values[k / thresholds.size()]);
    CHECK((out[k] == 1.0) == (x <= thresholds[k % thresholds.size()]));
  }
}

TEST(the_first_damaged_tree_is_named_on_any_number_of_threads) {
  Random random(7);
  const Forest whole = random_forest(random, 60, 2000, false);
  CHECK(complaint(whole).empty());
  Forest forest = whole;
  forest.threshold[at(2000 * 50)] = std::numeric_limits<double>::quiet_NaN();
  CHECK(complaint(forest).ends_with("threshold has a NaN"));
  forest.flags[at(2000 * 30 + 17)] = 64;
  CHECK(complaint(forest).ends_with("flags has unknown bits"));
  forest.flags[at(2000 * 20)] = 2;
  CHECK(complaint(forest).ends_with("a categorical split is on a column without levels"));
  forest.leaf_count[at(2001 * 10)] = -1;
  CHECK(complaint(forest).ends_with("leaf_count has a negative entry"));
  forest.feature[at(forest.node_offsets[41]) - 1] = 4;
  CHECK(complaint(forest).ends_with("feature is out of range"));
  forest.feature[at(forest.node_offsets[8]) - 1] = 0;
  CHECK(complaint(forest).ends_with("a tree ends before its last leaf"));
  forest.feature[at(forest.node_offsets[5])] = -1;
  CHECK(complaint(forest).ends_with("a tree has nodes behind its last leaf"));
}

TEST(damaged_trees_are_refused_or_harmless) {
  Random random(2);
  int n_accepted = 0;
  const auto damage = [&](auto& array) {
    if (array.empty()) return;
    auto* bytes = reinterpret_cast<std::uint8_t*>(array.data());
    const auto size = static_cast<std::int64_t>(array.size() * sizeof(array[0]));
    bytes[below(random, size)] = static_cast<std::uint8_t>(random());
    if (below(random, 8) == 0) array.pop_back();
  };
  for (int trial = 0; trial < 3000; ++trial) {
    Forest forest = random_forest(random, 3, 6, trial % 2 == 0);
    switch (below(random, 7)) {
      case 0:
        damage(forest.node_offsets);
        break;
      case 1:
        damage(forest.feature);
        break;
      case 2:
        damage(forest.threshold);
        break;
      case 3:
        damage(forest.flags);
        break;
      case 4:
        damage(forest.category_words);
        break;
      case 5:
        damage(forest.is_double);
        break;
      default:
        damage(forest.n_levels);
    }
    const std::int64_t n = 10, n_features = static_cast<std::int64_t>(forest.n_levels.size());
    const auto rows = random_rows(random, n);
    std::vector<std::int64_t> leaves(at(3 * n)), indptr(at(n) + 1);
    try {
      const gramian::tree::Predictor predictor(forest.view(), {}, Context{});
      const MatrixView<const float> X(rows.data(), n, n_features, 4, 1);
      predictor.apply(X, MatrixView<std::int64_t>(leaves.data(), n, 3), Context{});
      gramian::tree::path_offsets(forest.view(),
                                  MatrixView<const std::int64_t>(leaves.data(), n, 3), indptr);
      std::vector<double> decreases(at(3 * n_features));
      gramian::tree::impurity_decreases(forest.view(), gramian::tree::Impurity::squared_error,
                                        MatrixView<double>(decreases.data(), 3, n_features),
                                        Context{});
      ++n_accepted;
    } catch (const gramian::InvalidArgument&) {
    }
  }
  CHECK(n_accepted > 500 && n_accepted < 2900);
}
