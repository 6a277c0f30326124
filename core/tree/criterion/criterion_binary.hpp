// The criteria of two classes.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tree/criterion/node_counts.hpp"

namespace gramian::tree {

// Two classes: the weight of the second one says it all. Sums of weights, not choices by label: a
// label is nothing that a processor could predict.
class WeightedBit {
 public:
  WeightedBit() = default;
  WeightedBit(bool is_second, double weight) : signed_(is_second ? -weight : weight) {}
  double weight() const { return std::abs(signed_); }
  // The weight if the label is one; arithmetic, since nothing could predict a branch.
  double second() const { return 0.5 * (std::abs(signed_) - signed_); }

 private:
  double signed_ = 0.0;  // half the cache of two numbers
};
class PlainBit {
 public:
  PlainBit() = default;
  PlainBit(bool is_second, double) : is_second_(is_second) {}
  static constexpr double weight() { return 1.0; }
  double second() const { return is_second_; }

 private:
  std::uint8_t is_second_ = 0;
};

template <class Terms, bool is_weighted>
class BinaryCriterion : public NodeCounts {
 public:
  static constexpr bool is_additive = true;
  static constexpr bool is_packed = is_weighted && Terms::is_gini;  // see packed.hpp

  using Item = std::conditional_t<is_weighted, WeightedBit, PlainBit>;

  explicit BinaryCriterion(Terms terms) : NodeCounts(2), terms_(terms) {}

  static std::vector<Item> items(const Target& target, std::span<const double> weight) {
    std::vector<Item> items;
    items.reserve(target.labels.size());
    for (std::size_t i = 0; i < target.labels.size(); ++i) {
      items.emplace_back(target.labels[i] != 0, weight.empty() ? 1.0 : weight[i]);
    }
    return items;
  }

  template <class HandleAt>
  void enter(const Item* items, std::int64_t n, const HandleAt& handle_at) {
    items_ = items;
    using Sum = std::conditional_t<is_weighted, double, std::int64_t>;
    Sum weight_sum{}, second_sum{};
    for (std::int64_t i = 0; i < n; ++i) {
      const Item item = items[handle_at(i)];
      weight_sum += static_cast<Sum>(item.weight());
      second_sum += static_cast<Sum>(item.second());
    }
    // All rows being of the second class, both sums have the same terms in the same order.
    enter(static_cast<double>(weight_sum), static_cast<double>(second_sum));
  }
  // The same, of rows that are known elsewhere.
  void enter(double weight, double second) {
    weight_ = weight;
    total_[0] = weight - second;
    total_[1] = second;
  }

  class Walk {
   public:
    explicit Walk(const BinaryCriterion& node, double left = 0.0, double left_second = 0.0)
        : items_(node.items_),
          terms_(node.terms_),
          bound_(node.weight_, node.total_[1]),
          weight_(node.weight_),
          second_(node.total_[1]),
          left_(left),
          left_second_(left_second) {}

    void move(std::uint32_t handle) {
      const Item item = items_[handle];
      left_ += item.weight();
      left_second_ += item.second();
    }
    void move(const std::uint32_t* weights) {  // of both classes
      left_ += static_cast<double>(weights[0]) + static_cast<double>(weights[1]);
      left_second_ += weights[1];
    }
    void move_if(std::uint32_t handle, bool goes_left) {
      const Item item = items_[handle];
      const auto taken = static_cast<double>(goes_left);
      left_ += taken * item.weight();
      left_second_ += taken * item.second();
    }
    double left_weight() const { return left_; }
    double right_weight() const { return weight_ - left_; }
    bool improves(double best, double& score) const {
      if (!bound_.may_improve(left_second_, left_, best)) return false;
      return terms_.improves_two(left_second_, left_, second_ - left_second_, right_weight(), best,
                                 score);
    }
    bool respects(int sign, const Bounds& bounds) const {
      return bounds.allow(left_share(), right_share(), sign);
    }
    // Between the shares of the first class: what separates the bounds of the two sides.
    double middle() const { return 0.5 * left_share() + 0.5 * right_share(); }

   private:
    double left_share() const { return (left_ - left_second_) / left_; }
    double right_share() const {
      return (right_weight() - (second_ - left_second_)) / right_weight();
    }

    const Item* items_;
    Terms terms_;
    typename Terms::Bound bound_;
    double weight_, second_;
    double left_, left_second_;
  };

  template <class HandleAt>
  Walk walk(std::int64_t, const HandleAt&) {
    return Walk(*this);
  }
  Walk count_walk() const { return Walk(*this); }
  double second() const { return total_[1]; }
  double addend(std::uint32_t handle) const { return items_[handle].second(); }
  Walk walk_to(double left, double left_second) const { return Walk(*this, left, left_second); }
  double node_score() const {
    return terms_.combine(terms_.term(total_[0]) + terms_.term(total_[1]), weight_);
  }
  double perfect_score(std::int64_t) const { return terms_.perfect(weight_); }

  std::int64_t n_orders() const { return 1; }
  static std::size_t ordered_class(std::int64_t) { return 1; }
  double order_value(std::uint32_t handle, std::int64_t) const {
    return items_[handle].second() > 0.0 ? 1.0 : 0.0;
  }
  double weight_of(std::uint32_t handle) const { return items_[handle].weight(); }

 private:
  Terms terms_;
  const Item* items_ = nullptr;
};

}  // namespace gramian::tree
