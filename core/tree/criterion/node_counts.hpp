// What all criteria of classification share: the weighted class counts of a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/criterion/criterion.hpp"

namespace gramian::tree {

// The class counts of a node with one output.
class NodeCounts : public PlainCriterion {
 public:
  explicit NodeCounts(std::int64_t n_classes) : total_(static_cast<std::size_t>(n_classes)) {}

  bool is_pure() const {
    return std::count_if(total_.begin(), total_.end(), [](double c) { return c > 0.0; }) <= 1;
  }
  double weight() const { return weight_; }

  // A leaf's value, kept inside its bounds; clipping takes from one class what the other gets.
  // A share is rounded again when it is read from the counts, so it stays that far from the bound.
  void describe(double* value, const Bounds& bounds) const {
    constexpr double kMargin = 4.0 * std::numeric_limits<double>::epsilon();
    std::copy(total_.begin(), total_.end(), value);
    if (total_.size() != 2 || bounds.are_open()) return;
    const double lower = bounds.lower + kMargin, upper = bounds.upper - kMargin;
    const double share = lower < upper ? std::clamp(value[0] / weight_, lower, upper)
                                       : 0.5 * (bounds.lower + bounds.upper);
    if (share == value[0] / weight_) return;
    value[0] = share * weight_;
    value[1] = (1.0 - share) * weight_;
  }
  template <class HandleAt>
  double impurity(std::int64_t, const HandleAt&) const {
    return 0.0;  // not kept: it follows from the counts
  }

 protected:
  std::vector<double> total_;
  double weight_ = 0.0;
};

}  // namespace gramian::tree
