// Pruning against a search for the weakest link that looks at all splits in each step.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "tree/grow/pruning.hpp"

using gramian::Context;
using test::at;

namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<std::int32_t>;

// A tree of random shape in preorder; risk[i] of a split is at least that of its children.
struct RandomTree {
  Ints feature;
  Doubles risk;

  RandomTree(std::int64_t n_splits, std::uint64_t seed) {
    const Doubles draws = test::normal_values(4 * n_splits + 4, seed);
    std::size_t next = 0;
    grow(n_splits, draws, next);
  }

 private:
  double grow(std::int64_t n_splits, const Doubles& draws, std::size_t& next) {
    const std::size_t node = feature.size();
    const double own = std::abs(draws[next++]);
    feature.push_back(n_splits > 0 ? 0 : -1);
    risk.push_back(own);
    if (n_splits > 0) {
      const double share = 0.5 + 0.5 * std::tanh(draws[next++]);
      const auto n_left = static_cast<std::int64_t>(share * static_cast<double>(n_splits - 1));
      risk[node] += grow(n_left, draws, next);
      risk[node] += grow(n_splits - 1 - n_left, draws, next);
    }
    return risk[node];
  }
};

struct Branch {
  double risk = 0.0;
  std::int32_t n_leaves = 0;
  std::size_t end = 0;
};

// The branch below a node, of the tree whose nodes with is_leaf set are leaves.
Branch branch_of(const RandomTree& tree, const std::vector<bool>& is_leaf, std::size_t node) {
  if (tree.feature[node] < 0) return {tree.risk[node], 1, node + 1};
  const Branch left = branch_of(tree, is_leaf, node + 1);
  const Branch right = branch_of(tree, is_leaf, left.end);
  if (is_leaf[node]) return {tree.risk[node], 1, right.end};
  return {left.risk + right.risk, left.n_leaves + right.n_leaves, right.end};
}

// The split with the least g, among those that no cut has reached.
std::size_t weakest(const RandomTree& tree, const std::vector<bool>& is_leaf, double& alpha) {
  std::size_t found = 0;
  alpha = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tree.feature.size();) {
    const Branch branch = branch_of(tree, is_leaf, i);
    if (branch.n_leaves == 1) {
      i = branch.end;
      continue;
    }
    const double g = (tree.risk[i] - branch.risk) / (branch.n_leaves - 1);
    if (g < alpha) alpha = g, found = i;
    ++i;
  }
  return found;
}

}  // namespace

TEST(weakest_links_are_those_of_a_full_search) {
  for (const std::int64_t n_splits : {0, 1, 2, 15, 60}) {
    const RandomTree tree(n_splits, 3);
    Doubles alphas(at(n_splits + 1)), risks(alphas.size());
    Ints steps(tree.feature.size());
    const auto n = gramian::tree::weakest_links(tree.feature, tree.risk, alphas, risks, steps, {});
    std::vector<bool> is_leaf(tree.feature.size(), false);
    CHECK(n >= 1 && n <= n_splits + 1 && alphas[0] == 0.0);
    for (std::int64_t k = 0; k < n; ++k) {
      CHECK(std::abs(branch_of(tree, is_leaf, 0).risk - risks[at(k)]) < 1e-9);
      if (k + 1 == n) break;
      double alpha = 0.0;
      const std::size_t node = weakest(tree, is_leaf, alpha);
      CHECK(steps[node] == k + 1);
      CHECK(std::abs(alphas[at(k + 1)] - alpha) < 1e-9);
      is_leaf[node] = true;
    }
    CHECK(branch_of(tree, is_leaf, 0).n_leaves == 1);
  }
}

TEST(reduced_error_pruning_keeps_splits_that_lower_the_error) {
  // A split whose left child is a split that does not help, and whose right child one that does.
  const Ints feature{0, 0, -1, -1, 0, -1, -1};
  const Doubles error{9.0, 2.0, 1.0, 1.0, 5.0, 1.0, 2.0};
  std::vector<std::uint8_t> is_leaf(7);
  gramian::tree::reduced_error_leaves(feature, error, is_leaf);
  CHECK((is_leaf == std::vector<std::uint8_t>{0, 1, 1, 1, 0, 1, 1}));
  const Doubles noise{3.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0};
  gramian::tree::reduced_error_leaves(feature, noise, is_leaf);
  CHECK(is_leaf[0] == 1);
}
