// Criteria of more than two classes, or of several outputs: functions of the class counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tree/criterion/node_counts.hpp"

namespace gramian::tree {

// Several classes: the sum of one term for each is kept up to date while rows move, so that a move
// costs the same for any number of classes.
template <class Terms, bool is_weighted>
class TermCriterion : public NodeCounts {
 public:
  using Item = RowItem<std::int32_t, is_weighted>;

  TermCriterion(std::int64_t n_classes, Terms terms)
      : NodeCounts(n_classes), terms_(terms), left_(total_), right_(total_) {}

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    return single_items<std::int32_t, is_weighted>(target.labels, weight);
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    std::fill(total_.begin(), total_.end(), 0.0);
    weight_ = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Item item = items[handle_at(i)];
      weight_ += item.weight;
      total_[static_cast<std::size_t>(item.value)] += item.weight;
    }
  }
  // The same, of rows whose weights of the classes are known.
  void enter(const Item* items, std::span<const double> weights) {
    items_ = items;
    std::copy(weights.begin(), weights.end(), total_.begin());
    weight_ = std::accumulate(total_.begin(), total_.end(), 0.0);
  }
  // The same, of rows that are known elsewhere: the weight of each class.
  void enter(const std::uint32_t* weights) {
    std::copy_n(weights, total_.size(), total_.begin());
    weight_ = std::accumulate(total_.begin(), total_.end(), 0.0);
  }

  class Walk {
   public:
    explicit Walk(TermCriterion& node)
        : items_(node.items_),
          terms_(node.terms_),
          left_counts_(node.left_.data()),
          right_counts_(node.right_.data()),
          weight_(node.weight_),
          right_terms_(node.sum_of_terms()) {}

    void move(std::uint32_t handle) {
      const Item item = items_[handle];
      double& left = left_counts_[item.value];
      double& right = right_counts_[item.value];
      left_ += item.weight;
      left_terms_ += terms_.added(left, item.weight);
      left += item.weight;
      right -= item.weight;
      right_terms_ -= terms_.added(right, item.weight);
    }
    void move_if(std::uint32_t handle, bool goes_left) {
      if (goes_left) move(handle);
    }
    double left_weight() const { return left_; }
    double right_weight() const { return weight_ - left_; }
    bool improves(double best, double& score) const {
      return terms_.improves(left_terms_, left_, right_terms_, right_weight(), best, score);
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(left_counts_[0] / left_, right_counts_[0] / right_weight(), sign);
    }
    double middle() const {
      return 0.5 * (left_counts_[0] / left_) + 0.5 * (right_counts_[0] / right_weight());
    }

   private:
    const Item* items_;
    Terms terms_;
    double* left_counts_;
    double* right_counts_;
    double weight_;
    double left_ = 0.0, left_terms_ = 0.0, right_terms_;
  };

  template <class HandleAt>
  Walk walk(std::int64_t, const HandleAt&) {
    std::fill(left_.begin(), left_.end(), 0.0);
    right_ = total_;
    return Walk(*this);
  }

  // Moves counts of whole weights, all classes at a time.
  class CountWalk {
   public:
    explicit CountWalk(TermCriterion& node)
        : terms_(node.terms_),
          left_counts_(node.left_),
          total_(node.total_),
          weight_(node.weight_) {}

    void move(const std::uint32_t* weights) {
      for (std::size_t k = 0; k < total_.size(); ++k) {
        left_counts_[k] += weights[k];
        left_ += weights[k];
      }
    }
    double left_weight() const { return left_; }
    double right_weight() const { return weight_ - left_; }
    bool improves(double best, double& score) const {
      double left_terms = 0.0, right_terms = 0.0;
      for (std::size_t k = 0; k < total_.size(); ++k) {
        left_terms += terms_.term(left_counts_[k]);
        right_terms += terms_.term(total_[k] - left_counts_[k]);
      }
      return terms_.improves(left_terms, left_, right_terms, right_weight(), best, score);
    }

   private:
    Terms terms_;
    std::vector<double>& left_counts_;
    const std::vector<double>& total_;
    double weight_;
    double left_ = 0.0;
  };
  CountWalk count_walk() {
    std::fill(left_.begin(), left_.end(), 0.0);
    return CountWalk(*this);
  }
  static constexpr bool is_counted = Terms::is_gini && is_weighted;  // see counted.hpp

  // A cut of which the weight on the left and the sums of terms on both sides are known.
  class SumWalk {
   public:
    SumWalk(const TermCriterion& node, double left, double left_terms, double right_terms)
        : terms_(node.terms_),
          weight_(node.weight_),
          left_(left),
          left_terms_(left_terms),
          right_terms_(right_terms) {}

    double left_weight() const { return left_; }
    double right_weight() const { return weight_ - left_; }
    bool improves(double best, double& score) const {
      return terms_.improves(left_terms_, left_, right_terms_, right_weight(), best, score);
    }

   private:
    Terms terms_;
    double weight_, left_, left_terms_, right_terms_;
  };
  SumWalk walk_to(double left, double left_terms, double right_terms) const {
    return SumWalk(*this, left, left_terms, right_terms);
  }

  std::size_t n_classes() const { return total_.size(); }

  double node_score() const { return terms_.combine(sum_of_terms(), weight_); }
  double perfect_score(std::int64_t) const { return terms_.perfect(weight_); }

  // For categories: one order for each class.
  std::int64_t n_orders() const { return static_cast<std::int64_t>(total_.size()); }
  static std::size_t ordered_class(std::int64_t order) { return static_cast<std::size_t>(order); }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    return items_[handle].value == order ? 1.0 : 0.0;
  }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight; }

 private:
  double sum_of_terms() const {
    double sum = 0.0;
    for (const double count : total_) sum += terms_.term(count);
    return sum;
  }

  Terms terms_;
  const Item* items_ = nullptr;
  std::vector<double> left_, right_;
};

// Several outputs, or a criterion that cannot be kept up to date: everything from the counts, the
// mean over the outputs.
template <class Score>
class CountCriterion : public NodeCounts {
 public:
  using Item = RowItem<std::uint32_t, true>;

  CountCriterion(const Target& target, Score score)
      : NodeCounts(target.width()), target_(target), score_(score), left_(total_), right_(total_) {
    std::int64_t offset = 0;
    for (const std::int32_t k : target.n_classes) {
      offsets_.push_back(offset);
      offset += k;
    }
  }

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    return numbered_items(target.n_rows, weight);
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    std::fill(total_.begin(), total_.end(), 0.0);
    weight_ = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Item item = items[handle_at(i)];
      weight_ += item.weight;
      for (std::size_t o = 0; o < offsets_.size(); ++o) total_[place(item.value, o)] += item.weight;
    }
  }

  bool is_pure() const {
    for (std::size_t o = 0; o < offsets_.size(); ++o) {
      const auto counts = of_output(total_, o);
      if (std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0.0; }) > 1)
        return false;
    }
    return true;
  }

  class Walk {
   public:
    explicit Walk(CountCriterion& node) : node_(node) {}

    void move(std::uint32_t handle) {
      const Item item = node_.items_[handle];
      left_ += item.weight;
      for (std::size_t o = 0; o < node_.offsets_.size(); ++o) {
        node_.left_[node_.place(item.value, o)] += item.weight;
        node_.right_[node_.place(item.value, o)] -= item.weight;
      }
    }
    void move_if(std::uint32_t handle, bool goes_left) {
      if (goes_left) move(handle);
    }
    double left_weight() const { return left_; }
    double right_weight() const { return node_.weight_ - left_; }
    bool improves(double best, double& score) const {
      const double sum =
          node_.mean_score(node_.left_, left_) + node_.mean_score(node_.right_, right_weight());
      if (!(sum > best)) return false;
      score = sum;
      return true;
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(node_.left_[0] / left_, node_.right_[0] / right_weight(), sign);
    }
    double middle() const {
      return 0.5 * (node_.left_[0] / left_) + 0.5 * (node_.right_[0] / right_weight());
    }

   private:
    CountCriterion& node_;
    double left_ = 0.0;
  };

  template <class HandleAt>
  Walk walk(std::int64_t, const HandleAt&) {
    std::fill(left_.begin(), left_.end(), 0.0);
    right_ = total_;
    return Walk(*this);
  }
  double node_score() const { return mean_score(total_, weight_); }
  double perfect_score(std::int64_t) const { return score_.perfect(weight_); }

  // For categories: the share of each class of each output.
  std::int64_t n_orders() const { return static_cast<std::int64_t>(total_.size()); }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    for (std::size_t o = 0; o < offsets_.size(); ++o)
      if (place(items_[handle].value, o) == static_cast<std::size_t>(order)) return 1.0;
    return 0.0;
  }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight; }

 private:
  std::size_t place(std::uint32_t row, std::size_t output) const {
    return static_cast<std::size_t>(offsets_[output] +
                                    target_.labels[row * offsets_.size() + output]);
  }
  std::span<const double> of_output(const std::vector<double>& counts, std::size_t output) const {
    return std::span(counts).subspan(static_cast<std::size_t>(offsets_[output]),
                                     static_cast<std::size_t>(target_.n_classes[output]));
  }
  double mean_score(const std::vector<double>& counts, double weight) const {
    double sum = 0.0;
    for (std::size_t o = 0; o < offsets_.size(); ++o)
      sum += score_.of(of_output(counts, o), weight);
    return sum / static_cast<double>(offsets_.size());
  }

  const Target& target_;
  Score score_;
  std::vector<std::int64_t> offsets_;
  const Item* items_ = nullptr;
  std::vector<double> left_, right_;
};

}  // namespace gramian::tree
