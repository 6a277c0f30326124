// Criteria of regression that are functions of the weight and the weighted sum of both sides.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "tree/criterion/criterion.hpp"

namespace gramian::tree {

// Squared error: sum_i w (y - mean)^2 = sum_i w y^2 - s^2 / w; the first sum is the same for every
// cut. Targets are taken about the node's mean, so that no digits are lost to it.
struct SquaredError {
  static constexpr bool is_centred = true;
  static bool improves(double left_sum, double left, double right_sum, double right, double best,
                       double& score) {
    return ratio_improves(left_sum * left_sum * right + right_sum * right_sum * left, left * right,
                          best, score);
  }
  static double node(double sum, double weight) { return sum * sum / weight; }
  static double loss(double y, double mean) { return (y - mean) * (y - mean); }
};

// Half the Poisson deviance: sum_i w y log(y / mean). Cuts with a side whose sum is zero are ruled
// out: its mean would not be positive.
struct PoissonError {
  static constexpr bool is_centred = false;
  static bool improves(double left_sum, double left, double right_sum, double right, double best,
                       double& score) {
    const double zero = 1e-13 * (left_sum + right_sum);  // one of the sums is a difference
    if (left_sum <= zero || right_sum <= zero) return false;
    const double sum = node(left_sum, left) + node(right_sum, right);
    if (!(sum > best)) return false;
    score = sum;
    return true;
  }
  static double node(double sum, double weight) {
    return sum > 0.0 ? sum * std::log(sum / weight) : 0.0;
  }
  static double loss(double y, double mean) { return y > 0.0 ? y * std::log(y / mean) : 0.0; }
};

// Any cut of two rows is perfect; of more rows the sums do not tell.
inline double perfect_moments(std::int64_t n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return n == 2 ? -kInfinity : kInfinity;
}

// The sums of one output of a node.
struct Moments {
  double centre = 0.0;
  Grid grid;
  double sum = 0.0;  // of w times the grid's y - centre
  double mean = 0.0;
  double lowest = 0.0, highest = 0.0;

  bool is_pure() const { return lowest == highest; }
  double about_centre(double y) const { return grid.round(y - centre); }

  template <class ValueAt>
  void read(std::int64_t n, double weight, bool is_centred, const ValueAt& value_at) {
    double plain = 0.0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [y, w] = value_at(i);
      plain += w * y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    lowest = low;
    highest = high;
    // The mean of equal numbers is that number, to the last digit.
    mean = low == high ? low : plain / weight;
    if (is_pure()) return;  // no cut will be looked for
    // Half of the digits do: the rounding of the mean, which depends on the order of the rows,
    // is then gone.
    centre = is_centred ? static_cast<double>(static_cast<float>(mean)) : 0.0;
    if (!std::isfinite(centre)) centre = 0.0;
    double sizes = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [y, w] = value_at(i);
      sizes += w * std::abs(y - centre);
    }
    grid = target_grid(sizes, weight, n);
    sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto [y, w] = value_at(i);
      sum += w * about_centre(y);
    }
  }
};

// One output.
template <class Error, bool is_weighted>
class MomentCriterion : public PlainCriterion {
 public:
  using Item = RowItem<double, is_weighted>;

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    return single_items<double, is_weighted>(target.values, weight);
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    weight_ = 0.0;
    for (std::int64_t i = 0; i < n; ++i) weight_ += items[handle_at(i)].weight;
    node_.read(n, weight_, Error::is_centred, [&](std::int64_t i) {
      const Item item = items[handle_at(i)];
      return std::pair(item.value, item.weight);
    });
  }

  bool is_pure() const { return node_.is_pure(); }
  double weight() const { return weight_; }
  double sum() const { return node_.sum; }
  double node_score() const { return Error::node(node_.sum, weight_); }
  double perfect_score(std::int64_t n) const { return perfect_moments(n); }

  class Walk {
   public:
    explicit Walk(const MomentCriterion& node, double left = 0.0, double left_sum = 0.0)
        : items_(node.items_),
          centre_(node.node_.centre),
          grid_(node.node_.grid),
          weight_(node.weight_),
          sum_(node.node_.sum),
          left_(left),
          left_sum_(left_sum) {}

    void move(std::uint32_t handle) {
      const Item item = items_[handle];
      left_ += item.weight;
      left_sum_ += item.weight * grid_.round(item.value - centre_);
    }
    void move_if(std::uint32_t handle, bool goes_left) {
      const Item item = items_[handle];
      const double w = static_cast<double>(goes_left) * item.weight;
      left_ += w;
      left_sum_ += w * grid_.round(item.value - centre_);
    }
    double left_weight() const { return left_; }
    double right_weight() const { return weight_ - left_; }
    bool improves(double best, double& score) const {
      return Error::improves(left_sum_, left_, sum_ - left_sum_, right_weight(), best, score);
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(left_mean(), right_mean(), sign);
    }
    double middle() const { return 0.5 * left_mean() + 0.5 * right_mean(); }

   private:
    double left_mean() const { return centre_ + left_sum_ / left_; }
    double right_mean() const { return centre_ + (sum_ - left_sum_) / right_weight(); }

    const Item* items_;
    double centre_;
    Grid grid_;
    double weight_, sum_;
    double left_, left_sum_;
  };

  template <class HandleAt>
  Walk walk(std::int64_t, const HandleAt&) {
    return Walk(*this);
  }
  double addend(std::uint32_t handle) const {
    return items_[handle].weight * node_.about_centre(items_[handle].value);
  }
  Walk walk_to(double left, double left_sum) const { return Walk(*this, left, left_sum); }

  std::int64_t n_orders() const { return 1; }
  double order_value(std::uint32_t handle, std::int64_t) const { return items_[handle].value; }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight; }

  void describe(double* value, const Bounds& bounds) const {
    value[0] = std::clamp(node_.mean, bounds.lower, bounds.upper);
  }
  // The mean loss of the rows that were entered.
  template <class HandleAt>
  double impurity(std::int64_t n, const HandleAt& handle_at) const {
    if (is_pure()) return 0.0;
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Item item = items_[handle_at(i)];
      sum += item.weight * Error::loss(item.value, node_.mean);
    }
    return sum / weight_;
  }

  static constexpr bool is_additive = true;
  static constexpr bool is_squared_error = std::is_same_v<Error, SquaredError>;

 private:
  Moments node_;
  const Item* items_ = nullptr;
  double weight_ = 0.0;
};

// Several outputs: the mean over them.
template <class Error>
class ManyMomentsCriterion : public PlainCriterion {
 public:
  using Item = RowItem<std::uint32_t, true>;

  explicit ManyMomentsCriterion(const Target& target)
      : target_(target),
        nodes_(static_cast<std::size_t>(target.n_outputs)),
        left_sums_(nodes_.size()) {}

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    return numbered_items(target.n_rows, weight);
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    weight_ = 0.0;
    for (std::int64_t i = 0; i < n; ++i) weight_ += items[handle_at(i)].weight;
    for (std::size_t o = 0; o < nodes_.size(); ++o)
      nodes_[o].read(n, weight_, Error::is_centred, [&](std::int64_t i) {
        const Item item = items[handle_at(i)];
        return std::pair(value_of(item, o), item.weight);
      });
  }

  bool is_pure() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Moments& m) { return m.is_pure(); });
  }
  double weight() const { return weight_; }
  double node_score() const {
    double sum = 0.0;
    for (const Moments& node : nodes_) sum += Error::node(node.sum, weight_);
    return sum / static_cast<double>(nodes_.size());
  }
  double perfect_score(std::int64_t n) const { return perfect_moments(n); }

  class Walk {
   public:
    explicit Walk(ManyMomentsCriterion& node) : node_(node) {}

    void move(std::uint32_t handle) {
      const Item item = node_.items_[handle];
      left_ += item.weight;
      for (std::size_t o = 0; o < node_.nodes_.size(); ++o)
        node_.left_sums_[o] += item.weight * node_.nodes_[o].about_centre(node_.value_of(item, o));
    }
    void move_if(std::uint32_t handle, bool goes_left) {
      if (goes_left) move(handle);
    }
    double left_weight() const { return left_; }
    double right_weight() const { return node_.weight_ - left_; }
    bool improves(double best, double& score) const {
      double sum = 0.0;
      for (std::size_t o = 0; o < node_.nodes_.size(); ++o) {
        double part = 0.0;
        const double left_sum = node_.left_sums_[o];
        if (!Error::improves(left_sum, left_, node_.nodes_[o].sum - left_sum, right_weight(),
                             -std::numeric_limits<double>::infinity(), part))
          return false;
        sum += part;
      }
      sum /= static_cast<double>(node_.nodes_.size());
      if (!(sum > best)) return false;
      score = sum;
      return true;
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(left_mean(), right_mean(), sign);
    }
    double middle() const { return 0.5 * left_mean() + 0.5 * right_mean(); }

   private:
    double left_mean() const { return node_.nodes_[0].centre + node_.left_sums_[0] / left_; }
    double right_mean() const {
      return node_.nodes_[0].centre + (node_.nodes_[0].sum - node_.left_sums_[0]) / right_weight();
    }

    ManyMomentsCriterion& node_;
    double left_ = 0.0;
  };

  template <class HandleAt>
  Walk walk(std::int64_t, const HandleAt&) {
    std::fill(left_sums_.begin(), left_sums_.end(), 0.0);
    return Walk(*this);
  }

  std::int64_t n_orders() const { return static_cast<std::int64_t>(nodes_.size()); }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    return value_of(items_[handle], static_cast<std::size_t>(order));
  }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight; }

  void describe(double* value, const Bounds& bounds) const {
    for (std::size_t o = 0; o < nodes_.size(); ++o)
      value[o] = std::clamp(nodes_[o].mean, bounds.lower, bounds.upper);
  }
  template <class HandleAt>
  double impurity(std::int64_t n, const HandleAt& handle_at) const {
    if (is_pure()) return 0.0;
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Item item = items_[handle_at(i)];
      for (std::size_t o = 0; o < nodes_.size(); ++o)
        sum += item.weight * Error::loss(value_of(item, o), nodes_[o].mean);
    }
    return sum / (weight_ * static_cast<double>(nodes_.size()));
  }

 private:
  double value_of(const Item& item, std::size_t output) const {
    return target_.values[item.value * nodes_.size() + output];
  }

  const Target& target_;
  std::vector<Moments> nodes_;
  std::vector<double> left_sums_;
  const Item* items_ = nullptr;
  double weight_ = 0.0;
};

}  // namespace gramian::tree
