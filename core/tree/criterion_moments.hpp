// Criteria of regression that are functions of the weight and the weighted sum of both sides.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/criterion.hpp"
#include "tree/target.hpp"

namespace gramian::tree {

// Squared error: sum_i w (y - mean)^2 = sum_i w y^2 - s^2 / w; the first sum is the same for every
// cut. Targets are taken about their overall mean, which loses no digits to it.
struct SquaredError {
  static constexpr bool is_centred = true;
  static double combine(double left_sum, double right_sum, double left, double right) {
    return left_sum * left_sum / left + right_sum * right_sum / right;
  }
  static double node(double sum, double weight) { return sum * sum / weight; }
  static double loss(double y, double mean) { return (y - mean) * (y - mean); }
};

// Friedman's improvement (Greedy function approximation, 2001, eq. 35) times the node's weight:
// (w_l w_r / w) (mean_l - mean_r)^2.
struct FriedmanError {
  static constexpr bool is_centred = true;
  static double combine(double left_sum, double right_sum, double left, double right) {
    const double difference = right * left_sum - left * right_sum;
    return difference * difference / (left * right * (left + right));
  }
  static double node(double, double) { return 0.0; }
  static double loss(double y, double mean) { return (y - mean) * (y - mean); }
};

// Half the Poisson deviance: sum_i w y log(y / mean); cuts with a side of sum zero are ruled out.
struct PoissonError {
  static constexpr bool is_centred = false;
  static double combine(double left_sum, double right_sum, double left, double right) {
    constexpr double kZero = 10.0 * std::numeric_limits<double>::epsilon();
    if (left_sum <= kZero || right_sum <= kZero) return -std::numeric_limits<double>::infinity();
    return node(left_sum, left) + node(right_sum, right);
  }
  static double node(double sum, double weight) {
    return sum > 0.0 ? sum * std::log(sum / weight) : 0.0;
  }
  static double loss(double y, double mean) { return y > 0.0 ? y * std::log(y / mean) : 0.0; }
};

// The mean of a node, and the range of its targets: what leaves need of any of these criteria.
class NodeMoments {
 public:
  NodeMoments(const Target& target, std::span<const double> centre)
      : n_outputs_(target.n_outputs), centre_(centre.begin(), centre.end()) {
    sum_.resize(static_cast<std::size_t>(n_outputs_));
    left_sum_ = mean_ = sum_;
    lowest_ = highest_ = sum_;
  }

  template <class HandleAt>
  void enter(const Payload& payload, std::int64_t n, const HandleAt& handle_at) {
    payload_ = payload;
    weight_ = 0.0;
    std::fill(sum_.begin(), sum_.end(), 0.0);
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(lowest_.begin(), lowest_.end(), std::numeric_limits<double>::infinity());
    std::fill(highest_.begin(), highest_.end(), -std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t handle = handle_at(i);
      const double w = payload.weight_of(handle);
      weight_ += w;
      for (std::size_t o = 0; o < sum_.size(); ++o) {
        const double y = value_of(handle, o);
        sum_[o] += w * (y - centre_[o]);
        mean_[o] += w * y;
        lowest_[o] = std::min(lowest_[o], y);
        highest_[o] = std::max(highest_[o], y);
      }
    }
    // The mean of equal numbers is that number, to the last digit.
    for (std::size_t o = 0; o < mean_.size(); ++o)
      mean_[o] = lowest_[o] == highest_[o] ? lowest_[o] : mean_[o] / weight_;
  }

  bool is_pure() const { return lowest_ == highest_; }
  double weight() const { return weight_; }
  double weight_of(std::uint32_t handle) const { return payload_.weight_of(handle); }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return weight_ - left_weight_; }

  bool respects(int sign, const Bounds& bounds) const {
    return bounds.allow(left_mean(), right_mean(), sign);
  }
  double middle() const { return 0.5 * left_mean() + 0.5 * right_mean(); }

  std::int64_t n_orders() const { return n_outputs_; }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    return value_of(handle, static_cast<std::size_t>(order));
  }

  void describe(double* value, const Bounds& bounds) const {
    for (std::size_t o = 0; o < mean_.size(); ++o)
      value[o] = std::clamp(mean_[o], bounds.lower, bounds.upper);
  }

  static constexpr bool keeps_nodes = false;
  static constexpr bool needs_order = false;

 protected:
  double value_of(std::uint32_t handle, std::size_t output) const {
    return payload_.values[handle * sum_.size() + output];
  }
  double left_mean() const { return centre_[0] + left_sum_[0] / left_weight(); }
  double right_mean() const { return centre_[0] + (sum_[0] - left_sum_[0]) / right_weight(); }

  std::int64_t n_outputs_;
  std::vector<double> centre_;
  Payload payload_;
  std::vector<double> sum_, left_sum_, mean_, lowest_, highest_;
  double weight_ = 0.0;
  double left_weight_ = 0.0;
};

template <class Error, bool is_single>
class MomentCriterion : public NodeMoments {
 public:
  using NodeMoments::NodeMoments;

  void begin() {
    left_weight_ = 0.0;
    std::fill(left_sum_.begin(), left_sum_.end(), 0.0);
  }

  void move(std::uint32_t handle) {
    const double w = payload_.weight_of(handle);
    left_weight_ += w;
    if constexpr (is_single) {
      left_sum_[0] += w * (payload_.values[handle] - centre_[0]);
    } else {
      for (std::size_t o = 0; o < sum_.size(); ++o)
        left_sum_[o] += w * (value_of(handle, o) - centre_[o]);
    }
  }

  double score() const {
    const double left = left_weight(), right = right_weight();
    if constexpr (is_single)
      return Error::combine(left_sum_[0], sum_[0] - left_sum_[0], left, right);
    double score = 0.0;
    for (std::size_t o = 0; o < sum_.size(); ++o)
      score += Error::combine(left_sum_[o], sum_[o] - left_sum_[o], left, right);
    return score / static_cast<double>(n_outputs_);
  }

  double node_score() const {
    double score = 0.0;
    for (const double sum : sum_) score += Error::node(sum, weight_);
    return score / static_cast<double>(n_outputs_);
  }

  // The mean loss of the node's rows, the ones that were entered.
  template <class HandleAt>
  double impurity(std::int64_t n, const HandleAt& handle_at) const {
    if (is_pure()) return 0.0;
    double sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t handle = handle_at(i);
      for (std::size_t o = 0; o < mean_.size(); ++o)
        sum += payload_.weight_of(handle) * Error::loss(value_of(handle, o), mean_[o]);
    }
    return sum / (weight_ * static_cast<double>(n_outputs_));
  }
};

}  // namespace gramian::tree
