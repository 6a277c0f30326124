#include "tree/format/topology.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// x log(x / y) for x, y >= 0, whose limit at x = 0 is 0.
double relative_entropy(double x, double y) { return x > 0.0 ? x * std::log(x / y) : 0.0; }

double count_impurity(Impurity impurity, std::span<const double> counts) {
  double total = 0.0, largest = 0.0;
  for (const double count : counts) {
    total += count;
    largest = std::max(largest, count);
  }
  if (!(total > 0.0)) return 0.0;
  if (impurity == Impurity::misclassification) return 1.0 - largest / total;
  double sum = 0.0;
  if (impurity == Impurity::gini) {
    for (const double count : counts) sum += count * count;
    return 1.0 - sum / (total * total);
  }
  for (const double count : counts)
    if (count > 0.0) sum -= count / total * std::log2(count / total);
  return sum;
}

// One tree under construction, from its last node to its first.
class Deriver {
 public:
  Deriver(const TreesView& trees, std::int64_t tree, Impurity impurity, const NodeArrays& out)
      : trees_(trees), tree_(tree), impurity_(impurity), out_(out), width_(at(trees.width)) {
    const bool from_counts = impurity == Impurity::gini || impurity == Impurity::entropy ||
                             impurity == Impurity::misclassification;
    if (!trees.node_impurity.empty()) return;
    if (impurity == Impurity::kept || from_counts != trees.is_classification())
      throw InvalidArgument(
          "the impurity of this criterion cannot be derived from the leaves of these trees");
  }

  void run() {
    const auto begin = trees_.first_node(tree_), end = trees_.first_node(tree_ + 1);
    leaf_ = trees_.first_leaf(tree_ + 1);
    for (auto node = end - begin - 1; node >= 0; --node)
      if (trees_.feature[at(begin + node)] == kLeaf)
        fill_leaf(node);
      else
        fill_split(node);
    fill_depths();
    keep_explicit(begin, end);
  }

 private:
  std::span<double> value(std::int64_t node) const {
    return out_.value.subspan(at(node) * width_, width_);
  }

  void fill_leaf(std::int64_t node) {
    --leaf_;
    const auto i = at(node);
    out_.children_left[i] = out_.children_right[i] = -1;
    out_.n_node_samples[i] = trees_.leaf_count[at(leaf_)];
    out_.weighted_n_node_samples[i] = trees_.weight_of_leaf(leaf_);
    for (std::size_t k = 0; k < width_; ++k)
      value(node)[k] = trees_.leaf_value[at(leaf_) * width_ + k];
    if (trees_.is_classification())
      fill_count_impurity(node);
    else
      out_.impurity[i] = trees_.leaf_impurity.empty() ? 0.0 : trees_.leaf_impurity[at(leaf_)];
    open_.push_back(node);
  }

  // The subtrees that wait for their parent: the left one was finished last.
  void fill_split(std::int64_t node) {
    open_.pop_back();
    const auto left = node + 1, right = open_.back();
    open_.back() = node;
    const auto i = at(node), l = at(left), r = at(right);
    out_.children_left[i] = left;
    out_.children_right[i] = right;
    out_.n_node_samples[i] = out_.n_node_samples[l] + out_.n_node_samples[r];
    const auto& weight = out_.weighted_n_node_samples;
    out_.weighted_n_node_samples[i] = weight[l] + weight[r];
    if (trees_.is_classification()) {
      for (std::size_t k = 0; k < width_; ++k) value(node)[k] = value(left)[k] + value(right)[k];
      fill_count_impurity(node);
    } else {
      const double fraction = weight[i] > 0.0 ? weight[l] / weight[i] : 0.5;
      for (std::size_t k = 0; k < width_; ++k)
        value(node)[k] = fraction * value(left)[k] + (1.0 - fraction) * value(right)[k];
      out_.impurity[i] = fraction * out_.impurity[l] + (1.0 - fraction) * out_.impurity[r] +
                         impurity_between(node, left, right, fraction);
    }
  }

  void fill_count_impurity(std::int64_t node) {
    double sum = 0.0;
    std::size_t first = 0;
    for (const auto n_classes : trees_.n_classes) {
      sum += count_impurity(impurity_, value(node).subspan(first, at(n_classes)));
      first += at(n_classes);
    }
    out_.impurity[at(node)] = sum / static_cast<double>(trees_.n_classes.size());
  }

  // What the difference of the children's means adds to the mean of their impurities.
  double impurity_between(std::int64_t node, std::int64_t left, std::int64_t right,
                          double fraction) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < width_; ++k) {
      const double mean = value(node)[k], l = value(left)[k], r = value(right)[k];
      if (impurity_ == Impurity::poisson)
        sum += fraction * relative_entropy(l, mean) + (1.0 - fraction) * relative_entropy(r, mean);
      else
        sum += fraction * (1.0 - fraction) * (l - r) * (l - r);
    }
    return std::max(sum / static_cast<double>(width_), 0.0);
  }

  void fill_depths() {
    out_.depth[0] = 0;
    for (std::size_t i = 0; i < out_.depth.size(); ++i) {
      if (out_.children_left[i] < 0) continue;
      out_.depth[at(out_.children_left[i])] = out_.depth[i] + 1;
      out_.depth[at(out_.children_right[i])] = out_.depth[i] + 1;
    }
  }

  void keep_explicit(std::int64_t begin, std::int64_t end) {
    if (!trees_.node_value.empty())
      std::copy_n(trees_.node_value.begin() + begin * trees_.width, (end - begin) * trees_.width,
                  out_.value.begin());
    if (!trees_.node_impurity.empty())
      std::copy_n(trees_.node_impurity.begin() + begin, end - begin, out_.impurity.begin());
  }

  const TreesView& trees_;
  const std::int64_t tree_;
  const Impurity impurity_;
  const NodeArrays& out_;
  const std::size_t width_;
  std::int64_t leaf_ = 0;           // of the forest; one behind the next to be filled
  std::vector<std::int64_t> open_;  // roots of finished subtrees without a parent yet
};

// Arrays of one tree that nobody else needs.
struct OwnedNodes {
  explicit OwnedNodes(std::size_t n, std::size_t width) : whole(4 * n), real((2 + width) * n) {
    const std::span<std::int64_t> i(whole);
    const std::span<double> d(real);
    arrays = {i.subspan(0, n),     i.subspan(n, n), i.subspan(2 * n, n),
              i.subspan(3 * n, n), d.subspan(0, n), d.subspan(2 * n, width * n),
              d.subspan(n, n)};
  }
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  NodeArrays arrays;
};

void add_decreases(const TreesView& trees, std::int64_t tree, const NodeArrays& nodes,
                   MatrixView<double> out) {
  const auto begin = trees.first_node(tree);
  const auto weighted = [&](std::int64_t node) {
    return nodes.weighted_n_node_samples[at(node)] * nodes.impurity[at(node)];
  };
  for (std::int64_t j = 0; j < out.n_cols; ++j) out(tree, j) = 0.0;
  const double total = nodes.weighted_n_node_samples[0];
  if (!(total > 0.0)) return;
  for (std::size_t i = 0; i < nodes.depth.size(); ++i) {
    const auto left = nodes.children_left[i], right = nodes.children_right[i];
    if (left < 0) continue;
    const auto node = static_cast<std::int64_t>(i);
    out(tree, trees.feature[at(begin + node)]) +=
        (weighted(node) - weighted(left) - weighted(right)) / total;
  }
}

}  // namespace

Impurity impurity_of(std::string_view criterion) {
  if (criterion == "gini") return Impurity::gini;
  if (criterion == "entropy" || criterion == "log_loss") return Impurity::entropy;
  if (criterion == "misclassification") return Impurity::misclassification;
  if (criterion == "squared_error") return Impurity::squared_error;
  if (criterion == "poisson") return Impurity::poisson;
  if (criterion == "absolute_error") return Impurity::kept;
  throw InvalidArgument("unknown criterion: " + std::string(criterion));
}

void derive_nodes(const TreesView& trees, std::int64_t tree, Impurity impurity,
                  const NodeArrays& out) {
  Deriver(trees, tree, impurity, out).run();
}

void impurity_decreases(const TreesView& trees, Impurity impurity, MatrixView<double> out,
                        const Context& ctx) {
  const double cost_ns = 10.0 * static_cast<double>(trees.n_nodes());
  parallel_for(ctx, trees.n_trees(), cost_ns, [&](std::int64_t tree) {
    const auto n_nodes = at(trees.first_node(tree + 1) - trees.first_node(tree));
    OwnedNodes nodes(n_nodes, at(trees.width));
    derive_nodes(trees, tree, impurity, nodes.arrays);
    add_decreases(trees, tree, nodes.arrays, out);
  });
}

}  // namespace gramian::tree
