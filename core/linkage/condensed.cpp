#include "linkage/condensed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace gramian::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kNone = -1;

class Condenser {
 public:
  Condenser(MatrixView<const std::int64_t> children, std::span<const double> heights,
            std::int64_t min_size, const Context& ctx)
      : children_(children),
        heights_(heights),
        min_size_(min_size),
        ctx_(ctx),
        n_(children.n_rows + 1),
        sizes_(at(n_ + children.n_rows), 1) {
    for (std::int64_t k = 0; k < children.n_rows; ++k)
      sizes_[at(n_ + k)] = sizes_[at(children(k, 0))] + sizes_[at(children(k, 1))];
    tree_.cluster_of.assign(at(n_), 0);
    tree_.lambda_of.assign(at(n_), 0.0);
  }

  CondensedTree run() {
    add_cluster(kNone, n_, 0.0);
    // Nodes that are still clusters, level by level: the order of the clusters' numbers.
    std::vector<std::pair<std::int64_t, std::int64_t>> level{{2 * n_ - 2, 0}}, next;
    while (!level.empty()) {
      ctx_.check();
      next.clear();
      for (const auto& [node, cluster] : level) part(node, cluster, next);
      level.swap(next);
    }
    return std::move(tree_);
  }

 private:
  std::int64_t add_cluster(std::int64_t parent, std::int64_t size, double lambda) {
    tree_.parents.push_back(parent);
    tree_.sizes.push_back(size);
    tree_.births.push_back(lambda);
    tree_.deaths.push_back(0.0);
    tree_.stabilities.push_back(0.0);
    if (parent != kNone) count(parent, lambda, size);
    return tree_.n_clusters() - 1;
  }

  void count(std::int64_t cluster, double lambda, std::int64_t size) {
    tree_.stabilities[at(cluster)] +=
        (lambda - tree_.births[at(cluster)]) * static_cast<double>(size);
    tree_.deaths[at(cluster)] = std::max(tree_.deaths[at(cluster)], lambda);
  }

  void part(std::int64_t node, std::int64_t cluster,
            std::vector<std::pair<std::int64_t, std::int64_t>>& next) {
    const double height = heights_[at(node - n_)];
    const double lambda = height > 0.0 ? 1.0 / height : kInfinity;
    const std::int64_t sides[2] = {children_(node - n_, 0), children_(node - n_, 1)};
    const bool is_cluster[2] = {sizes_[at(sides[0])] >= min_size_,
                                sizes_[at(sides[1])] >= min_size_};
    for (int side = 0; side < 2; ++side) {
      if (!is_cluster[side]) {
        leave(sides[side], cluster, lambda);
        continue;
      }
      const bool splits = is_cluster[1 - side];
      const std::int64_t below =
          splits ? add_cluster(cluster, sizes_[at(sides[side])], lambda) : cluster;
      next.emplace_back(sides[side], below);  // at least two rows: an inner node
    }
  }

  void leave(std::int64_t top, std::int64_t cluster, double lambda) {
    waiting_.assign(1, top);
    while (!waiting_.empty()) {
      const std::int64_t node = waiting_.back();
      waiting_.pop_back();
      if (node >= n_) {
        for (int side = 1; side >= 0; --side) waiting_.push_back(children_(node - n_, side));
        continue;
      }
      tree_.cluster_of[at(node)] = cluster;
      tree_.lambda_of[at(node)] = lambda;
      count(cluster, lambda, 1);
    }
  }

  MatrixView<const std::int64_t> children_;
  std::span<const double> heights_;
  std::int64_t min_size_;
  const Context& ctx_;
  std::int64_t n_;
  std::vector<std::int64_t> sizes_, waiting_;
  CondensedTree tree_{};
};

// Whether each cluster has clusters below it.
std::vector<std::uint8_t> has_parts(const CondensedTree& tree) {
  std::vector<std::uint8_t> has(tree.parents.size(), 0);
  for (const std::int64_t parent : tree.parents)
    if (parent != kNone) has[at(parent)] = 1;
  return has;
}

// Those chosen that are below no other one.
void keep_topmost(const CondensedTree& tree, std::vector<std::uint8_t>& chosen) {
  std::vector<std::uint8_t> is_below(chosen.size(), 0);
  for (std::size_t c = 1; c < chosen.size(); ++c) {
    const std::size_t parent = at(tree.parents[c]);
    is_below[c] = is_below[parent] || chosen[parent];
    if (is_below[c]) chosen[c] = 0;
  }
}

// The most stable clusters, none below another one.
std::vector<std::uint8_t> most_stable(const CondensedTree& tree, const Selection& rule) {
  const std::int64_t n = tree.n_clusters(), first = rule.allows_root ? 0 : 1;
  std::vector<double> stabilities = tree.stabilities, below(at(n), 0.0);
  std::vector<std::uint8_t> chosen(at(n), 0);
  for (std::int64_t c = n - 1; c >= first; --c) {
    const bool is_large = rule.max_size >= 0 && tree.sizes[at(c)] > rule.max_size;
    chosen[at(c)] = !(below[at(c)] > stabilities[at(c)] || is_large);
    if (!chosen[at(c)]) stabilities[at(c)] = below[at(c)];
    if (c > 0) below[at(tree.parents[at(c)])] += stabilities[at(c)];
  }
  keep_topmost(tree, chosen);
  return chosen;
}

// Clusters that part below the distance give way to the lowest one above them that does not.
std::vector<std::uint8_t> joined_below(const CondensedTree& tree,
                                       const std::vector<std::uint8_t>& chosen,
                                       const Selection& rule) {
  std::vector<std::uint8_t> joined(chosen.size(), 0);
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    if (!chosen[c]) continue;
    std::int64_t cluster = static_cast<std::int64_t>(c);
    while (cluster != 0 && 1.0 / tree.births[at(cluster)] < rule.epsilon) {
      const std::int64_t parent = tree.parents[at(cluster)];
      if (parent == 0 && !rule.allows_root) break;
      cluster = parent;
    }
    joined[at(cluster)] = 1;
  }
  keep_topmost(tree, joined);
  return joined;
}

}  // namespace

CondensedTree condense_tree(MatrixView<const std::int64_t> children,
                            std::span<const double> heights, std::int64_t min_size,
                            const Context& ctx) {
  return Condenser(children, heights, min_size, ctx).run();
}

std::vector<std::int64_t> select_clusters(const CondensedTree& tree, const Selection& rule) {
  std::vector<std::uint8_t> chosen;
  if (rule.takes_leaves) {
    chosen = has_parts(tree);
    for (std::uint8_t& flag : chosen) flag = !flag;
    if (tree.n_clusters() == 1) chosen[0] = 0;
  } else {
    chosen = most_stable(tree, rule);
  }
  const bool is_root = chosen[0] != 0;
  if (rule.epsilon > 0.0 && tree.n_clusters() > 1 && !is_root)
    chosen = joined_below(tree, chosen, rule);
  std::vector<std::int64_t> clusters;
  for (std::size_t c = 0; c < chosen.size(); ++c)
    if (chosen[c]) clusters.push_back(static_cast<std::int64_t>(c));
  return clusters;
}

void label_rows(const CondensedTree& tree, std::span<const std::int64_t> chosen,
                const Selection& rule, std::span<std::int64_t> labels,
                std::span<double> probabilities) {
  std::vector<std::int64_t> label_of(tree.parents.size(), kNone);
  for (std::size_t label = 0; label < chosen.size(); ++label)
    label_of[at(chosen[label])] = static_cast<std::int64_t>(label);
  for (std::size_t c = 1; c < label_of.size(); ++c)
    if (label_of[c] == kNone) label_of[c] = label_of[at(tree.parents[c])];
  const bool is_root_alone = chosen.size() == 1 && chosen.front() == 0;
  // Of the root alone not all rows belong to it: only those that stay to the end.
  const double least = rule.epsilon > 0.0 ? 1.0 / rule.epsilon : tree.deaths.front();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = label_of[at(tree.cluster_of[i])];
    if (is_root_alone && tree.lambda_of[i] < least) labels[i] = kNone;
    probabilities[i] = 0.0;
    if (labels[i] == kNone) continue;
    const double death = tree.deaths[at(chosen[at(labels[i])])], lambda = tree.lambda_of[i];
    const bool is_sure = death == 0.0 || std::isinf(lambda);
    probabilities[i] = is_sure ? 1.0 : std::min(lambda, death) / death;
  }
}

}  // namespace gramian::linkage
