// Criteria of classification: all are functions of the weighted class counts of both sides.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "tree/criterion/criterion.hpp"

namespace gramian::tree {

// Whether a cut of two classes may improve a score, by an inequality that is cheaper than the
// score. With the weight w and the share s of the second class in the node, and l and l2 on the
// left,
//   sum_k c_k^2 / w over both sides = (w - 2 c_2) + 2 (c_2 s + w (l2 - s l)^2 / (l (w - l))).
class GiniBound {
 public:
  GiniBound(double weight, double second)
      : weight_(weight), share_(second / weight), slack_(kRounding * weight) {
    base_ = 0.5 * (weight - 2.0 * second) + second * share_ + slack_;
  }
  bool may_improve(double l2, double l, double best) const {
    const double d = std::abs(l2 - share_ * l) + slack_;
    return weight_ * d * d > (0.5 * best - base_) * (l * (weight_ - l));
  }

 private:
  static constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  double weight_, share_, slack_, base_;
};

struct NoBound {
  NoBound(double, double) {}
  static bool may_improve(double, double, double) { return true; }
};

// Gini impurity: w (1 - sum_k (c_k / w)^2) = w - sum_k c_k^2 / w. Terms are squares of counts.
struct GiniTerms {
  static constexpr bool is_gini = true;
  using Bound = GiniBound;

  double perfect(double weight) const { return weight; }
  double term(double count) const { return count * count; }
  double added(double count, double weight) const { return weight * (2.0 * count + weight); }
  double combine(double terms, double weight) const { return terms / weight; }
  bool improves(double left, double left_weight, double right, double right_weight, double best,
                double& score) const {
    return ratio_improves(left * right_weight + right * left_weight, left_weight * right_weight,
                          best, score);
  }
  // Two classes, of which the second has the counts l2 and r2:
  //   sum_k c_k^2 / w over both sides = (w - 2 c_2) + 2 (l2^2 / l + r2^2 / r).
  static bool improves_two(double l2, double l, double r2, double r, double best, double& score) {
    const double rest = (l + r) - 2.0 * (l2 + r2);
    double ratio = 0.0;
    if (!ratio_improves(l2 * l2 * r + r2 * r2 * l, l * r, 0.5 * (best - rest), ratio)) return false;
    const double sum = rest + 2.0 * ratio;
    if (!(sum > best)) return false;
    score = sum;
    return true;
  }
};

// Entropy in bits: -sum_k c_k log2(c_k / w) = w log2 w - sum_k c_k log2 c_k.
struct EntropyTerms {
  static constexpr bool is_gini = false;
  using Bound = NoBound;

  std::span<const double> table;  // c log2 c of whole numbers c; empty where weights are no counts

  double perfect(double) const { return 0.0; }
  double term(double count) const {
    if (!table.empty()) return table[static_cast<std::size_t>(count)];
    return count > 0.0 ? count * std::log2(count) : 0.0;
  }
  double added(double count, double weight) const { return term(count + weight) - term(count); }
  double combine(double terms, double weight) const { return terms - term(weight); }
  bool improves(double left, double left_weight, double right, double right_weight, double best,
                double& score) const {
    const double sum = combine(left, left_weight) + combine(right, right_weight);
    if (!(sum > best)) return false;
    score = sum;
    return true;
  }
  bool improves_two(double l2, double l, double r2, double r, double best, double& score) const {
    return improves(term(l2) + term(l - l2), l, term(r2) + term(r - r2), r, best, score);
  }
};

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

// w - max_k c_k: the weight of the rows that the majority misclassifies.
struct MisclassificationTerms {
  double perfect(double weight) const { return weight; }
  double of(std::span<const double> counts, double) const {
    return *std::max_element(counts.begin(), counts.end());
  }
};

// Any terms, from the counts themselves.
template <class Terms>
struct CountTerms {
  Terms terms;

  double perfect(double weight) const { return terms.perfect(weight); }
  double of(std::span<const double> counts, double weight) const {
    double sum = 0.0;
    for (const double count : counts) sum += terms.term(count);
    return terms.combine(sum, weight);
  }
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
