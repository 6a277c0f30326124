// Small trees on 64 rows at once: codes are counts of thresholds, leaves those of a plain walk.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/predict/keys_kernel.hpp"
#include "tree/predict/sliced_kernel.hpp"
#include "tree/random_splits.hpp"

namespace tree = gramian::tree;
using test::at;
using test::below;
using test::Random;
using tree::kSliceRows;

namespace {

constexpr std::int64_t kSlots = 5;

std::vector<std::uint8_t> drawn_codes(std::int64_t n_slices, bool has_missing, Random& random) {
  std::vector<std::uint8_t> codes;
  for (std::int64_t i = 0; i < n_slices * kSlots * kSliceRows; ++i)
    codes.push_back(has_missing && random() % 5 == 0 ? tree::kMissingCode
                                                     : static_cast<std::uint8_t>(random() % 40));
  return codes;
}

// A missing code is above every other.
bool goes_right(std::uint8_t code, std::uint8_t threshold, bool is_missing_left) {
  return code > threshold && !(code == tree::kMissingCode && is_missing_left);
}

std::uint8_t code_at(const std::vector<std::uint8_t>& codes, std::int64_t row, std::int64_t slot) {
  return codes[at((row / kSliceRows * kSlots + slot) * kSliceRows + row % kSliceRows)];
}

void check_tree(std::int64_t n_splits, std::int64_t n_slices, bool has_missing, Random& random) {
  const test::Splits tree(n_splits, kSlots, random);
  std::vector<tree::SlicedNode> nodes;
  for (const auto& split : tree.splits) {
    const auto number = [&](std::int64_t child) {
      return static_cast<std::uint16_t>(child < 0 ? n_splits : child);
    };
    nodes.push_back({static_cast<std::uint16_t>(split.slot), number(split.left),
                     number(split.right), static_cast<std::uint8_t>(random() % 40),
                     static_cast<std::uint8_t>(tree.n_leaves_below(split.left)),
                     static_cast<std::uint8_t>(split.is_missing_left)});
  }
  const auto codes = drawn_codes(n_slices, has_missing, random);
  for (const auto level : test::levels()) {
    std::vector<std::uint32_t> leaves(at(n_slices * kSliceRows));
    AT_LEVEL(level, slice_rows, nodes.data(), static_cast<int>(n_splits), codes.data(),
             kSlots * kSliceRows, n_slices, has_missing, leaves.data());
    for (std::int64_t i = 0; i < n_slices * kSliceRows; ++i)
      CHECK(leaves[at(i)] == tree.leaf_of([&](std::int64_t k) {
        const auto& node = nodes[at(k)];
        return goes_right(code_at(codes, i, node.slot), node.code, node.is_missing_left != 0);
      }));
  }
}

void check_symmetric(int n_levels, std::int64_t n_slices, bool has_missing, Random& random) {
  std::vector<tree::SlicedLevel> asked;
  for (int k = 0; k < n_levels; ++k)
    asked.push_back({static_cast<std::uint16_t>(random() % kSlots),
                     static_cast<std::uint8_t>(random() % 40),
                     static_cast<std::uint8_t>(random() % 2)});
  const auto codes = drawn_codes(n_slices, has_missing, random);
  for (const auto level : test::levels()) {
    std::vector<std::uint32_t> leaves(at(n_slices * kSliceRows));
    AT_LEVEL(level, slice_symmetric, asked.data(), n_levels, codes.data(), kSlots * kSliceRows,
             n_slices, has_missing, leaves.data());
    for (std::int64_t i = 0; i < n_slices * kSliceRows; ++i) {
      std::uint32_t expected = 0;
      for (const auto& one : asked)
        expected = 2 * expected +
                   goes_right(code_at(codes, i, one.slot), one.code, one.is_missing_left != 0);
      CHECK(leaves[at(i)] == expected);
    }
  }
}

}  // namespace

TEST(codes_count_the_thresholds_below) {
  Random random(1);
  for (int n_bits = 1; n_bits <= 8; ++n_bits)
    for (const std::size_t n_spare : {0, 1}) {
      const std::size_t size = (std::size_t{1} << n_bits) - 1;
      std::vector<std::uint32_t> thresholds;
      for (std::size_t k = 0; k + n_spare < size; ++k)
        thresholds.push_back(static_cast<std::uint32_t>(10 + 3 * k));
      thresholds.resize(size, tree::kMissingKey);
      std::vector<std::uint32_t> keys;
      for (std::int64_t i = 0; i < kSliceRows; ++i)
        keys.push_back(random() % 8 == 0 ? tree::kMissingKey
                                         : static_cast<std::uint32_t>(random() % (3 * size + 20)));
      for (const auto level : test::levels()) {
        std::vector<std::uint8_t> codes(kSliceRows);
        AT_LEVEL(level, write_codes, keys.data(), thresholds.data(), n_bits, codes.data());
        for (std::size_t i = 0; i < keys.size(); ++i) {
          const auto n_below =
              std::lower_bound(thresholds.begin(), thresholds.end(), keys[i]) - thresholds.begin();
          CHECK(codes[i] == (keys[i] == tree::kMissingKey ? tree::kMissingCode : n_below));
        }
      }
    }
}

TEST(slices_end_in_the_leaves_of_a_plain_walk) {
  Random random(2);
  for (const std::int64_t n_splits : {0, 1, 2, 7, 40, 255})
    for (const std::int64_t n_slices : {1, 3, 4, 5, 9})
      for (const bool has_missing : {false, true})
        check_tree(n_splits, n_slices, has_missing, random);
}

TEST(symmetric_trees_number_their_leaves_by_answers) {
  Random random(3);
  for (int n_levels = 0; n_levels <= 8; ++n_levels)
    for (const std::int64_t n_slices : {1, 4, 5})
      for (const bool has_missing : {false, true})
        check_symmetric(n_levels, n_slices, has_missing, random);
}
