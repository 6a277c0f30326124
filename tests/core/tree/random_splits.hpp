// Random binary trees for the tests of the kernels that walk through them, and the plain walk.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/index.hpp"

namespace test {

using gramian::at;
using Random = std::mt19937_64;

inline std::int64_t below(Random& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

// A child is the number of a split, or ~ the number of a leaf.
struct Split {
  std::int64_t slot;
  std::int64_t left, right;
  bool is_missing_left;
};

// Splits in preorder, leaves from left to right.
struct Splits {
  std::vector<Split> splits;
  std::int64_t n_leaves = 0;

  Splits(std::int64_t n_splits, std::int64_t n_slots, Random& random) {
    grow(n_splits, n_slots, random);
  }

  // The leaf of a row that goes right where goes_right(number of the split) says so.
  template <class GoesRight>
  std::int64_t leaf_of(const GoesRight& goes_right) const {
    std::int64_t child = splits.empty() ? ~std::int64_t{0} : 0;
    while (child >= 0) child = goes_right(child) ? splits[at(child)].right : splits[at(child)].left;
    return ~child;
  }

  std::int64_t n_leaves_below(std::int64_t child) const {
    if (child < 0) return 1;
    return n_leaves_below(splits[at(child)].left) + n_leaves_below(splits[at(child)].right);
  }

 private:
  std::int64_t grow(std::int64_t n_splits, std::int64_t n_slots, Random& random) {
    if (n_splits == 0) return ~(n_leaves++);
    const auto number = static_cast<std::int64_t>(splits.size());
    splits.push_back({below(random, n_slots), 0, 0, random() % 2 == 0});
    // Lopsided trees too: a quarter of the splits has all others on one side.
    const std::int64_t n_left = random() % 4 == 0 ? 0 : below(random, n_splits);
    const std::int64_t left = grow(n_left, n_slots, random);
    const std::int64_t right = grow(n_splits - 1 - n_left, n_slots, random);
    splits[at(number)].left = left;
    splits[at(number)].right = right;
    return number;
  }
};

}  // namespace test
