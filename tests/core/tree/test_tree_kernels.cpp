// The kernels that grow trees do what plain loops do, on every instruction set level.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/criterion/criterion_binary.hpp"
#include "tree/criterion/criterion_moments.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/search/column_cuts_kernel.hpp"
#include "tree/search/packed.hpp"
#include "tree/search/row_cuts.hpp"

namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;

template <class T>
struct Rows {
  std::vector<T> values;
  std::vector<std::uint32_t> rows;
  std::vector<double> weights, addends;
  tree::RowTable<T> table;

  Rows(std::int64_t n, std::int64_t p, Random& random) {
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < n * p; ++i)
      values.push_back(static_cast<T>(std::round(4.0 * normal(random)) / 4.0));
    for (std::uint32_t i = 0; i < n; ++i) {
      if (random() % 3 == 0 && i + 1 < n) continue;
      rows.push_back(i);
      weights.push_back(static_cast<double>(1 + random() % 5));
      addends.push_back(weights.back() * std::round(64.0 * normal(random)) / 64.0);
    }
    table = {values.data(), p, n, p};
  }
  tree::NodeRows node(bool has_weights) const {
    return {rows.data(), static_cast<std::int64_t>(rows.size()),
            has_weights ? weights.data() : nullptr, addends.data()};
  }
  T value(std::size_t i, std::int64_t feature) const {
    return values[static_cast<std::size_t>(rows[i] * table.n_features + feature)];
  }
};

// Every column's range and cut: all columns at a time, one at a time, and by a plain loop.
template <class T>
void check_cuts(const Rows<T>& data, bool has_weights) {
  const auto node = data.node(has_weights);
  tree::RowCuts<T> cuts(data.table);
  cuts.enter(node);
  const auto place_of = [](std::int64_t f) { return static_cast<double>(f % 11) / 11.0; };
  const auto cut_of = [&](std::int64_t f) {
    return tree::drawn_threshold(cuts.lowest(f), cuts.highest(f), place_of(f));
  };
  for (std::int64_t f = 0; f < data.table.n_features; ++f) cuts.set_place(f, place_of(f));
  cuts.add_left();
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  tree::MomentNode sums{node.n, 0.0, 0.0, 2};
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    sums.weight += has_weights ? data.weights[i] : 1.0;
    sums.sum += data.addends[i];
  }
  const double best = cuts.score(sums);
  double highest_score = kNone;
  for (std::int64_t f = 0; f < data.table.n_features; ++f) {
    std::vector<T> column;
    tree::LeftSum left;
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      column.push_back(data.value(i, f));
      if (static_cast<double>(column.back()) > cut_of(f)) continue;
      left.count += 1;
      left.weight += has_weights ? data.weights[i] : 1.0;
      left.sum += data.addends[i];
    }
    const auto [lowest, highest] = std::minmax_element(column.begin(), column.end());
    CHECK(cuts.lowest(f) == *lowest && cuts.highest(f) == *highest);
    CHECK(cuts.threshold(f) == cut_of(f));
    CHECK(cuts.count(f) == left.count && cuts.weight(f) == left.weight);
    CHECK(cuts.sum(f) == left.sum);
    double score = kNone;
    if (std::min(left.count, node.n - left.count) >= sums.min_samples_leaf)
      tree::SquaredError::improves(left.sum, left.weight, sums.sum - left.sum,
                                   sums.weight - left.weight, kNone, score);
    CHECK(cuts.score(f) == score);
    highest_score = std::max(highest_score, score);
    const auto range = GRAMIAN_DISPATCH(column_range, column.data(), node.n);
    CHECK(range.lowest == *lowest && range.highest == *highest);
    const T threshold = tree::not_above(cut_of(f), T{});
    const auto alone = GRAMIAN_DISPATCH(column_sum, column.data(), node, threshold);
    CHECK(alone.count == left.count && alone.weight == left.weight && alone.sum == left.sum);
  }
  CHECK(best == highest_score);
}

// The best cut of sorted keys by the criterion itself.
tree::Cut plain_cut(const std::vector<std::uint32_t>& keys, std::int64_t min_samples_leaf) {
  std::vector<tree::WeightedBit> items;
  for (const std::uint32_t key : keys)
    items.emplace_back((key & 1) != 0, static_cast<double>(key >> 1 & 0x7f));
  tree::BinaryCriterion<tree::GiniTerms, true> criterion{tree::GiniTerms{}};
  const auto handle_at = [](std::int64_t i) { return static_cast<std::uint32_t>(i); };
  const auto n = static_cast<std::int64_t>(keys.size());
  criterion.enter(items.data(), n, handle_at);
  tree::CutRules rules;
  rules.min_samples_leaf = min_samples_leaf;
  const auto is_cut = [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    return keys[k] >> tree::kPackedBits != keys[k - 1] >> tree::kPackedBits;
  };
  return tree::best_cut(criterion, n, handle_at, is_cut, 1, n - 1, rules);
}

}  // namespace

TEST(cuts_of_rows_and_columns_are_those_of_plain_loops) {
  Random random(1);
  for (const std::int64_t n : {1, 2, 3, 7, 16, 17, 40, 300}) {
    for (const std::int64_t p : {1, 3, 8, 15, 16, 17, 20, 33, 64}) {
      for (const bool has_weights : {false, true}) {
        check_cuts(Rows<float>(n, p, random), has_weights);
        check_cuts(Rows<double>(n, p, random), has_weights);
      }
    }
  }
}

TEST(a_rounded_threshold_parts_floats_as_the_threshold_does) {
  for (const double threshold : {0.1, -0.1, 0.3, 1e-50, -1e-50, 0.0, 1.0, 16777217.0}) {
    const float rounded = tree::not_above(threshold, 0.0f);
    const float next = std::nextafter(rounded, std::numeric_limits<float>::infinity());
    CHECK(static_cast<double>(rounded) <= threshold);
    CHECK(static_cast<double>(next) > threshold);
  }
}

TEST(packed_keys_are_cut_as_their_rows) {
  Random random(2);
  tree::KeySorter<std::uint32_t> sort;
  for (const std::size_t n : {2, 3, 15, 16, 17, 18, 33, 100, 160, 161, 1000}) {
    for (const std::uint32_t n_codes : {2u, 5u, 1000u, 65536u}) {
      std::vector<std::uint32_t> keys;
      for (std::size_t i = 0; i < n; ++i)
        keys.push_back(static_cast<std::uint32_t>(random() % n_codes << tree::kPackedBits |
                                                  (1 + random() % 4) << 1 | random() % 2));
      keys[0] ^= 1u << tree::kPackedBits;  // not all codes are the same
      keys[1] = keys[0] ^ 1u << tree::kPackedBits;
      auto sorted = keys;
      CHECK(sort(
          sorted, tree::kPackedBits, tree::kPackedBits + 16, [&](std::size_t i) { return keys[i]; },
          tree::kSortFewPacked));
      const auto code = [](std::uint32_t key) { return key >> tree::kPackedBits; };
      CHECK(std::is_sorted(sorted.begin(), sorted.end(),
                           [&](auto a, auto b) { return code(a) < code(b); }));
      std::sort(keys.begin(), keys.end());
      auto again = sorted;
      std::sort(again.begin(), again.end());
      CHECK(keys == again);
      tree::PackedTotal node{0.0, 0.0};
      for (const std::uint32_t key : keys) {
        node.weight += key >> 1 & 0x7f;
        node.second += (key & 1) != 0 ? key >> 1 & 0x7f : 0;
      }
      for (const std::int64_t min_samples_leaf : {1, 2, 5}) {
        const tree::Cut plain = plain_cut(sorted, min_samples_leaf);
        tree::Split best;
        tree::scan_packed(sorted, node, 3, min_samples_leaf, best);
        CHECK(best.is_found() == (plain.n_left > 0));
        if (!best.is_found()) continue;
        CHECK(best.score == plain.score && best.n_left == plain.n_left);
        CHECK(best.missing_left == plain.is_left_heavier);
      }
    }
  }
}
