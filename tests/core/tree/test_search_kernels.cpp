// Few keys are sorted, and the cuts of packed keys are those of a plain loop.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/random_splits.hpp"
#include "tree/search/packed_kernel.hpp"
#include "tree/search/sort_kernel.hpp"

namespace tree = gramian::tree;
using test::at;
using test::Random;

namespace {

template <class Key>
void check_sort(std::int64_t n, Random& random) {
  std::vector<Key> keys;
  for (std::int64_t i = 0; i < n; ++i)  // no two are the same
    keys.push_back(static_cast<Key>(static_cast<Key>(random() >> 8) * 64 + static_cast<Key>(i)));
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end());
  for (const auto level : test::levels()) {
    std::vector<Key> sorted(at(n));
    AT_LEVEL(level, sort_few_keys, keys.data(), n, sorted.data());
    CHECK(sorted == expected);
  }
}

std::vector<std::uint32_t> packed_keys(std::int64_t n, std::uint64_t n_codes, Random& random) {
  std::vector<std::uint32_t> keys;
  for (std::int64_t i = 0; i < n; ++i)
    keys.push_back(static_cast<std::uint32_t>(random() % n_codes << tree::kPackedBits |
                                              (1 + random() % 5) << 1 | random() % 2));
  return keys;
}

struct Sums {
  double weight = 0.0, second = 0.0;

  void add(std::uint32_t key) {
    const auto w = static_cast<double>(key >> 1 & 0x7f);
    weight += w;
    second += (key & 1) != 0 ? w : 0.0;
  }
  // The sum of squares of the two classes' weights, over their sum.
  double term() const {
    const double first = weight - second;
    return (first * first + second * second) / weight;
  }
};

// The first of the best cuts between different codes.
tree::PackedCut cut_naively(const std::vector<std::uint32_t>& keys, const Sums& node,
                            std::int64_t first, std::int64_t last, double best) {
  tree::PackedCut cut{best, 0, 0.0};
  Sums left;
  for (std::int64_t i = 1; i <= last; ++i) {
    left.add(keys[at(i - 1)]);
    if (i < first || keys[at(i)] >> tree::kPackedBits == keys[at(i - 1)] >> tree::kPackedBits)
      continue;
    const Sums right{node.weight - left.weight, node.second - left.second};
    const double score = left.term() + right.term();
    if (score > cut.score + 1e-9) cut = {score, i, left.weight};
  }
  return cut;
}

}  // namespace

TEST(few_keys_are_sorted_by_counting) {
  Random random(1);
  for (std::int64_t n = 0; n <= 40; ++n) {
    check_sort<std::uint32_t>(n, random);
    check_sort<std::uint64_t>(n, random);
  }
}

TEST(few_packed_keys_are_sorted_with_their_copies) {
  Random random(2);
  for (std::int64_t n = 0; n <= 40; ++n)
    for (const std::uint64_t n_codes : {1, 3, 60'000}) {
      const auto keys = packed_keys(n, n_codes, random);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      for (const auto level : test::levels()) {
        std::vector<std::uint32_t> sorted(at(n));
        AT_LEVEL(level, sort_few_packed, keys.data(), n, sorted.data());
        CHECK(sorted == expected);
      }
    }
}

TEST(the_best_cut_of_packed_keys_is_that_of_a_plain_loop) {
  Random random(3);
  for (const std::int64_t n : {2, 3, 15, 16, 17, 18, 33, 48, 49, 200})
    for (const std::uint64_t n_codes : {2, 5, 100}) {
      auto keys = packed_keys(n, n_codes, random);
      std::sort(keys.begin(), keys.end());
      Sums node;
      for (const std::uint32_t key : keys) node.add(key);
      for (const std::int64_t least : {1, 2, 5}) {
        const std::int64_t last = n - least;
        if (last < least) continue;
        for (const double best : {node.term(), node.term() + 1.0}) {
          const auto expected = cut_naively(keys, node, least, last, best);
          for (const auto level : test::levels()) {
            const auto cut =
                AT_LEVEL(level, best_packed_cut, keys.data(),
                         tree::PackedTotal{node.weight, node.second}, least, last, best);
            CHECK(std::abs(cut.score - expected.score) < 1e-8);
            if (cut.score < best + 1e-8) continue;  // no better but for rounding
            CHECK(cut.n_left == expected.n_left && cut.left_weight == expected.left_weight);
          }
        }
      }
    }
}
