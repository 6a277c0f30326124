#include "tree/grow/pruning.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "base/index.hpp"

namespace gramian::tree {
namespace {

using Index = std::int64_t;

// g(t) of a split when the entry was made; it is out of date once the branch has changed.
struct Link {
  double alpha;
  Index node;
  std::int32_t n_leaves;

  bool operator>(const Link& other) const {
    return alpha != other.alpha ? alpha > other.alpha : node > other.node;
  }
};

class Branches {
 public:
  Branches(std::span<const std::int32_t> feature, std::span<const double> risk)
      : feature_(feature),
        risk_(risk),
        parent_(feature.size(), -1),
        end_(feature.size()),
        n_leaves_(feature.size(), 0),
        branch_risk_(feature.size(), 0.0) {
    connect();
    for (Index leaf = 0; leaf < n_nodes(); ++leaf) {
      if (feature_[at(leaf)] >= 0) continue;
      branch_risk_[at(leaf)] = risk_[at(leaf)];
      for (Index i = parent_[at(leaf)]; i >= 0; i = parent_[at(i)]) {
        branch_risk_[at(i)] += risk_[at(leaf)];
        ++n_leaves_[at(i)];
      }
    }
  }

  Index n_nodes() const { return static_cast<Index>(feature_.size()); }
  bool is_split(Index i) const { return n_leaves_[at(i)] > 1; }
  double total_risk() const { return branch_risk_[0]; }

  Link link(Index i) const {
    const double increase = risk_[at(i)] - branch_risk_[at(i)];
    return {increase / (n_leaves_[at(i)] - 1), i, n_leaves_[at(i)]};
  }
  // A branch that was cut, or lost leaves, has fewer leaves than its older entries say.
  bool is_current(const Link& link) const { return n_leaves_[at(link.node)] == link.n_leaves; }

  // Makes a split a leaf; calls `changed` with each split above it.
  template <class Changed>
  void cut(Index node, const Changed& changed) {
    const double increase = risk_[at(node)] - branch_risk_[at(node)];
    const std::int32_t n_lost = n_leaves_[at(node)] - 1;
    branch_risk_[at(node)] = risk_[at(node)];
    std::fill(n_leaves_.begin() + node, n_leaves_.begin() + end_[at(node)], 0);
    for (Index i = parent_[at(node)]; i >= 0; i = parent_[at(i)]) {
      n_leaves_[at(i)] -= n_lost;
      branch_risk_[at(i)] += increase;
      changed(i);
    }
  }

 private:
  // Parents, and the ends of the subtrees in preorder.
  void connect() {
    std::vector<Index> open;  // splits whose right subtree is not complete
    std::vector<bool> has_left(feature_.size(), false);
    for (Index i = 0; i < n_nodes(); ++i) {
      if (!open.empty()) parent_[at(i)] = open.back();
      if (feature_[at(i)] >= 0) {
        open.push_back(i);
        continue;
      }
      end_[at(i)] = i + 1;
      while (!open.empty() && has_left[at(open.back())]) {
        end_[at(open.back())] = i + 1;
        open.pop_back();
      }
      if (!open.empty()) has_left[at(open.back())] = true;
    }
  }

  std::span<const std::int32_t> feature_;
  std::span<const double> risk_;
  std::vector<Index> parent_, end_;
  std::vector<std::int32_t> n_leaves_;  // 0 for leaves, and for what was cut off
  std::vector<double> branch_risk_;
};

}  // namespace

std::int64_t weakest_links(std::span<const std::int32_t> feature, std::span<const double> risk,
                           std::span<double> alphas, std::span<double> risks,
                           std::span<std::int32_t> steps, const Context& ctx) {
  Branches branches(feature, risk);
  std::priority_queue<Link, std::vector<Link>, std::greater<>> links;
  for (Index i = 0; i < branches.n_nodes(); ++i) {
    steps[at(i)] = branches.is_split(i) ? kNeverCut : 0;
    if (branches.is_split(i)) links.push(branches.link(i));
  }
  alphas[0] = 0.0;
  risks[0] = branches.total_risk();
  Index n_steps = 1;
  for (; branches.is_split(0); ++n_steps) {
    while (!branches.is_current(links.top())) links.pop();
    const Link weakest = links.top();
    links.pop();
    branches.cut(weakest.node, [&](Index i) { links.push(branches.link(i)); });
    steps[at(weakest.node)] = static_cast<std::int32_t>(n_steps);
    alphas[at(n_steps)] = weakest.alpha;
    risks[at(n_steps)] = branches.total_risk();
    ctx.check();
  }
  return n_steps;
}

void reduced_error_leaves(std::span<const std::int32_t> feature, std::span<const double> error,
                          std::span<std::uint8_t> is_leaf) {
  std::vector<double> pending;  // errors of the subtrees whose parent is still to come
  for (std::size_t i = feature.size(); i-- > 0;) {
    is_leaf[i] = feature[i] < 0;
    double best = error[i];
    if (feature[i] >= 0) {
      const double left = pending.back();
      pending.pop_back();
      const double below = left + pending.back();
      pending.pop_back();
      is_leaf[i] = error[i] <= below;
      best = std::min(error[i], below);
    }
    pending.push_back(best);
  }
}

}  // namespace gramian::tree
