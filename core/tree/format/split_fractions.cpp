#include "tree/format/split_fractions.hpp"

#include "base/index.hpp"

namespace gramian::tree {
namespace {

SplitFractions fractions_of(double left, double right, double left_rows, double right_rows) {
  if (left + right > 0.0) return {left / (left + right), right / (left + right)};
  if (left_rows + right_rows > 0.0) return fractions_of(left_rows, right_rows, 0.0, 0.0);
  return {0.5, 0.5};
}

}  // namespace

std::vector<SplitFractions> split_fractions_of(const TreesView& trees, std::int64_t number) {
  struct Size {
    double weight;
    double rows;
  };
  const auto nodes = nodes_of(trees, number);
  const auto first_leaf = trees.first_leaf(number);
  std::vector<SplitFractions> fractions(nodes.size() / 2);
  fold_up(
      nodes,
      [&](std::int64_t leaf) -> Size {
        return {trees.weight_of_leaf(first_leaf + leaf),
                static_cast<double>(trees.leaf_count[at(first_leaf + leaf)])};
      },
      [&](std::int64_t split, Size left, Size right) -> Size {
        fractions[at(split)] = fractions_of(left.weight, right.weight, left.rows, right.rows);
        return {left.weight + right.weight, left.rows + right.rows};
      });
  return fractions;
}

}  // namespace gramian::tree
