// From nodes to the arrays of the flat format: nodes in any order and in parts give what nodes in
// preorder give, and trees that are kept in float32 join those that cannot be.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/grow/grow.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace tree = gramian::tree;

namespace {

using Random = std::mt19937_64;

// A tree to be written: node 0 is the root; the right child is behind the left one.
struct Plan {
  struct Node {
    std::int64_t left = -1;
    tree::Split split;
    std::vector<double> value;
  };
  std::vector<Node> nodes;

  tree::NodeFacts facts(std::int64_t node) const {
    const auto number = static_cast<double>(node);
    return {nodes[static_cast<std::size_t>(node)].value, 0.5 * number, number + 1.0, node + 2};
  }
  const Node& at(std::int64_t node) const { return nodes[static_cast<std::size_t>(node)]; }
};

Plan random_plan(std::int64_t n_splits, Random& random) {
  Plan plan;
  std::vector<std::int64_t> leaves{0};
  const auto add = [&] {
    const auto number = static_cast<double>(plan.nodes.size());
    plan.nodes.push_back({-1, {}, {number, -number}});
  };
  add();
  for (std::int64_t k = 0; k < n_splits; ++k) {
    const std::size_t place = random() % leaves.size();
    const std::int64_t node = leaves[place];
    const auto left = static_cast<std::int64_t>(plan.nodes.size());
    add();
    add();
    leaves[place] = left;
    leaves.push_back(left + 1);
    auto& own = plan.nodes[static_cast<std::size_t>(node)];
    own.left = left;
    own.split.feature = static_cast<std::int64_t>(random() % 5);
    own.split.threshold = static_cast<double>(random() % 100);
    own.split.missing_left = random() % 2 == 0;
    own.split.saw_missing = random() % 2 == 0;
    if (random() % 3 == 0) own.split.levels.assign(1 + random() % 3, random());
  }
  return plan;
}

constexpr tree::EmittedFacts kAll{.of_inner_nodes = true, .beside_values = true};

void write_below(const Plan& plan, std::int64_t root, tree::TreeWriter& writer) {
  std::vector<std::int64_t> pending{root};
  while (!pending.empty()) {
    const std::int64_t node = pending.back();
    pending.pop_back();
    const std::int64_t left = plan.at(node).left;
    writer.describe(plan.facts(node), left < 0);
    if (left < 0) continue;
    writer.split(tree::FlatSplit(plan.at(node).split));
    pending.push_back(left + 1);
    pending.push_back(left);
  }
}

bool is_same(const tree::GrownTrees& a, const tree::GrownTrees& b) {
  bool same = a.node_offsets == b.node_offsets;
  tree::for_each_array([&](auto array) { same = same && a.*array == b.*array; });
  return same;
}

// The plan through a builder; branches of node numbers that `cuts` names are parts of their own.
tree::GrownTrees built(const Plan& plan, std::uint64_t cuts) {
  tree::TreeBuilder builder(2);
  std::vector<tree::GrownTrees> parts(plan.nodes.size());
  // Builder's nodes of the plan's, breadth first: another order than that of the plan.
  std::vector<std::pair<std::int64_t, std::int64_t>> pending{{0, 0}};
  for (std::size_t k = 0; k < pending.size(); ++k) {
    const auto [node, id] = pending[k];
    if (node > 0 && (cuts >> (node % 64) & 1) != 0) {
      tree::GrownTrees& part = parts[static_cast<std::size_t>(node)];
      tree::TreeWriter writer(kAll, part);
      write_below(plan, node, writer);
      builder.graft(id, part);
      continue;
    }
    builder.describe(id, plan.facts(node));
    if (plan.at(node).left < 0) continue;
    const std::int64_t left = builder.split(id, plan.at(node).split);
    pending.emplace_back(plan.at(node).left, left);
    pending.emplace_back(plan.at(node).left + 1, left + 1);
  }
  tree::GrownTrees out;
  tree::TreeWriter writer(kAll, out);
  builder.write(writer);
  writer.finish();
  return out;
}

}  // namespace

TEST(nodes_in_any_order_and_in_parts_give_the_preorder_arrays) {
  Random random(1);
  for (std::int64_t n_splits = 0; n_splits < 40; ++n_splits) {
    const Plan plan = random_plan(n_splits, random);
    tree::GrownTrees expected;
    tree::TreeWriter writer(kAll, expected);
    writer.reserve(2, n_splits + 1);
    write_below(plan, 0, writer);
    writer.finish();
    CHECK(static_cast<std::int64_t>(expected.threshold.size()) == n_splits);
    CHECK(expected.node_offsets.back() == 2 * n_splits + 1);
    CHECK(is_same(expected, built(plan, 0)));
    CHECK(is_same(expected, built(plan, random())));
  }
}

TEST(trees_that_float32_holds_join_those_that_it_does_not) {
  const std::vector<double> X{0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  const std::vector<std::int32_t> labels{0, 1, 0, 1, 1, 0}, n_classes{2};
  Context ctx;
  tree::Target target;
  target.labels = labels;
  target.n_classes = n_classes;
  target.n_rows = 6;
  tree::Options options;
  options.limits.max_features = 1;
  options.limits.max_depth = 1;
  const tree::Columns columns(MatrixView<const double>(X.data(), 6, 1), {},
                              tree::Columns::Form::coded, ctx);
  const std::vector<std::uint64_t> seeds{1, 2};
  std::vector<double> weight(12, 2.0);
  const auto whole = tree::grow_trees(columns, target, options, {seeds, {}, 0, weight}, ctx);
  CHECK(whole.leaf_value.empty() && whole.leaf_value_single.size() == 8);
  std::fill(weight.begin() + 6, weight.end(), 0.1);
  const auto mixed = tree::grow_trees(columns, target, options, {seeds, {}, 0, weight}, ctx);
  CHECK(mixed.leaf_value_single.empty() && mixed.leaf_value.size() == 8);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(mixed.leaf_value[i] == static_cast<double>(whole.leaf_value_single[i]));
}

TEST(codes_of_many_values_are_their_ranks) {
  constexpr std::int64_t kRows = 70'000;  // more than two bytes hold
  std::vector<float> X(kRows);
  for (std::int64_t i = 0; i < kRows; ++i)
    X[static_cast<std::size_t>(i)] = static_cast<float>(i * 48'271 % kRows);
  Context ctx;
  const tree::Columns columns(MatrixView<const float>(X.data(), kRows, 1), {},
                              tree::Columns::Form::coded, ctx);
  CHECK(columns[0].missing_code == kRows);
  bool are_ranks = true;
  std::visit(
      [&](const auto& codes) {
        CHECK((std::is_same_v<std::decay_t<decltype(codes)>, tree::ThreeByteCodes>));
        for (std::int64_t i = 0; i < kRows; ++i)
          are_ranks &= static_cast<float>(codes[i]) == X[static_cast<std::size_t>(i)];
      },
      columns.codes(0));
  CHECK(are_ranks);
}
