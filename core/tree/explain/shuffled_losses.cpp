#include "tree/explain/shuffled_losses.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

constexpr std::size_t kRowsPerCheck = 4096;

struct WayNode {
  double threshold = 0.0;
  std::int32_t feature = kLeaf;
  std::uint32_t next = 0;  // the right child of a split; of a leaf its number in the forest
  std::uint8_t flags = 0;
};

// One tree, with the losses of its leaves.
template <class T>
class WayTree {
 public:
  WayTree(const TreesView& trees, std::int64_t tree, MatrixView<const T> X, const Target& target)
      : trees_(trees), X_(X), target_(target), turned_(trees.n_levels.size(), 0) {
    const std::int64_t first = trees.first_node(tree), n = trees.first_node(tree + 1) - first;
    nodes_.resize(static_cast<std::size_t>(n));
    std::vector<std::uint32_t> size(nodes_.size(), 1);
    std::int64_t split = trees.first_split(tree + 1), leaf = trees.first_leaf(tree + 1);
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      WayNode& node = nodes_[i];
      node.feature = trees.feature[static_cast<std::size_t>(first) + i];
      if (node.feature == kLeaf) {
        node.next = static_cast<std::uint32_t>(--leaf);
        continue;
      }
      const auto s = static_cast<std::size_t>(--split);
      node.threshold = trees.threshold[s];
      node.flags = trees.flags[s];
      node.next = static_cast<std::uint32_t>(i + 1) + size[i + 1];
      size[i] = 1 + size[i + 1] + size[node.next];
    }
  }

  // Adds to sums[f] what row `row` costs more with the values of `donor` in column f.
  void add(std::int64_t row, std::int64_t donor, std::span<double> sums) {
    ++n_added_;
    turns_.clear();
    std::uint32_t at = 0;
    while (nodes_[at].feature != kLeaf) {
      const WayNode& node = nodes_[at];
      const auto column = static_cast<std::size_t>(node.feature);
      const bool is_left = goes_left(node, X_(row, node.feature));
      const bool is_donor_left = goes_left(node, X_(donor, node.feature));
      if (is_donor_left != is_left && turned_[column] != n_added_) {
        turned_[column] = n_added_;
        turns_.push_back({node.feature, child(at, is_donor_left)});
      }
      at = child(at, is_left);
    }
    if (turns_.empty()) return;
    const double before = loss(nodes_[at].next, row);
    for (const auto& [feature, from] : turns_) {
      std::uint32_t to = from;
      while (nodes_[to].feature != kLeaf) {
        const WayNode& node = nodes_[to];
        to = child(to, goes_left(node, X_(node.feature == feature ? donor : row, node.feature)));
      }
      sums[static_cast<std::size_t>(feature)] += loss(nodes_[to].next, row) - before;
    }
  }

 private:
  struct Turn {
    std::int32_t feature;
    std::uint32_t node;  // where the row goes in place of its own way
  };

  std::uint32_t child(std::uint32_t at, bool is_left) const {
    return is_left ? at + 1 : nodes_[at].next;
  }

  bool goes_left(const WayNode& node, T value) const {
    const auto column = static_cast<std::size_t>(node.feature);
    const bool missing_left = (node.flags & kMissingLeft) != 0;
    if ((node.flags & kCategorical) != 0) {
      const auto level = static_cast<double>(value);
      if (!(level >= 0.0 && level < trees_.n_levels[column] && level == std::floor(level)))
        return missing_left;
      const auto code = static_cast<std::size_t>(level);
      const auto word = static_cast<std::size_t>(node.threshold) + code / 64;
      return ((trees_.category_words[word] >> (code % 64)) & 1) != 0;
    }
    const auto rounded = static_cast<double>(static_cast<float>(value));
    const double compared = trees_.is_double[column] != 0 ? static_cast<double>(value) : rounded;
    // Without branches: half of the guesses would be wrong.
    return (compared <= node.threshold) | (std::isnan(value) & missing_left);
  }

  double loss(std::uint32_t leaf, std::int64_t row) const {
    const auto n_outputs = static_cast<std::size_t>(target_.n_outputs);
    const auto width = static_cast<std::size_t>(trees_.width);
    const std::size_t first = leaf * width, entry = static_cast<std::size_t>(row) * n_outputs;
    double sum = 0.0;
    if (!target_.is_classification()) {
      for (std::size_t k = 0; k < n_outputs; ++k) {
        const double error = trees_.leaf_value[first + k] - target_.values[entry + k];
        sum += error * error;
      }
      return sum / static_cast<double>(n_outputs);
    }
    std::size_t column = first;
    for (std::size_t k = 0; k < n_outputs; ++k) {
      const auto n_classes = static_cast<std::size_t>(target_.n_classes[k]);
      std::size_t best = 0;
      for (std::size_t c = 1; c < n_classes; ++c)
        if (trees_.leaf_value[column + c] > trees_.leaf_value[column + best]) best = c;
      sum += static_cast<std::int32_t>(best) != target_.labels[entry + k] ? 1.0 : 0.0;
      column += n_classes;
    }
    return sum / static_cast<double>(n_outputs);
  }

  const TreesView& trees_;
  MatrixView<const T> X_;
  const Target& target_;
  std::vector<WayNode> nodes_;
  std::vector<Turn> turns_;
  std::vector<std::uint32_t> turned_;  // by column: the last row that it turned
  std::uint32_t n_added_ = 0;
};

}  // namespace

template <class T>
void shuffled_losses(const TreesView& trees, MatrixView<const T> X, const Target& target,
                     const ShuffledRows& shuffled, MatrixView<double> losses, const Context& ctx) {
  const double cost = 500.0 * static_cast<double>(shuffled.rows.size());
  parallel_for(ctx, trees.n_trees(), cost, [&](std::int64_t t) {
    const auto begin = static_cast<std::size_t>(shuffled.offsets[static_cast<std::size_t>(t)]);
    const auto end = static_cast<std::size_t>(shuffled.offsets[static_cast<std::size_t>(t) + 1]);
    const auto rows = shuffled.rows.subspan(begin, end - begin);
    const auto order = shuffled.order.subspan(begin, end - begin);
    std::vector<double> sums(static_cast<std::size_t>(trees.n_features()), 0.0);
    WayTree<T> tree(trees, t, X, target);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % kRowsPerCheck == 0) ctx.check();
      tree.add(rows[i], rows[static_cast<std::size_t>(order[i])], sums);
    }
    const double n =
        rows.empty() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(rows.size());
    for (std::size_t f = 0; f < sums.size(); ++f)
      losses(t, static_cast<std::int64_t>(f)) = sums[f] / n;
  });
}

template void shuffled_losses(const TreesView&, MatrixView<const float>, const Target&,
                              const ShuffledRows&, MatrixView<double>, const Context&);
template void shuffled_losses(const TreesView&, MatrixView<const double>, const Target&,
                              const ShuffledRows&, MatrixView<double>, const Context&);

}  // namespace gramian::tree
