// Consecutive trees as tasks of about as many nodes each.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

namespace gramian::tree {

class TreeGroups {
 public:
  // A group of several trees has no more nodes than these.
  static constexpr std::int64_t kMaxNodes = std::int64_t{1} << 16;

  // first_node(t): how many nodes there are before tree t, for t up to n_trees.
  template <std::invocable<std::int64_t> FirstNode>
  TreeGroups(std::int64_t n_trees, const FirstNode& first_node) {
    constexpr std::int64_t kWorthwhile = kMaxNodes / 16, kEnough = 64;
    const auto target = std::clamp(first_node(n_trees) / kEnough, kWorthwhile, kMaxNodes);
    for (std::int64_t t = 0; t < n_trees; ++t)
      if (t == 0 || first_node(t + 1) - first_node(bounds_.back()) > target) bounds_.push_back(t);
    bounds_.push_back(n_trees);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(bounds_.size()) - 1; }
  std::int64_t begin(std::int64_t group) const { return bounds_[static_cast<std::size_t>(group)]; }
  std::int64_t end(std::int64_t group) const { return begin(group + 1); }

 private:
  std::vector<std::int64_t> bounds_;
};

}  // namespace gramian::tree
