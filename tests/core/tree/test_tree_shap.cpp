// Shapley values of small trees in closed form, and the parts they are made of.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/explain/leaf_paths.hpp"
#include "tree/explain/quadrature.hpp"
#include "tree/explain/shap.hpp"
#include "tree/explain/shap_background.hpp"
#include "tree/explain/shap_kernel.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::tree::TreesView;

namespace {

// x0 <= 0 ? (x1 <= 0 ? 1 : 2) : 8, with 1, 1 and 2 training rows.
struct SmallTree {
  std::vector<std::int64_t> node_offsets{0, 5};
  std::vector<std::int32_t> feature{0, 1, -1, -1, -1};
  std::vector<double> threshold{0.0, 0.0};
  std::vector<std::uint8_t> flags{0, 0};
  std::vector<std::int32_t> n_levels{0, 0};
  std::vector<std::uint8_t> is_double{1, 1};
  std::vector<double> leaf_value{1.0, 2.0, 8.0};
  std::vector<std::int32_t> leaf_count{1, 1, 2};
  TreesView view;

  SmallTree() { look(); }
  SmallTree(SmallTree&&) = default;

  void look() {
    view.node_offsets = node_offsets;
    view.feature = feature;
    view.threshold = threshold;
    view.flags = flags;
    view.n_levels = n_levels;
    view.is_double = is_double;
    view.width = 1;
    view.leaf_value = std::span<const double>(leaf_value);
    view.leaf_count = leaf_count;
  }

  MatrixView<const double> outputs() const {
    return {leaf_value.data(), static_cast<std::int64_t>(leaf_value.size()), 1};
  }
};

// A random tree in preorder; some features stand on a path many times.
SmallTree random_tree(std::uint64_t seed, int max_depth, std::int32_t n_features) {
  std::mt19937_64 draw(seed);
  SmallTree tree;
  tree.feature.clear();
  tree.threshold.clear();
  tree.leaf_value.clear();
  tree.leaf_count.clear();
  std::vector<int> depths{0};
  while (!depths.empty()) {
    const int depth = depths.back();
    depths.pop_back();
    if (depth == max_depth || (depth > 0 && draw() % 5 == 0)) {
      tree.feature.push_back(-1);
      tree.leaf_value.push_back(static_cast<double>(draw() % 1000) / 100.0);
      tree.leaf_count.push_back(static_cast<std::int32_t>(draw() % 9));
    } else {
      const auto column = draw() % static_cast<std::uint64_t>(n_features);
      tree.feature.push_back(static_cast<std::int32_t>(column));
      tree.threshold.push_back(static_cast<double>(draw() % 100));
      depths.insert(depths.end(), 2, depth + 1);
    }
  }
  tree.node_offsets[1] = static_cast<std::int64_t>(tree.feature.size());
  tree.flags.assign(tree.threshold.size(), 0);
  for (auto& flag : tree.flags) flag = static_cast<std::uint8_t>(draw() % 2);
  tree.n_levels.assign(static_cast<std::size_t>(n_features), 0);
  tree.is_double.assign(static_cast<std::size_t>(n_features), 1);
  tree.look();
  return tree;
}

double predict(const SmallTree& tree, const double* row) {
  std::size_t node = 0, split = 0, leaf = 0;
  while (tree.feature[node] >= 0) {
    const double x = row[tree.feature[node++]];
    const bool is_left = std::isnan(x) ? tree.flags[split] != 0 : x <= tree.threshold[split];
    ++split;
    for (int n_open = is_left ? 0 : 1; n_open > 0; ++node) {  // past the left subtree
      const bool is_leaf = tree.feature[node] < 0;
      ++(is_leaf ? leaf : split);
      n_open += is_leaf ? -1 : 1;
    }
  }
  return tree.leaf_value[leaf];
}

// Rows with missing values.
std::vector<double> random_rows(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 draw(seed);
  std::vector<double> X(size);
  for (double& x : X)
    x = draw() % 9 == 0 ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(draw() % 100);
  return X;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-14; }

}  // namespace

TEST(gauss_legendre_integrates_polynomials) {
  for (const int n : {1, 2, 3, 8, 33, 100}) {
    const auto rule = gramian::tree::gauss_legendre(n);
    for (int degree = 0; degree < 2 * n; degree += degree < 8 ? 1 : 7) {
      double sum = 0.0, mirrored = 0.0;
      for (std::size_t k = 0; k < rule.node.size(); ++k) {
        sum += rule.weight[k] * std::pow(rule.node[k], degree);
        mirrored += rule.weight[k] * std::pow(rule.complement[k], degree);
      }
      CHECK(std::abs(sum * (degree + 1) - 1.0) < 1e-13);
      CHECK(std::abs(mirrored * (degree + 1) - 1.0) < 1e-13);
    }
    for (std::size_t k = 0; k < rule.node.size(); ++k) {
      CHECK(near(rule.node[k] + rule.complement[k], 1.0));
      CHECK(rule.node[k] > 0.0 && rule.weight[k] > 0.0);
      CHECK(k == 0 || rule.node[k] > rule.node[k - 1]);
    }
  }
}

TEST(less_equal_bits_leave_out_nan) {
  std::vector<double> x(64);
  for (int i = 0; i < 64; ++i) x[static_cast<std::size_t>(i)] = i % 7 - 3.0;
  x[5] = x[63] = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t bits = GRAMIAN_DISPATCH(less_equal_bits, x.data(), 0.0);
  for (std::size_t i = 0; i < 64; ++i) CHECK(((bits >> i) & 1U) == (x[i] <= 0.0 ? 1U : 0U));
}

TEST(path_shap_of_a_small_tree) {
  const SmallTree tree;
  const std::vector<double> scale{2.0}, X{-1.0, 1.0};  // goes to the leaf of value 2
  std::vector<double> phi(2), expected(1);
  gramian::tree::path_shap(gramian::tree::ShapEnsemble{tree.view, tree.outputs(), scale},
                           MatrixView<const double>(X.data(), 1, 2), phi, expected, Context{});
  // v() = 4.75, v(0) = 1.5, v(1) = 5, v(0, 1) = 2.
  CHECK(near(expected[0], 2.0 * 4.75));
  CHECK(near(phi[0], (1.5 - 4.75) + (2.0 - 5.0)));
  CHECK(near(phi[1], (5.0 - 4.75) + (2.0 - 1.5)));
}

TEST(interactions_of_a_small_tree) {
  const SmallTree tree;
  const std::vector<double> scale{1.0}, X{-1.0, 1.0};
  std::vector<double> phi(4);
  gramian::tree::path_interactions(gramian::tree::ShapEnsemble{tree.view, tree.outputs(), scale},
                                   MatrixView<const double>(X.data(), 1, 2), phi, Context{});
  const double together = 0.5 * (2.0 - 1.5 - 5.0 + 4.75);
  CHECK(near(phi[1], together) && near(phi[2], together));
  CHECK(phi[0] == 0.0 && phi[3] == 0.0);
}

TEST(background_shap_of_a_small_tree) {
  const SmallTree tree;
  const std::vector<double> scale{1.0}, X{-1.0, 1.0}, background{1.0, -1.0};
  std::vector<double> phi(2), expected(1);
  gramian::tree::background_shap(gramian::tree::ShapEnsemble{tree.view, tree.outputs(), scale},
                                 MatrixView<const double>(X.data(), 1, 2),
                                 MatrixView<const double>(background.data(), 1, 2), phi, expected,
                                 Context{});
  // v() = 8, v(0) = 1, v(1) = 8, v(0, 1) = 2.
  CHECK(near(expected[0], 8.0));
  CHECK(near(phi[0], 0.5 * (1.0 - 8.0) + 0.5 * (2.0 - 8.0)));
  CHECK(near(phi[1], 0.5 * (8.0 - 8.0) + 0.5 * (2.0 - 1.0)));
}

TEST(patterns_tell_on_which_features_a_row_stays_on_the_path) {
  const SmallTree tree;
  const std::vector<double> X{-1.0, 1.0, 1.0, -1.0};
  const auto blocks =
      gramian::tree::make_blocks(tree.view, MatrixView<const double>(X.data(), 2, 2));
  gramian::tree::LeafPaths paths(tree.view, 0, blocks);
  const std::vector<std::vector<std::uint64_t>> expected{{0b01, 0b10}, {0b11, 0b00}, {0, 1}};
  std::vector<std::uint64_t> patterns;
  for (std::size_t leaf = 0; leaf < 3; ++leaf) {
    CHECK(paths.next());
    CHECK(paths.n_features() == (leaf < 2 ? 2 : 1));
    paths.patterns(patterns);
    CHECK(patterns[0] == expected[leaf][0] && patterns[1] == expected[leaf][1]);
  }
  CHECK(!paths.next());
}

TEST(values_of_random_trees_add_up) {
  const std::int64_t n = 77, n_others = 70;
  for (const std::int32_t p : {1, 4, 100})
    for (const int max_depth : {1, 5, 9}) {
      const SmallTree tree = random_tree(static_cast<std::uint64_t>(p + max_depth), max_depth, p);
      const auto X = random_rows(1, static_cast<std::size_t>(n * p));
      const auto others = random_rows(2, static_cast<std::size_t>(n_others * p));
      const MatrixView<const double> rows(X.data(), n, p), background(others.data(), n_others, p);
      const std::vector<double> scale{1.0};
      const gramian::tree::ShapEnsemble ensemble{tree.view, tree.outputs(), scale};
      Context ctx;
      ctx.n_threads = 3;
      for (const bool is_path : {true, false}) {
        std::vector<double> phi(X.size()), expected(1);
        if (is_path)
          gramian::tree::path_shap(ensemble, rows, phi, expected, ctx);
        else
          gramian::tree::background_shap(ensemble, rows, background, phi, expected, ctx);
        for (std::int64_t i = 0; i < n; ++i) {
          double sum = expected[0];
          for (std::int64_t j = 0; j < p; ++j) sum += phi[static_cast<std::size_t>(i * p + j)];
          CHECK(std::abs(sum - predict(tree, X.data() + i * p)) < 1e-12);
        }
      }
    }
}
