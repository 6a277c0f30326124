// The tree of clustering features: sums of what is below, in one go or in parts.
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "cluster/cf_tree.hpp"
#include "linalg/linalg_data.hpp"

using gramian::MatrixView;
using gramian::cluster::CfArrays;
using gramian::cluster::CfRule;
using gramian::cluster::CfTree;
using test::at;
using test::context_with;

namespace {

CfArrays grown(MatrixView<const double> X, const CfRule& rule) {
  CfTree tree(X.n_cols, rule);
  tree.insert(X, context_with(1));
  return tree.arrays();
}

bool are_equal(const CfArrays& a, const CfArrays& b) {
  return a.root == b.root && a.n_entries == b.n_entries && a.next_leaf == b.next_leaf &&
         a.counts == b.counts && a.children == b.children && a.scatters == b.scatters &&
         a.means == b.means;
}

std::vector<std::int64_t> starts_of(const CfArrays& tree) {
  std::vector<std::int64_t> starts{0};
  for (const std::int64_t n : tree.n_entries) starts.push_back(starts.back() + n);
  return starts;
}

// The feature at a place is the sum of those of the node below.
void check_feature(const CfArrays& tree, std::int64_t place, std::int64_t p) {
  const auto starts = starts_of(tree);
  const std::int64_t child = tree.children[at(place)];
  double count = 0.0, scatter = 0.0;
  std::vector<double> mean(at(p), 0.0);
  for (std::int64_t e = starts[at(child)]; e < starts[at(child + 1)]; ++e) {
    count += static_cast<double>(tree.counts[at(e)]);
    for (std::int64_t k = 0; k < p; ++k)
      mean[at(k)] += static_cast<double>(tree.counts[at(e)]) * tree.means[at(e * p + k)];
  }
  for (double& value : mean) value /= count;
  for (std::int64_t e = starts[at(child)]; e < starts[at(child + 1)]; ++e) {
    scatter += tree.scatters[at(e)];
    for (std::int64_t k = 0; k < p; ++k) {
      const double step = tree.means[at(e * p + k)] - mean[at(k)];
      scatter += static_cast<double>(tree.counts[at(e)]) * step * step;
    }
  }
  CHECK(static_cast<double>(tree.counts[at(place)]) == count);
  CHECK(std::abs(tree.scatters[at(place)] - scatter) <= 1e-10 * scatter);
  for (std::int64_t k = 0; k < p; ++k)
    CHECK(std::abs(tree.means[at(place * p + k)] - mean[at(k)]) < 1e-12);
}

}  // namespace

TEST(features_are_the_sums_of_those_below) {
  for (const std::int64_t p : {1, 3, 9})
    for (const CfRule rule : {CfRule{0.05, 2}, {0.3, 7}, {0.3, 50}, {100.0, 50}}) {
      const auto values = test::normal_values(800 * p, 1);
      const CfArrays tree = grown({values.data(), 800, p}, rule);
      std::int64_t n_rows = 0, n_leaves = 0, n_in_chain = 0;
      const auto starts = starts_of(tree);
      for (std::size_t node = 0; node + 1 < starts.size(); ++node) {
        CHECK(tree.n_entries[node] >= 1 && tree.n_entries[node] <= rule.branching_factor);
        n_leaves += tree.children[at(starts[node])] < 0 ? 1 : 0;
      }
      for (std::int64_t e = 0; e < starts.back(); ++e) {
        if (tree.children[at(e)] >= 0) {
          check_feature(tree, e, p);
          continue;
        }
        n_rows += tree.counts[at(e)];
        const double count = static_cast<double>(tree.counts[at(e)]);
        CHECK(tree.scatters[at(e)] / count <= rule.threshold * rule.threshold * (1.0 + 1e-12));
      }
      for (std::int64_t leaf = 0; leaf >= 0; leaf = tree.next_leaf[at(leaf)]) ++n_in_chain;
      CHECK(n_rows == 800 && n_leaves == n_in_chain);
    }
}

TEST(a_tree_grown_in_parts_is_that_of_all_rows) {
  const auto values = test::normal_values(500 * 4, 2);
  const MatrixView<const double> X(values.data(), 500, 4);
  const CfRule rule{0.4, 5};
  CfTree first(4, rule);
  first.insert(X.rows(0, 123), context_with(1));
  CfTree second(4, rule, first.arrays());
  second.insert(X.rows(123, 500), context_with(1));
  CHECK(are_equal(second.arrays(), grown(X, rule)));
}

TEST(features_far_from_the_origin_keep_their_digits) {
  auto values = test::normal_values(500 * 2, 3);
  for (double& value : values) value = std::round(value * 0x1p12) * 0x1p-12;
  const CfRule rule{0.2, 6};
  const CfArrays near = grown({values.data(), 500, 2}, rule);
  for (double& value : values) value += 0x1p32;
  const CfArrays far = grown({values.data(), 500, 2}, rule);
  CHECK(far.counts == near.counts && far.children == near.children);
  for (std::size_t e = 0; e < near.scatters.size(); ++e)
    CHECK(std::abs(far.scatters[e] - near.scatters[e]) < 1e-3);
}

TEST(equal_rows_part_a_node) {
  // Of equal features the first stays alone; no node may keep more than it should.
  const std::vector<double> values{1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 1.0, 1.0, 5.0, 5.0, 5.0};
  const CfArrays tree = grown({values.data(), 11, 1}, {1e-300, 2});
  std::int64_t n_rows = 0;
  for (std::size_t e = 0; e < tree.counts.size(); ++e)
    n_rows += tree.children[e] < 0 ? tree.counts[e] : 0;
  CHECK(n_rows == 11);
}

TEST(corrupt_arrays_are_no_tree_of_features) {
  const auto values = test::normal_values(300 * 2, 4);
  const CfRule rule{0.1, 4};
  const CfArrays right = grown({values.data(), 300, 2}, rule);
  const auto refuses = [&](auto&& spoil) {
    CfArrays wrong = right;
    spoil(wrong);
    CHECK_THROWS(gramian::InvalidArgument, CfTree(2, rule, wrong));
  };
  CfTree(2, rule, right);
  refuses([](CfArrays& tree) { tree.root = 1 << 20; });
  refuses([](CfArrays& tree) { tree.root = 0; });
  refuses([](CfArrays& tree) { tree.next_leaf[0] = 0; });
  refuses([](CfArrays& tree) { tree.next_leaf[0] = -2; });
  refuses([](CfArrays& tree) { tree.n_entries[0] += 1; });
  refuses([](CfArrays& tree) { tree.n_entries[0] = -1; });
  refuses([](CfArrays& tree) { tree.counts[0] = 0; });
  refuses([](CfArrays& tree) { tree.means.pop_back(); });
  refuses([](CfArrays& tree) { tree.children.back() = tree.root; });
  refuses([](CfArrays& tree) { tree.children.back() = 1 << 20; });
  CHECK_THROWS(gramian::InvalidArgument, CfTree(3, rule, right));
}
