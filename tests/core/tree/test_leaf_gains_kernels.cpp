// What a row gains at a leaf, against the definition of the Shapley value.
#include <bit>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "simd/each_level.hpp"
#include "tree/explain/leaf_gains_kernel.hpp"
#include "tree/random_splits.hpp"

namespace tree = gramian::tree;
using test::at;
using test::Random;

namespace {

using Pattern = std::vector<bool>;  // whether a row has each feature of the path

double factorial(std::int64_t n) { return std::tgamma(static_cast<double>(n) + 1.0); }

std::vector<std::uint64_t> words_of(const Pattern& pattern, std::int64_t n_words) {
  std::vector<std::uint64_t> words(at(n_words));
  for (std::size_t j = 0; j < pattern.size(); ++j)
    if (pattern[j]) words[j / 64] |= std::uint64_t{1} << j % 64;
  return words;
}

// The leaf is reached by coalition S if the row has the features of S and the other row the rest.
// Only features that one of them lacks matter; S runs over all sets of those.
void add_shapley_values(const Pattern& row, const Pattern& other, double count,
                        std::vector<double>& gains) {
  std::vector<std::size_t> players;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!row[j] && !other[j]) return;  // no coalition reaches it
    if (row[j] != other[j]) players.push_back(j);
  }
  const auto n = static_cast<std::int64_t>(players.size());
  const auto reaches = [&](std::uint64_t set) {
    for (std::size_t k = 0; k < players.size(); ++k)
      if (!((set >> k & 1) != 0 ? row : other)[players[k]]) return 0.0;
    return 1.0;
  };
  for (std::size_t k = 0; k < players.size(); ++k)
    for (std::uint64_t set = 0; set < std::uint64_t{1} << n; ++set) {
      if ((set >> k & 1) != 0) continue;
      const std::int64_t size = std::popcount(set);
      const double share = factorial(size) * factorial(n - size - 1) / factorial(n);
      gains[players[k]] += count * share * (reaches(set | std::uint64_t{1} << k) - reaches(set));
    }
}

void check_gains(std::int64_t n_features, std::int64_t n_patterns, Random& random) {
  const std::int64_t n_words = (n_features + 63) / 64, n_sets = (n_patterns + 63) / 64;
  // Few features are lacking, so that some coalitions reach the leaf.
  const auto drawn = [&] {
    Pattern pattern(at(n_features), true);
    for (std::int64_t k = test::below(random, 4); k > 0; --k)
      pattern[at(test::below(random, n_features))] = false;
    return pattern;
  };
  std::vector<Pattern> patterns;
  std::vector<std::uint64_t> words, sets(at(n_features * n_sets));
  std::vector<double> counts, weights;
  for (std::int64_t i = 0; i < n_patterns; ++i) {
    patterns.push_back(drawn());
    const auto own = words_of(patterns.back(), n_words);
    words.insert(words.end(), own.begin(), own.end());
    counts.push_back(static_cast<double>(1 + random() % 3));
    for (std::int64_t j = 0; j < n_features; ++j)
      if (patterns.back()[at(j)]) sets[at(j * n_sets + i / 64)] |= std::uint64_t{1} << i % 64;
  }
  const std::int64_t stride = n_features + 1;
  for (std::int64_t v = 0; v <= n_features; ++v)
    for (std::int64_t u = 0; u <= n_features; ++u)
      weights.push_back(std::exp(std::lgamma(static_cast<double>(u) + 1.0) +
                                 std::lgamma(static_cast<double>(v) + 1.0) -
                                 std::lgamma(static_cast<double>(u + v) + 2.0)));
  const tree::LeafTask task{words.data(), counts.data(), sets.data(),    n_patterns, n_features,
                            n_words,      n_sets,        weights.data(), stride};
  for (int round = 0; round < 5; ++round) {
    const Pattern row = drawn();
    std::vector<double> expected(at(n_features));
    bool is_reached = false;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      add_shapley_values(row, patterns[i], counts[i], expected);
      bool reaches = true;
      for (std::size_t j = 0; j < row.size(); ++j) reaches = reaches && (row[j] || patterns[i][j]);
      is_reached = is_reached || reaches;
    }
    for (const auto level : test::levels()) {
      std::vector<double> gains(at(n_features));
      CHECK(AT_LEVEL(level, leaf_gains, task, words_of(row, n_words).data(), gains.data()) ==
            is_reached);
      for (std::size_t j = 0; is_reached && j < gains.size(); ++j)
        CHECK(std::abs(gains[j] - expected[j]) < 1e-11);
    }
  }
}

}  // namespace

TEST(gains_at_a_leaf_are_shapley_values) {
  Random random(1);
  for (const std::int64_t n_features : {1, 2, 5, 63, 64, 65, 130})
    for (const std::int64_t n_patterns : {1, 3, 63, 64, 65, 130})
      check_gains(n_features, n_patterns, random);
}
