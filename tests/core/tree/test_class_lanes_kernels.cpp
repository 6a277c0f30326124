// Vectors of counts by class do what plain loops do, on every instruction set level.
#include <algorithm>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/random_splits.hpp"
#include "tree/search/class_lanes_kernel.hpp"

namespace tree = gramian::tree;
using test::at;
using test::Random;
using tree::kLanes;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::int64_t kSizes[] = {1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 500, 2049};

Words drawn_words(std::int64_t n, std::uint32_t most_weight, Random& random) {
  Words words;
  for (std::uint32_t i = 0; i < n; ++i)
    words.push_back(tree::class_word(i, static_cast<std::uint32_t>(random() % 7),
                                     static_cast<std::uint32_t>(1 + random() % most_weight)));
  std::shuffle(words.begin(), words.end(), random);
  return words;
}

template <class Lanes>
void add_word(std::uint32_t word, Lanes& lanes) {
  lanes[0] += 1;
  lanes[word >> 29] += word >> tree::kWordRowBits & tree::kWordWeight;
}

void check_sums(std::int64_t n, Random& random) {
  const Words words = drawn_words(n, tree::kWordWeight, random);
  std::vector<std::uint64_t> bits;
  std::uint32_t all[kLanes] = {}, without[kLanes] = {};
  for (const std::uint32_t word : words) {
    bits.push_back(random());
    add_word(word, all);
    if ((bits.back() >> 13 & 1) == 0) add_word(word, without);
  }
  for (const auto level : test::levels()) {
    std::uint32_t found[kLanes];
    AT_LEVEL(level, sum_lanes, words.data(), n, found);
    CHECK(std::equal(all, all + kLanes, found));
    AT_LEVEL(level, sum_lanes_without, bits.data(), 13, words.data(), n, found);
    CHECK(std::equal(without, without + kLanes, found));
  }
}

template <class Code>
void check_codes(std::int64_t n, std::uint64_t n_codes, Random& random) {
  const Words words = drawn_words(n, 3, random);
  const std::int64_t step = 3;
  std::vector<Code> table;
  for (std::int64_t i = 0; i < n * step; ++i)
    table.push_back(static_cast<Code>(random() % n_codes));
  std::vector<std::uint16_t> expected;
  for (const std::uint32_t word : words)
    expected.push_back(table[at((word & tree::kWordRow) * step)]);
  const auto [lowest, highest] = std::minmax_element(expected.begin(), expected.end());
  for (const auto level : test::levels()) {
    std::vector<std::uint16_t> codes(at(n));
    CHECK(AT_LEVEL(level, read_codes, table.data(), step, words.data(), n, codes.data()) ==
          (*lowest < *highest));
    CHECK(codes == expected);
    const auto range = AT_LEVEL(level, range_of_codes, codes.data(), n);
    CHECK(range.lowest == *lowest && range.highest == *highest);
  }
}

void check_bits(std::int64_t n, Random& random) {
  const Words words = drawn_words(n, 3, random);
  const std::int64_t step = 5;
  std::vector<std::uint16_t> table;
  for (std::int64_t i = 0; i < n * step; ++i)
    table.push_back(static_cast<std::uint16_t>(random() | 0x0101U) & 0xF1FFU);
  std::vector<std::uint64_t> expected;
  tree::BitRange range{~std::uint64_t{0}, 0};
  for (const std::uint32_t word : words) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &table[at((word & tree::kWordRow) * step)], sizeof bits);
    expected.push_back(bits);
    range.all &= bits;
    range.any |= bits;
  }
  for (const auto level : test::levels()) {
    std::vector<std::uint64_t> bits(at(n));
    const auto found = AT_LEVEL(level, read_bits, table.data(), step, words.data(), n, bits.data());
    CHECK(bits == expected && found.all == range.all && found.any == range.any);
  }
}

// The first cut of the highest score: (sum of squares of the classes) / weight, of both sides.
tree::CellCut cut_naively(const std::vector<std::uint32_t>& cells, const tree::LaneNode& node,
                          double best) {
  tree::CellCut cut{best, -1, false};
  double left[kLanes] = {};
  for (std::size_t i = 0; i < cells.size() / kLanes; ++i) {
    double left_weight = 0.0, left_squares = 0.0, right_squares = 0.0;
    for (std::size_t k = 0; k < kLanes; ++k) {
      left[k] += cells[kLanes * i + k];
      if (k == 0) continue;
      const double right = node.lanes[k] - left[k];
      left_weight += left[k];
      left_squares += left[k] * left[k];
      right_squares += right * right;
    }
    const double right_weight = node.weight - left_weight;
    if (left[0] < static_cast<double>(node.min_samples_leaf) ||
        static_cast<double>(node.n) - left[0] < static_cast<double>(node.min_samples_leaf))
      continue;
    const double score =
        (left_squares * right_weight + right_squares * left_weight) / (left_weight * right_weight);
    if (!(score > cut.score)) continue;
    cut = {score, static_cast<std::int64_t>(i), left_weight > right_weight};
  }
  return cut;
}

void check_cuts(std::int64_t n, std::int64_t min_samples_leaf, Random& random) {
  const Words words = drawn_words(n, 1, random);
  std::vector<std::uint16_t> codes;
  for (std::int64_t i = 0; i < n; ++i)
    codes.push_back(static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(n + 1)));
  tree::LaneNode node{{}, static_cast<std::uint32_t>(n), n, min_samples_leaf};
  std::vector<std::uint32_t> wide(at(kLanes * (n + 1 + tree::kSpareCells)));
  for (std::size_t i = 0; i < words.size(); ++i) {
    add_word(words[i], node.lanes);
    std::uint32_t* cell = &wide[kLanes * codes[i]];
    add_word(words[i], cell);
  }
  const std::vector<std::uint16_t> pairs(wide.begin(), wide.end());
  const auto expected = cut_naively(wide, node, 0.0);
  const auto agrees = [&](const tree::CellCut& cut, std::int64_t last) {
    return cut.score == expected.score && last == expected.last &&
           cut.is_left_heavier == expected.is_left_heavier;
  };
  for (const auto level : test::levels()) {
    const auto by_wide = AT_LEVEL(level, best_cell_cut, wide.data(), n + 1, node, 0.0);
    CHECK(agrees(by_wide, by_wide.last));
    const auto by_pairs = AT_LEVEL(level, best_cell_cut, pairs.data(), n + 1, node, 0.0);
    CHECK(agrees(by_pairs, by_pairs.last));
    if (n > tree::kMostOfBytes) continue;
    auto own = codes;
    own.resize(codes.size() + 32);
    std::vector<std::uint16_t> cell_codes(codes.size());
    std::vector<std::uint64_t> bytes(codes.size() + tree::kSpareCells);
    AT_LEVEL(level, rank_cells, own.data(), words.data(), n, bytes.data(), cell_codes.data());
    const auto by_bytes = AT_LEVEL(level, best_cell_cut, bytes.data(), n, node, 0.0);
    CHECK(agrees(by_bytes, by_bytes.last < 0 ? -1 : cell_codes[at(by_bytes.last)]));
  }
}

void check_parts(std::int64_t n, Random& random) {
  const Words words = drawn_words(n, 3, random);
  std::vector<std::uint16_t> codes;
  std::vector<std::uint64_t> bits;
  for (std::int64_t i = 0; i < n; ++i) {
    codes.push_back(static_cast<std::uint16_t>(random() % 9));
    bits.push_back(random());
  }
  const auto parted = [&](auto&& goes_right) {
    Words left, right;
    for (std::size_t i = 0; i < words.size(); ++i)
      (goes_right(i) ? right : left).push_back(words[i]);
    const auto n_left = static_cast<std::int64_t>(left.size());
    left.insert(left.end(), right.begin(), right.end());
    return std::pair(left, n_left);
  };
  const auto by_code = parted([&](std::size_t i) { return codes[i] > 4; });
  const auto by_bit = parted([&](std::size_t i) { return (bits[i] >> 40 & 1) != 0; });
  for (const auto level : test::levels()) {
    Words found = words, room(at(n + 16));
    CHECK(AT_LEVEL(level, part_by_codes, codes.data(), 4, found.data(), n, room.data()) ==
          by_code.second);
    CHECK(found == by_code.first);
    found = words;
    CHECK(AT_LEVEL(level, part_by_bit, bits.data(), 40, found.data(), n, room.data()) ==
          by_bit.second);
    CHECK(found == by_bit.first);
  }
}

}  // namespace

TEST(lanes_codes_and_bits_are_those_of_the_rows) {
  Random random(1);
  for (const std::int64_t n : kSizes) {
    check_sums(n, random);
    check_bits(n, random);
    for (const std::uint64_t n_codes : {1, 2, 200}) {
      check_codes<std::uint8_t>(n, n_codes, random);
      check_codes<std::uint16_t>(n, 300 * n_codes, random);
    }
  }
}

TEST(the_best_cut_of_cells_is_that_of_a_plain_loop) {
  Random random(2);
  for (const std::int64_t n : kSizes)
    for (const std::int64_t min_samples_leaf : {1, 4}) check_cuts(n, min_samples_leaf, random);
}

TEST(rows_are_parted_in_their_order) {
  Random random(3);
  for (const std::int64_t n : kSizes) check_parts(n, random);
}
