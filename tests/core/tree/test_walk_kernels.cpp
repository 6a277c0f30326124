// Keys keep the order of the numbers, and every form of the walk ends in the leaf of a plain one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"
#include "tree/predict/keys_kernel.hpp"
#include "tree/predict/walk_kernel.hpp"
#include "tree/random_splits.hpp"

namespace tree = gramian::tree;
using test::at;
using test::below;
using test::Layout;
using test::Random;
using tree::SlotKind;

namespace {

constexpr std::int64_t kSlots = 6;  // and one that is idle
constexpr std::int64_t kManyLevels = 150;
const std::vector<SlotKind> kKinds{SlotKind::numbers, SlotKind::few_levels, SlotKind::many_levels,
                                   SlotKind::numbers, SlotKind::few_levels, SlotKind::numbers,
                                   SlotKind::numbers};

template <class T>
void check_keys(std::int64_t n, std::int64_t p, Layout layout, bool has_missing) {
  auto values = test::normal_values(n * p, 1);
  if (has_missing && n * p > 0) values[at(n * p / 2)] = NAN;
  const test::Matrix<T> x(gramian::MatrixView<const double>(values.data(), n, p), layout);
  for (const bool by_column : {false, true})
    for (const auto level : test::levels()) {
      std::vector<std::uint32_t> keys(at(n * p));
      const auto view = x.view();
      const tree::KeyBlock<T> block{
          view.data,        n, p, view.row_stride, view.col_stride, keys.data(), by_column ? 1 : p,
          by_column ? n : 1};
      CHECK(AT_LEVEL(level, write_keys, block) == (has_missing && n * p > 0));
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < p; ++j)
          CHECK(keys[at(by_column ? j * n + i : i * p + j)] ==
                tree::key_of(static_cast<float>(view(i, j))));
    }
}

// Random trees in the form of the kernels, and what their splits ask.
struct Forest {
  std::vector<test::Splits> trees;
  std::vector<std::uint32_t> threshold;  // of each slot of the arrays below
  std::vector<tree::PackedNode> packed;
  std::vector<tree::WideNode> wide;
  std::vector<std::uint8_t> missing_left;
  std::vector<std::int64_t> first_slot;
  std::vector<std::uint64_t> words;
  bool has_levels;

  Forest(std::int64_t n_trees, bool levels, Random& random) : has_levels(levels) {
    for (std::int64_t t = 0; t < n_trees; ++t) add(test::Splits(t % 30, kSlots, random), random);
  }
  SlotKind kind(std::int64_t slot) const {
    return has_levels ? kKinds[at(slot)] : SlotKind::numbers;
  }
  tree::WalkForest view(bool is_packed) const {
    return {is_packed ? packed.data() : nullptr,
            is_packed ? nullptr : wide.data(),
            missing_left.data(),
            first_slot.data(),
            has_levels ? kKinds.data() : nullptr,
            words.data(),
            static_cast<std::int64_t>(trees.size())};
  }
  bool goes_right(std::int64_t t, std::int64_t split, const std::uint32_t* keys) const {
    const auto& asked = trees[at(t)].splits[at(split)];
    const std::uint32_t key = keys[asked.slot], bound = threshold_of(t, split);
    if (kind(asked.slot) == SlotKind::numbers)
      return key == tree::kMissingKey ? !asked.is_missing_left : key > bound;
    if (key == tree::kNoLevel) return !asked.is_missing_left;
    const std::uint32_t c = key - 1;
    if (kind(asked.slot) == SlotKind::few_levels) return (bound >> c & 1U) == 0;
    return (words[bound + c / 64] >> c % 64 & 1U) == 0;
  }

 private:
  // Where a split stands: the root in slot 0, the children of split s in 2 s + 2 and 2 s + 3.
  static std::int64_t slot_of(const test::Splits& splits, std::int64_t split) {
    for (std::size_t s = 0; s < splits.splits.size(); ++s) {
      if (splits.splits[s].left == split) return static_cast<std::int64_t>(2 * s + 2);
      if (splits.splits[s].right == split) return static_cast<std::int64_t>(2 * s + 3);
    }
    return 0;
  }
  std::uint32_t threshold_of(std::int64_t t, std::int64_t split) const {
    return threshold[at(first_slot[at(t)] + slot_of(trees[at(t)], split))];
  }
  void put(std::int64_t slot, std::uint32_t key, std::int64_t key_slot, std::int64_t child,
           bool is_missing_left) {
    threshold[at(slot)] = key;
    packed[at(slot)] = {key, static_cast<std::uint32_t>(child << 8 | key_slot)};
    wide[at(slot)] = {key, static_cast<std::uint32_t>(key_slot), static_cast<std::uint32_t>(child)};
    missing_left[at(slot)] = is_missing_left ? 1 : 0;
  }
  void put_leaf(std::int64_t first, std::int64_t slot, std::int64_t number) {
    put(first + slot, tree::kIdleKey | static_cast<std::uint32_t>(number), kSlots, slot, false);
  }
  void add(test::Splits splits, Random& random) {
    const auto first = static_cast<std::int64_t>(threshold.size());
    const std::size_t size = threshold.size() + 2 * splits.splits.size() + 2;
    threshold.resize(size);
    packed.resize(size);
    wide.resize(size);
    missing_left.resize(size);
    first_slot.push_back(first);
    if (splits.splits.empty()) put_leaf(first, 0, 0);
    for (std::size_t s = 0; s < splits.splits.size(); ++s) {
      const auto& split = splits.splits[s];
      const auto place = static_cast<std::int64_t>(s);
      put(first + slot_of(splits, place), drawn_threshold(split.slot, random), split.slot,
          2 * place + 2, split.is_missing_left);
      if (split.left < 0) put_leaf(first, 2 * place + 2, ~split.left);
      if (split.right < 0) put_leaf(first, 2 * place + 3, ~split.right);
    }
    trees.push_back(std::move(splits));
  }
  std::uint32_t drawn_threshold(std::int64_t slot, Random& random) {
    if (kind(slot) == SlotKind::numbers)
      return tree::key_of(static_cast<float>(below(random, 9) - 4));
    if (kind(slot) == SlotKind::few_levels) return static_cast<std::uint32_t>(random());
    const auto place = static_cast<std::uint32_t>(words.size());
    for (std::int64_t w = 0; w < (kManyLevels + 63) / 64; ++w) words.push_back(random());
    return place;
  }
};

std::uint32_t level_key(SlotKind kind, Random& random) {
  const std::int64_t n = kind == SlotKind::few_levels ? tree::kFewLevels : kManyLevels;
  return static_cast<std::uint32_t>(1 + below(random, n));
}

std::vector<std::uint32_t> drawn_keys(const Forest& forest, std::int64_t n_rows, bool has_missing,
                                      Random& random) {
  std::vector<std::uint32_t> keys;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
      const bool is_missing = has_missing && random() % 5 == 0;
      if (forest.kind(slot) == SlotKind::numbers)
        keys.push_back(is_missing ? tree::kMissingKey
                                  : tree::key_of(static_cast<float>(below(random, 11) - 5)));
      else
        keys.push_back(is_missing ? tree::kNoLevel : level_key(forest.kind(slot), random));
    }
    keys.push_back(tree::kIdleKey);
  }
  return keys;
}

void check_walks(const Forest& forest, bool is_packed, bool has_missing, Random& random) {
  constexpr std::int64_t n = 5 * tree::kLanes, n_slots = kSlots + 1;
  const auto keys = drawn_keys(forest, n, has_missing, random);
  std::vector<std::uint32_t> grouped(keys.size());
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t slot = 0; slot < n_slots; ++slot)
      grouped[at((i / tree::kLanes * n_slots + slot) * tree::kLanes + i % tree::kLanes)] =
          keys[at(i * n_slots + slot)];
  const auto view = forest.view(is_packed);
  std::vector<std::uint32_t> expected;  // by tree and row
  for (std::int64_t t = 0; t < view.n_trees; ++t)
    for (std::int64_t i = 0; i < n; ++i)
      expected.push_back(
          static_cast<std::uint32_t>(forest.trees[at(t)].leaf_of([&](std::int64_t split) {
            return forest.goes_right(t, split, &keys[at(i * n_slots)]);
          })));
  std::vector<std::uint32_t> some;
  for (std::uint32_t i = 1; i < n; i += 2) some.push_back(i);
  some.pop_back();  // no whole number of lanes
  for (const auto level : test::levels()) {
    for (std::int64_t t = 0; t < view.n_trees; ++t) {
      std::vector<std::uint32_t> leaves(n), of_some(some.size());
      AT_LEVEL(level, walk_rows, view, t, grouped.data(), n_slots, n / tree::kLanes, has_missing,
               leaves.data());
      CHECK(std::equal(leaves.begin(), leaves.end(), expected.begin() + t * n));
      AT_LEVEL(level, walk_some_rows, view, t, tree::SomeRows{keys.data(), n_slots, some},
               has_missing, of_some.data());
      for (std::size_t k = 0; k < some.size(); ++k)
        CHECK(of_some[k] == expected[at(t * n + some[k])]);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> leaves(at(view.n_trees));
      AT_LEVEL(level, walk_trees, view, &keys[at(i * n_slots)], has_missing, leaves.data());
      for (std::int64_t t = 0; t < view.n_trees; ++t)
        CHECK(leaves[at(t)] == expected[at(t * n + i)]);
    }
  }
}

}  // namespace

TEST(keys_have_the_order_of_the_numbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> ascending{-kInfinity, -1e30f, -1.0f, -1e-45f,
                                     0.0f,       1e-45f, 2.0f,  kInfinity};
  for (std::size_t i = 1; i < ascending.size(); ++i)
    CHECK(tree::key_of(ascending[i - 1]) < tree::key_of(ascending[i]));
  CHECK(tree::key_of(-0.0f) == tree::key_of(0.0f));
  CHECK(tree::key_of(-kInfinity) == 0x007FFFFFU && tree::key_of(kInfinity) == 0xFF800000U);
  CHECK(tree::key_of(NAN) == tree::kMissingKey);
}

TEST(blocks_of_keys_are_written_in_any_layout) {
  for (const std::int64_t n : {0, 1, 7, 33})
    for (const std::int64_t p : {1, 5, 16, 17})
      for (const Layout layout : test::kLayouts)
        for (const bool has_missing : {false, true}) {
          check_keys<float>(n, p, layout, has_missing);
          check_keys<double>(n, p, layout, has_missing);
        }
}

TEST(walks_end_in_the_leaf_of_a_plain_walk) {
  Random random(3);
  for (const std::int64_t n_trees : {1, 7, 8, 9, 35})
    for (const bool has_levels : {false, true}) {
      const Forest forest(n_trees, has_levels, random);
      for (const bool is_packed : {false, true})
        for (const bool has_missing : {false, true})
          check_walks(forest, is_packed, has_missing, random);
    }
}
