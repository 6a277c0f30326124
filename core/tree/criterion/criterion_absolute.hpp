// The criterion of least absolute error: sum_i w |y - median|.
//
// The losses of all beginnings of a sequence of rows are found from its end: the rows, linked in
// the order of their targets, are taken out one by one, last first, and the median moves by a step
// or so each time. So all cuts of one column cost O(n), once the node's targets are sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "loss/weighted_quantile.hpp"
#include "tree/criterion/criterion.hpp"

namespace gramian::tree {

// Numbers with weights, linked in ascending order, that keep their median while some are removed:
// that of loss/weighted_quantile.hpp (averaged_inverted_cdf) for whole weights, which are exact.
class ShrinkingMedian {
 public:
  // The numbers must be sorted; w holds their weights.
  void reset(std::span<const double> y, std::span<const double> w) {
    y_ = y;
    w_ = w;
    const auto n = static_cast<std::int32_t>(y.size());
    before_.resize(y.size());
    after_.resize(y.size());
    std::iota(before_.begin(), before_.end(), -1);
    std::iota(after_.begin(), after_.end(), 1);
    end_ = n;
    weight_ = sum_ = 0.0;
    for (std::int32_t i = 0; i < n; ++i) {
      weight_ += w[at(i)];
      sum_ += w[at(i)] * y[at(i)];
    }
    middle_ = 0;
    weight_below_ = w[0];
    sum_below_ = w[0] * y[0];
    settle();
  }

  void remove(std::int32_t i) {
    weight_ -= w_[at(i)];
    sum_ -= w_[at(i)] * y_[at(i)];
    if (i <= middle_) leave(i);
    const std::int32_t before = before_[at(i)], after = after_[at(i)];
    if (before >= 0) after_[at(before)] = after;
    if (after < end_) before_[at(after)] = before;
    if (i == middle_) {
      middle_ = before >= 0 ? before : after;
      if (before < 0 && after < end_) join(after);
    }
    if (middle_ < end_) settle();
  }

  // Sum of w |y - median|.
  double loss() const {
    const double median = y_[at(middle_)];
    const double above = (sum_ - sum_below_) - median * (weight_ - weight_below_);
    return std::max(0.0, above + median * weight_below_ - sum_below_);
  }

  // The middle of the medians, if the weights below and above are equal.
  double median() const {
    const std::int32_t next = after_[at(middle_)];
    const bool is_between = 2.0 * weight_below_ == weight_ && next < end_;
    return is_between ? 0.5 * y_[at(middle_)] + 0.5 * y_[at(next)] : y_[at(middle_)];
  }

 private:
  void join(std::int32_t i) {
    weight_below_ += w_[at(i)];
    sum_below_ += w_[at(i)] * y_[at(i)];
  }
  void leave(std::int32_t i) {
    weight_below_ -= w_[at(i)];
    sum_below_ -= w_[at(i)] * y_[at(i)];
  }

  // Makes middle_ the first number with at least half of the weight up to and including it.
  void settle() {
    while (before_[at(middle_)] >= 0 && 2.0 * (weight_below_ - w_[at(middle_)]) >= weight_) {
      leave(middle_);
      middle_ = before_[at(middle_)];
    }
    while (after_[at(middle_)] < end_ && 2.0 * weight_below_ < weight_) {
      middle_ = after_[at(middle_)];
      join(middle_);
    }
  }

  std::span<const double> y_, w_;
  std::vector<std::int32_t> before_, after_;
  std::int32_t end_ = 0;
  std::int32_t middle_ = 0;
  double weight_ = 0.0, sum_ = 0.0;              // of all that are left
  double weight_below_ = 0.0, sum_below_ = 0.0;  // of those up to and including middle_
};

class AbsoluteCriterion : public PlainCriterion {
 public:
  using Item = RowItem<std::uint32_t, true>;

  explicit AbsoluteCriterion(const Target& target)
      : target_(target), outputs_(static_cast<std::size_t>(target.n_outputs)) {}

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    return numbered_items(target.n_rows, weight);
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    weight_ = 0.0;
    std::uint32_t last_handle = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      weight_ += items[handle_at(i)].weight;
      last_handle = std::max(last_handle, handle_at(i));
    }
    node_loss_ = 0.0;
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      sort_output(o, n, handle_at, last_handle);
      medians_.reset(outputs_[o].y, outputs_[o].w);
      node_loss_ += medians_.loss();
    }
    loss_grid_ = Grid(node_loss_ * kLossSteps);
  }

  bool is_pure() const {
    return std::all_of(outputs_.begin(), outputs_.end(),
                       [](const Output& output) { return output.lowest == output.highest; });
  }
  double weight() const { return weight_; }
  double node_score() const { return -on_grid(node_loss_) / static_cast<double>(outputs_.size()); }
  double perfect_score(std::int64_t) const { return 0.0; }

  class Walk {
   public:
    explicit Walk(const AbsoluteCriterion& node) : node_(node) {}

    void move(std::uint32_t handle) {
      ++n_left_;
      left_ += node_.items_[handle].weight;
    }
    double left_weight() const { return left_; }
    double right_weight() const { return node_.weight_ - left_; }
    bool improves(double best, double& score) const {
      const double found = -node_.loss_[n_left_] / static_cast<double>(node_.outputs_.size());
      if (!(found > best)) return false;
      score = found;
      return true;
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(node_.left_median_[n_left_], node_.right_median_[n_left_], sign);
    }
    double middle() const {
      return 0.5 * node_.left_median_[n_left_] + 0.5 * node_.right_median_[n_left_];
    }

   private:
    const AbsoluteCriterion& node_;
    std::size_t n_left_ = 0;
    double left_ = 0.0;
  };

  // Finds the losses of every beginning and every end of the sequence.
  template <class HandleAt>
  Walk walk(std::int64_t n, const HandleAt& handle_at) {
    const auto m = static_cast<std::size_t>(n);
    loss_.assign(m + 1, 0.0);
    left_median_.assign(m + 1, 0.0);
    right_median_.assign(m + 1, 0.0);
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const Output& output = outputs_[o];
      medians_.reset(output.y, output.w);
      for (std::size_t i = 0; i < m; ++i) {
        loss_[i] += medians_.loss();
        if (o == 0) right_median_[i] = medians_.median();
        medians_.remove(output.rank[handle_at(static_cast<std::int64_t>(i))]);
      }
      medians_.reset(output.y, output.w);
      for (std::size_t i = m; i > 0; --i) {
        loss_[i] += medians_.loss();
        if (o == 0) left_median_[i] = medians_.median();
        medians_.remove(output.rank[handle_at(static_cast<std::int64_t>(i - 1))]);
      }
    }
    for (double& loss : loss_) loss = on_grid(loss);
    return Walk(*this);
  }

  std::int64_t n_orders() const { return static_cast<std::int64_t>(outputs_.size()); }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    return value_of(handle, static_cast<std::size_t>(order));
  }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight; }

  void describe(double* value, const Bounds& bounds) const {
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      value[o] = std::clamp(outputs_[o].median, bounds.lower, bounds.upper);
  }
  template <class HandleAt>
  double impurity(std::int64_t, const HandleAt&) const {
    return node_loss_ / (weight_ * static_cast<double>(outputs_.size()));
  }

  static constexpr bool keeps_nodes = true;
  static constexpr bool needs_order = true;

 private:
  struct Output {
    std::vector<double> y, w;        // the node's targets on a grid, ascending
    std::vector<std::int32_t> rank;  // by handle: the place in y
    double lowest = 0.0, highest = 0.0;
    double median = 0.0;  // of the targets themselves
  };

  // Weights that are no whole numbers leave the last bits of a loss to chance. Without those, cuts
  // that are equally good score the same, and the first wins. No loss becomes zero by it.
  static constexpr double kLossSteps = 32.0;
  double on_grid(double loss) const {
    const double rounded = loss_grid_.round(loss);
    return rounded > 0.0 ? rounded : loss;
  }

  double value_of(std::uint32_t handle, std::size_t output) const {
    return target_.values[items_[handle].value * outputs_.size() + output];
  }

  template <class HandleAt>
  void sort_output(std::size_t o, std::int64_t n, const HandleAt& handle_at,
                   std::uint32_t last_handle) {
    Output& output = outputs_[o];
    sorted_.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t handle = handle_at(i);
      sorted_[static_cast<std::size_t>(i)] = {value_of(handle, o), handle};
    }
    std::sort(sorted_.begin(), sorted_.end());
    if (output.rank.size() <= last_handle) output.rank.resize(last_handle + std::size_t{1});
    output.y.resize(sorted_.size());
    output.w.resize(sorted_.size());
    double sizes = 0.0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      output.y[i] = sorted_[i].first;
      output.w[i] = items_[sorted_[i].second].weight;
      output.rank[sorted_[i].second] = static_cast<std::int32_t>(i);
      sizes += output.w[i] * std::abs(output.y[i]);
    }
    output.lowest = output.y.front();
    output.highest = output.y.back();
    output.median = node_median(output);
    const Grid grid = target_grid(sizes, weight_, n);
    for (double& y : output.y) y = grid.round(y);
  }

  static double node_median(const Output& output) {
    std::vector<loss::WeightedValue> values(output.y.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {output.y[i], output.w[i]};
    return loss::weighted_quantile(values, 0.5, loss::QuantileMethod::averaged_inverted_cdf);
  }

  const Target& target_;
  std::vector<Output> outputs_;
  const Item* items_ = nullptr;
  ShrinkingMedian medians_;
  std::vector<std::pair<double, std::uint32_t>> sorted_;
  std::vector<double> loss_, left_median_, right_median_;
  double weight_ = 0.0, node_loss_ = 0.0;
  Grid loss_grid_;
};

}  // namespace gramian::tree
