#include "tree/explain/shap_tree.hpp"

#include <algorithm>
#include <span>

#include "base/index.hpp"
#include "tree/explain/quadrature.hpp"
#include "tree/format/split_fractions.hpp"

namespace gramian::tree {
namespace {

std::int64_t padded(std::int64_t n) { return (n + kShapLanes - 1) / kShapLanes * kShapLanes; }

// Walks through a tree in preorder and writes down splits and moves.
class Planner {
 public:
  Planner(const TreesView& trees, std::int64_t number, ShapTree& out)
      : nodes_(nodes_of(trees, number)),
        fractions_(split_fractions_of(trees, number)),
        above_(at(trees.n_features()), -1),
        out_(out) {}

  void run() {
    out_.splits.reserve(nodes_.size() / 2);
    out_.steps.reserve(nodes_.size());
    for (const auto feature : nodes_)
      if (feature == kLeaf)
        close_leaf();
      else
        open_split(feature);
    for (const auto& split : out_.splits) out_.features.push_back(split.feature);
    std::ranges::sort(out_.features);
    const auto repeated = std::ranges::unique(out_.features);
    out_.features.erase(repeated.begin(), repeated.end());
  }

  // The most features on one path.
  std::int32_t max_features() const { return max_features_; }
  // fraction_j before each split.
  const std::vector<double>& shares_before() const { return shares_before_; }

 private:
  struct Open {
    std::int32_t split;
    bool is_left_done;
    double fraction;  // fraction_j on the way to the child that is being walked
  };

  void open_split(std::int32_t feature) {
    const auto number = static_cast<std::int32_t>(out_.splits.size());
    const SplitFractions fraction = fractions_[at(number)];
    const std::int32_t above = above_[at(feature)];
    const double before = above < 0 ? 1.0 : path_[at(above)].fraction;
    const auto depth = static_cast<std::int32_t>(path_.size());
    out_.splits.push_back({feature, depth, above, -1, -1, on_right(), 0, fraction.left,
                           before * fraction.left, before * fraction.right,
                           -before * fraction.left});
    shares_before_.push_back(before);
    if (above < 0) max_features_ = std::max(max_features_, ++n_features_);
    above_[at(feature)] = depth;
    path_.push_back({number, false, before * fraction.left});
    out_.n_levels = std::max(out_.n_levels, static_cast<std::int64_t>(path_.size()));
    out_.steps.push_back({number, ShapMove::to_left});
  }

  void close_leaf() {
    const auto leaf = static_cast<std::int32_t>(out_.n_leaves++);
    if (path_.empty()) return;  // the tree is one leaf
    ShapSplit& parent = out_.splits[at(path_.back().split)];
    (path_.back().is_left_done ? parent.right_leaf : parent.left_leaf) = leaf;
    out_.steps.pop_back();  // the way to the leaf
    while (!path_.empty() && path_.back().is_left_done) close_split();
    if (!path_.empty()) turn();
  }

  void turn() {
    Open& top = path_.back();
    top.is_left_done = true;
    const ShapSplit& split = out_.splits[at(top.split)];
    top.fraction = split.gain_left;  // fraction_before * fraction of the right child
    out_.steps.push_back({top.split, ShapMove::to_right});
  }

  void close_split() {
    const std::int32_t number = path_.back().split;
    const ShapSplit& split = out_.splits[at(number)];
    const bool has_leaves = split.left_leaf >= 0 && split.right_leaf >= 0;
    out_.steps.push_back({number, has_leaves ? ShapMove::leaves : ShapMove::up});
    above_[at(split.feature)] = split.above;
    if (split.above < 0) --n_features_;
    path_.pop_back();
  }

  bool on_right() const { return !path_.empty() && path_.back().is_left_done; }

  std::span<const std::int32_t> nodes_;
  std::vector<SplitFractions> fractions_;
  std::vector<std::int32_t> above_;  // by feature: depth of its lowest split on the path, or -1
  std::vector<Open> path_;
  std::vector<double> shares_before_;
  std::int32_t n_features_ = 0;
  std::int32_t max_features_ = 0;
  ShapTree& out_;
};

void set_rule(ShapTree& out, const std::vector<double>& shares_before) {
  const auto size = padded(out.n_nodes);
  const Quadrature quadrature = gauss_legendre(out.n_nodes);
  out.rule.assign(at(3 * size), 0.0);
  std::ranges::copy(quadrature.node, out.rule.begin());
  std::ranges::copy(quadrature.complement, out.rule.begin() + size);
  std::ranges::copy(quadrature.weight, out.rule.begin() + 2 * size);
  for (std::size_t i = 0; i < out.splits.size(); ++i) {
    if (out.splits[i].above < 0) continue;
    out.splits[i].inverse = static_cast<std::int64_t>(out.inverses.size());
    out.inverses.resize(out.inverses.size() + at(size), 0.0);
    double* inverse = out.inverses.data() + out.splits[i].inverse;
    for (std::size_t k = 0; k < quadrature.node.size(); ++k)
      inverse[k] = 1.0 / (quadrature.node[k] + quadrature.complement[k] * shares_before[i]);
  }
}

void set_values(const TreesView& trees, std::int64_t number, MatrixView<const double> outputs,
                double scale, ShapTree& out) {
  const auto first = trees.first_leaf(number);
  const auto nodes = nodes_of(trees, number);
  out.values.resize(at(out.n_leaves * outputs.n_cols));
  for (std::int64_t output = 0; output < outputs.n_cols; ++output) {
    double* values = out.values.data() + output * out.n_leaves;
    for (std::int64_t leaf = 0; leaf < out.n_leaves; ++leaf)
      values[leaf] = scale * outputs(first + leaf, output);
    out.expected.push_back(fold_up(
        nodes, [&](std::int64_t leaf) { return values[leaf]; },
        [&](std::int64_t split, double left, double right) {
          const double fraction = out.splits[at(split)].left_fraction;
          return fraction * left + (1.0 - fraction) * right;
        }));
  }
}

}  // namespace

ShapProgram ShapTree::program() const {
  const auto size = padded(n_nodes);
  const double* nodes = rule.data();
  return {steps.data(),
          static_cast<std::int64_t>(steps.size()),
          splits.data(),
          inverses.data(),
          nodes,
          nodes + size,
          nodes + 2 * size,
          n_nodes};
}

ShapTree make_shap_tree(const TreesView& trees, std::int64_t number,
                        MatrixView<const double> outputs, double scale) {
  ShapTree out;
  out.first_split = trees.first_split(number);
  Planner planner(trees, number, out);
  planner.run();
  out.n_nodes = std::max((planner.max_features() + 1) / 2, 1);
  set_rule(out, planner.shares_before());
  set_values(trees, number, outputs, scale, out);
  return out;
}

}  // namespace gramian::tree
