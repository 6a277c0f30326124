// Ranks of thresholds in double: those of a plain search, however close the thresholds are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/predict/double_ranks.hpp"
#include "tree/predict/keys_kernel.hpp"

using gramian::Context;
namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Thresholds that a float cannot tell apart, many of them the same, and some beyond all floats.
double threshold(int kind, Random& random) {
  const auto number = static_cast<double>(random() % 1000);
  switch (kind) {
    case 0:
      return std::normal_distribution<double>()(random);
    case 1:
      return 1.0 + number * 1e-12;
    case 2:
      return std::round(number / 200.0) - 2.0;
    default:
      return random() % 50 == 0 ? std::copysign(kInfinity, number - 500.0)
                                : std::ldexp(number - 500.0, 1000);
  }
}

std::uint32_t n_below(const std::vector<double>& sorted, double x) {
  return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), x) -
                                    sorted.begin());
}

template <class T>
void check_keys(const tree::DoubleTable& table, const std::vector<double>& sorted,
                const std::vector<double>& asked) {
  std::vector<T> x;
  for (const double value : asked) {
    x.push_back(static_cast<T>(value));
    x.push_back(std::numeric_limits<T>::quiet_NaN());
  }
  std::vector<std::uint32_t> keys(3 * x.size());
  const tree::RankedColumn<T> column{x.data(), static_cast<std::int64_t>(x.size()), 1, keys.data(),
                                     3};
  CHECK(GRAMIAN_DISPATCH(write_double_ranks, column, table.levels()) == !x.empty());
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(keys[3 * i] ==
          (std::isnan(x[i]) ? tree::kMissingKey : n_below(sorted, static_cast<double>(x[i])) + 1U));
}

}  // namespace

TEST(ranks_of_doubles_are_those_of_a_plain_search) {
  Random random(1);
  for (const std::int64_t n_splits : {1, 5, 60, 2000}) {
    constexpr std::int64_t kTrees = 3;
    constexpr std::int32_t kColumns = 6;
    // All splits of a tree one below the other, then the leaves. The last two columns are not
    // ranked, one of them has no split.
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> feature;
    std::vector<double> thresholds;
    std::vector<std::vector<double>> of_column(kColumns);
    for (std::int64_t t = 0; t < kTrees; ++t) {
      for (std::int64_t k = 0; k < n_splits; ++k) {
        const auto column = static_cast<std::int32_t>(random() % (kColumns - 1));
        feature.push_back(column);
        thresholds.push_back(threshold(column, random));
        of_column[static_cast<std::size_t>(column)].push_back(thresholds.back());
      }
      feature.insert(feature.end(), static_cast<std::size_t>(n_splits) + 1, tree::kLeaf);
      offsets.push_back(static_cast<std::int64_t>(feature.size()));
    }
    const std::vector<std::int32_t> n_levels(kColumns, 0);
    tree::TreesView trees;
    trees.node_offsets = offsets;
    trees.feature = feature;
    trees.threshold = thresholds;
    trees.n_levels = n_levels;
    const std::vector<std::uint8_t> is_ranked{1, 1, 1, 1, 0, 0};
    tree::DoubleRanks ranks(trees, is_ranked, Context{});
    for (auto& column : of_column) {
      std::sort(column.begin(), column.end());
      column.erase(std::unique(column.begin(), column.end()), column.end());
    }
    std::size_t split = 0;
    for (const std::int32_t column : feature) {
      if (column == tree::kLeaf) continue;
      const auto& sorted = of_column[static_cast<std::size_t>(column)];
      if (is_ranked[static_cast<std::size_t>(column)] != 0)
        CHECK(ranks.rank(static_cast<std::int64_t>(split)) == n_below(sorted, thresholds[split]));
      ++split;
    }
    for (std::int32_t column = 0; column < 4; ++column) {
      const auto& sorted = of_column[static_cast<std::size_t>(column)];
      const auto table = ranks.take_table(column);
      std::vector<double> asked = sorted;
      for (int i = 0; i < 50; ++i) asked.push_back(threshold(column, random));
      asked.insert(asked.end(), {kInfinity, -kInfinity, 0.0, -0.0});
      check_keys<double>(table, sorted, asked);
      check_keys<float>(table, sorted, asked);
    }
  }
}
