// Random cuts of rows as words: the kernels do what plain loops do, and the trees are those of the
// search that knows weights.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/grow/grow.hpp"
#include "tree/search/bit_cuts_kernel.hpp"
#include "tree/search/label_cuts_kernel.hpp"
#include "tree/search/not_above.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;

template <class T>
void check_cut(std::int64_t n, std::int64_t step, bool is_constant, Random& random) {
  std::normal_distribution<double> normal;
  std::vector<T> table(static_cast<std::size_t>(3 * n * step), T{7});
  std::vector<std::uint32_t> words;
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t row = 3 * i + static_cast<std::int64_t>(random() % 3);
    T& value = table[static_cast<std::size_t>(row * step)];
    if (!is_constant) value = static_cast<T>(std::round(4.0 * normal(random)) / 4.0);
    const bool is_second = random() % 2 == 0;
    words.push_back(static_cast<std::uint32_t>(row) | (is_second ? tree::kSecondClass : 0U));
    values.push_back(value);
  }
  const double place = 0.4;
  const tree::CutColumn<T> column{table.data(), step};
  // As many columns at once as can be, and fewer.
  const std::vector<tree::CutColumn<T>> columns(tree::kCutColumns, column);
  for (const int n_columns : {1, 3, tree::kCutColumns}) {
    std::vector<std::vector<T>> all(tree::kCutColumns, std::vector<T>(values.size()));
    std::vector<T*> to;
    for (auto& own : all) to.push_back(own.data());
    GRAMIAN_DISPATCH(read_cut_columns, columns.data(), n_columns, words.data(), tree::kRowNumber, n,
                     to.data());
    for (int k = 0; k < n_columns; ++k) CHECK(all[static_cast<std::size_t>(k)] == values);
  }
  const tree::BitCut cut = GRAMIAN_DISPATCH(cut_words, values.data(), words.data(), n, place);
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  CHECK(cut.varies == (*lowest < *highest));
  const auto is_second = [](std::uint32_t word) { return word >= tree::kSecondClass; };
  CHECK(GRAMIAN_DISPATCH(count_second, words.data(), n) ==
        std::count_if(words.begin(), words.end(), is_second));
  if (!cut.varies) return;
  CHECK(cut.threshold == tree::drawn_threshold(*lowest, *highest, place));
  std::vector<std::uint32_t> left, right;
  for (std::size_t i = 0; i < words.size(); ++i)
    (static_cast<double>(values[i]) <= cut.threshold ? left : right).push_back(words[i]);
  CHECK(cut.n_left == static_cast<std::int64_t>(left.size()));
  CHECK(cut.n_second == std::count_if(left.begin(), left.end(), is_second));
  // Words behind those of the node stay as they are.
  std::vector<std::uint32_t> parted = words, expected = left, room(words.size() + 16);
  expected.insert(expected.end(), right.begin(), right.end());
  parted.resize(words.size() + 20, 5U);
  expected.resize(words.size() + 20, 5U);
  GRAMIAN_DISPATCH(part_words, values.data(), cut.threshold, parted.data(), n, room.data());
  CHECK(parted == expected);
}

// Sum of squared class counts.
std::uint64_t squares(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint64_t> counts(tree::kMostLabels, 0);
  for (const std::uint32_t word : words) ++counts[word >> tree::kLabelShift];
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count * count;
  return sum;
}

template <class T>
void check_label_cut(std::int64_t n, std::int64_t n_classes, Random& random) {
  std::vector<T> column(static_cast<std::size_t>(n));
  std::vector<std::uint32_t> words;
  for (std::int64_t i = 0; i < n; ++i) {
    column[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<double>(random() % 64) / 8.0);
    // Mostly the last class: its count must not overflow.
    const std::uint64_t label = random() % 8 == 0 ? random() % static_cast<std::uint64_t>(n_classes)
                                                  : static_cast<std::uint64_t>(n_classes) - 1;
    words.push_back(static_cast<std::uint32_t>(i) | static_cast<std::uint32_t>(label)
                                                        << tree::kLabelShift);
  }
  std::vector<std::uint32_t> counts(tree::kMostLabels, 0), left_room(counts);
  GRAMIAN_DISPATCH(count_labels, words.data(), n, n_classes, counts.data());
  for (std::uint32_t k = 0; k < tree::kMostLabels; ++k)
    CHECK(counts[k] == std::count_if(words.begin(), words.end(), [k](std::uint32_t word) {
            return word >> tree::kLabelShift == k;
          }));
  const tree::LabelNode node{words.data(), n, n_classes, counts.data(), left_room.data()};
  const tree::LabelCut cut = GRAMIAN_DISPATCH(cut_labels, column.data(), node, 0.4);
  CHECK(std::all_of(left_room.begin(), left_room.end(), [](auto count) { return count == 0; }));
  if (!cut.varies) return;
  std::vector<std::uint32_t> left, right;
  for (std::size_t i = 0; i < words.size(); ++i)
    (static_cast<double>(column[i]) <= cut.threshold ? left : right).push_back(words[i]);
  CHECK(cut.n_left == static_cast<std::int64_t>(left.size()));
  CHECK(cut.left_squares == squares(left));
  CHECK(cut.right_squares == squares(right));
}

}  // namespace

TEST(cuts_of_several_classes_are_those_of_plain_loops) {
  Random random(3);
  for (const std::int64_t n_classes : {3, 8, 9, 16, 17, 24, 32, 33, 256})
    for (const std::int64_t n : {2, 3, 8, 9, 40, 255, 256, 257, 2040, 2041, 9000}) {
      check_label_cut<float>(n, n_classes, random);
      check_label_cut<double>(n, n_classes, random);
    }
}

TEST(cuts_of_words_are_those_of_plain_loops) {
  Random random(1);
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, 257})
    for (const std::int64_t step : {1, 5})
      for (const bool is_constant : {false, true}) {
        check_cut<float>(n, step, is_constant, random);
        check_cut<double>(n, step, is_constant, random);
      }
}

TEST(extra_trees_of_words_are_those_of_weights_of_one) {
  constexpr std::int64_t kRows = 900, kColumns = 7;
  Random random(2);
  std::normal_distribution<double> normal;
  std::vector<double> X, signal;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i)
    X.push_back(std::round(8.0 * normal(random)) / 8.0);
  for (std::int64_t i = 0; i < kRows; ++i)
    signal.push_back(X[static_cast<std::size_t>(i * kColumns)] + normal(random));
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const std::vector<double> ones(kRows, 1.0);
  Context ctx;
  tree::Options options;
  options.random_splits = true;
  options.limits.max_features = 2;
  const tree::Columns columns(MatrixView<const double>(X.data(), kRows, kColumns), {},
                              tree::Columns::Form::values, ctx);
  for (const std::int32_t k : {2, 3, 11, 40}) {
    const std::vector<std::int32_t> n_classes{k};
    std::vector<std::int32_t> labels;
    for (const double value : signal)
      labels.push_back(std::clamp(static_cast<std::int32_t>((value + 3.0) / 6.0 * k), 0, k - 1));
    tree::Target target;
    target.labels = labels;
    target.n_classes = n_classes;
    target.n_rows = kRows;
    for (const auto criterion : {tree::CriterionKind::gini, tree::CriterionKind::entropy})
      for (const std::int64_t max_leaf_nodes : {0, 30}) {
        options.criterion = criterion;
        options.limits.max_leaf_nodes = max_leaf_nodes;
        options.limits.min_samples_leaf = 1 + max_leaf_nodes / 15;
        const auto words = tree::grow_trees(columns, target, options, {seeds, {}, 0, {}}, ctx);
        const auto weighted = tree::grow_trees(columns, target, options, {seeds, ones, 0, {}}, ctx);
        CHECK(words.feature.size() > 30);
        CHECK(words.feature == weighted.feature && words.threshold == weighted.threshold);
        CHECK(words.flags == weighted.flags);
        CHECK(words.leaf_value_single == weighted.leaf_value_single);
      }
  }
}
