// Forests of several classes by vectors of counts: the kernels do what plain loops do, and the
// trees are those of the search that moves one row after the other.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/criterion/criterion_counts.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/grow_with.hpp"
#include "tree/search/class_lanes.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;
using Criterion = tree::TermCriterion<tree::GiniTerms, true>;

// A table of numbers of many, some and two values, a constant, and labels that hang on them.
struct Table {
  std::int64_t n, p = 0;
  std::vector<float> X;
  std::vector<std::int32_t> labels, n_classes;
  tree::Target target;

  Table(std::int64_t n_rows, std::int32_t k, std::int64_t n_bits, Random& random)
      : n(n_rows), n_classes{k} {
    const std::vector<std::uint64_t> n_values{60'000, 900, 40, 7, 1};
    p = static_cast<std::int64_t>(n_values.size()) + n_bits;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::size_t first = X.size();
      for (const std::uint64_t values : n_values)
        X.push_back(static_cast<float>(random() % values));
      for (std::int64_t b = 0; b < n_bits; ++b)
        X.push_back(random() % static_cast<std::uint64_t>(2 + 3 * b) == 0 ? 1.0f : 0.0f);
      const float bit = n_bits > 0 ? X[first + n_values.size()] : 0.0f;
      const float signal = X[first + 1] / 300.0f + X[first + 3] + 2.0f * bit;
      const auto label =
          static_cast<std::int32_t>(signal) + static_cast<std::int32_t>(random() % 3);
      labels.push_back(label % k);
    }
    target.labels = labels;
    target.n_classes = n_classes;
    target.n_rows = n;
  }
};

tree::Sample drawn_sample(const Table& table, std::uint64_t most_weight, Random& random) {
  tree::Sample sample;
  for (std::uint32_t row = 0; row < table.n; ++row) {
    const std::uint64_t weight = random() % (most_weight + 1);
    sample.own_weight.push_back(static_cast<double>(weight));
    if (weight == 0) continue;
    sample.rows.push_back(row);
    sample.total_weight += static_cast<double>(weight);
  }
  sample.weight = sample.own_weight;
  return sample;
}

struct Grown {
  tree::GrownTrees tree;
  std::vector<std::uint32_t> rows;
};

template <class Search>
Grown grown_by(const tree::Columns& columns, const Table& table, const tree::Sample& sample,
               const tree::Options& options) {
  Grown grown;
  Context ctx;
  tree::Sample own = sample;
  own.weight = own.own_weight;
  tree::TreeTask task{columns, table.target, options, std::move(own), 7, ctx, &grown.rows};
  task.sample.weight = task.sample.own_weight;
  tree::grow_by<Search>(task, Criterion(table.n_classes[0], tree::GiniTerms{}), grown.tree);
  return grown;
}

void check_trees(const Table& table, std::uint64_t most_weight, Random& random) {
  Context ctx;
  const tree::Columns columns(MatrixView<const float>(table.X.data(), table.n, table.p), {},
                              tree::Columns::Form::coded, ctx);
  const tree::Sample sample = drawn_sample(table, most_weight, random);
  for (const std::int64_t max_leaf_nodes : {0, 40})
    for (const std::int64_t min_samples_leaf : {1, 3})
      for (const std::int64_t max_features : {2, 5}) {
        tree::Options options;
        options.limits.max_features = max_features;
        options.limits.max_leaf_nodes = max_leaf_nodes;
        options.limits.min_samples_leaf = min_samples_leaf;
        using Lanes = tree::ClassLaneSearch<Criterion>;
        CHECK(Lanes::serves(columns, table.target, sample, options));
        const Grown lanes = grown_by<Lanes>(columns, table, sample, options);
        const Grown moved =
            grown_by<tree::NodeSortedSearch<Criterion>>(columns, table, sample, options);
        CHECK(lanes.tree.feature.size() > 20);
        CHECK(lanes.tree.feature == moved.tree.feature);
        CHECK(lanes.tree.threshold == moved.tree.threshold);
        CHECK(lanes.tree.flags == moved.tree.flags);
        CHECK(lanes.tree.leaf_value == moved.tree.leaf_value);
        CHECK(lanes.tree.leaf_count == moved.tree.leaf_count);
        CHECK(lanes.rows == moved.rows);
      }
}

// Random rows, their weights between 1 and `most_weight`.
std::vector<std::uint32_t> words_of(std::int64_t n, std::uint32_t most_weight, Random& random) {
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto label = static_cast<std::uint32_t>(random() % 7);
    words.push_back(
        tree::class_word(i, label, 1 + static_cast<std::uint32_t>(random() % most_weight)));
  }
  return words;
}

}  // namespace

TEST(lanes_are_sums_of_weights_by_class) {
  Random random(1);
  for (const std::int64_t n : {1, 7, 8, 9, 63, 64, 65, 200, 2047, 2048, 2049, 5000}) {
    const auto words = words_of(n, tree::kWordWeight, random);
    std::vector<std::uint64_t> bits;
    for (std::int64_t i = 0; i < n; ++i) bits.push_back(random());
    std::uint32_t all[tree::kLanes] = {}, some[tree::kLanes] = {};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint32_t weight = words[i] >> tree::kWordRowBits & tree::kWordWeight;
      const std::uint32_t is_unset = (bits[i] >> 41 & 1) == 0;
      all[0] += 1;
      some[0] += is_unset;
      all[words[i] >> 29] += weight;
      some[words[i] >> 29] += is_unset * weight;
    }
    std::uint32_t found[tree::kLanes];
    GRAMIAN_DISPATCH(sum_lanes, words.data(), n, found);
    CHECK(std::equal(all, all + tree::kLanes, found));
    GRAMIAN_DISPATCH(sum_lanes_without, bits.data(), 41, words.data(), n, found);
    CHECK(std::equal(some, some + tree::kLanes, found));
  }
}

TEST(cells_of_any_width_have_the_same_best_cut) {
  Random random(2);
  for (const std::int64_t n : {2, 3, 8, 9, 20, 31, 32, 33, 60, 64, 65, 90, 97, 127}) {
    const auto words = words_of(n, 1, random);
    std::vector<std::uint16_t> codes;
    for (std::int64_t i = 0; i < n; ++i)
      codes.push_back(static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(2 * n)));
    for (const std::int64_t min_samples_leaf : {1, 4}) {
      tree::LaneNode node{{}, static_cast<std::uint32_t>(n), n, min_samples_leaf};
      std::vector<std::uint16_t> pairs(static_cast<std::size_t>(tree::kLanes * (2 * n + 8)), 0);
      GRAMIAN_DISPATCH(sum_lanes, words.data(), n, node.lanes);
      for (std::size_t i = 0; i < words.size(); ++i) {
        pairs[tree::kLanes * codes[i]] += 1;
        pairs[tree::kLanes * codes[i] + (words[i] >> 29)] += 1;
      }
      const std::vector<std::uint32_t> wide(pairs.begin(), pairs.end());
      std::vector<std::uint16_t> own = codes, cell_codes(codes.size());
      own.resize(codes.size() + 32);
      std::vector<std::uint64_t> bytes(codes.size() + tree::kSpareCells);
      GRAMIAN_DISPATCH(rank_cells, own.data(), words.data(), n, bytes.data(), cell_codes.data());
      const auto by_wide = GRAMIAN_DISPATCH(best_cell_cut, wide.data(), 2 * n, node, 0.0);
      const auto by_pairs = GRAMIAN_DISPATCH(best_cell_cut, pairs.data(), 2 * n, node, 0.0);
      const auto by_bytes = GRAMIAN_DISPATCH(best_cell_cut, bytes.data(), n, node, 0.0);
      CHECK(by_wide.score == by_pairs.score && by_wide.score == by_bytes.score);
      CHECK(by_wide.last == by_pairs.last);
      CHECK(by_wide.is_left_heavier == by_pairs.is_left_heavier);
      CHECK((by_wide.last < 0) == (by_bytes.last < 0));
      if (by_wide.last < 0) continue;
      CHECK(by_wide.last == cell_codes[static_cast<std::size_t>(by_bytes.last)]);
      CHECK(by_wide.is_left_heavier == by_bytes.is_left_heavier);
    }
  }
}

TEST(trees_of_lanes_are_those_of_rows_moved_one_by_one) {
  Random random(3);
  for (const std::int32_t n_classes : {3, 7}) {
    check_trees(Table(3'000, n_classes, 9, random), 3, random);
    check_trees(Table(700, n_classes, 0, random), 1, random);
    check_trees(Table(900, n_classes, 70, random), tree::kWordWeight, random);
  }
  check_trees(Table(40'000, 5, 3, random), 3, random);  // sums beyond pairs of bytes
}
