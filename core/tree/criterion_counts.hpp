// Criteria of classification: all are functions of the weighted class counts of both sides.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/criterion.hpp"
#include "tree/target.hpp"

namespace gramian::tree {

// Gini impurity: w (1 - sum_k (c_k / w)^2) = w - sum_k c_k^2 / w.
struct GiniTerms {
  double added(double count, double weight) const { return weight * (2.0 * count + weight); }
  double combine(double terms, double weight) const { return terms / weight; }
};

// Entropy in bits: -sum_k c_k log2(c_k / w) = w log2 w - sum_k c_k log2 c_k.
struct EntropyTerms {
  std::span<const double> table;  // c log2 c of whole numbers c; empty where weights are no counts

  double term(double count) const {
    if (!table.empty()) return table[static_cast<std::size_t>(count)];
    return count > 0.0 ? count * std::log2(count) : 0.0;
  }
  double added(double count, double weight) const { return term(count + weight) - term(count); }
  double combine(double terms, double weight) const { return terms - term(weight); }
};

// The counts of the classes of all outputs, side by side, on both sides of a cut.
class SideCounts {
 public:
  explicit SideCounts(const Target& target)
      : n_outputs_(target.n_outputs), width_(target.width()), n_classes_(target.n_classes) {
    std::int64_t offset = 0;
    for (const std::int32_t k : n_classes_) {
      offsets_.push_back(offset);
      offset += k;
    }
    total_.resize(static_cast<std::size_t>(width_));
    left_ = right_ = total_;
  }

  template <class HandleAt>
  void enter(const Payload& payload, std::int64_t n, const HandleAt& handle_at) {
    payload_ = payload;
    std::fill(total_.begin(), total_.end(), 0.0);
    weight_ = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t handle = handle_at(i);
      const double w = payload.weight_of(handle);
      weight_ += w;
      for (std::int64_t o = 0; o < n_outputs_; ++o) total_[place(handle, o)] += w;
    }
  }

  // Whether every output has one class only.
  bool is_pure() const {
    for (std::int64_t o = 0; o < n_outputs_; ++o) {
      const auto counts = of_output(total_, o);
      if (std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0.0; }) > 1)
        return false;
    }
    return true;
  }

  double weight() const { return weight_; }
  double weight_of(std::uint32_t handle) const { return payload_.weight_of(handle); }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return weight_ - left_weight_; }

  bool respects(int sign, const Bounds& bounds) const {
    return bounds.allow(left_[0] / left_weight(), right_[0] / right_weight(), sign);
  }
  // Between the two sides' shares of the first class: what separates their bounds.
  double middle() const {
    return 0.5 * (left_[0] / left_weight()) + 0.5 * (right_[0] / right_weight());
  }

  // The order of categories that is optimal for two classes; for more, one order for each class.
  std::int64_t n_orders() const { return width_ > 2 ? width_ : 1; }
  double order_value(std::uint32_t handle, std::int64_t order) const {
    const std::int64_t wanted = width_ > 2 ? order : 1;
    for (std::int64_t o = 0; o < n_outputs_; ++o)
      if (place(handle, o) == static_cast<std::size_t>(wanted)) return 1.0;
    return 0.0;
  }

  // A leaf's value, kept inside its bounds; clipping takes from one class what the other gets.
  void describe(double* value, const Bounds& bounds) const {
    std::copy(total_.begin(), total_.end(), value);
    if (width_ != 2) return;
    const double share = std::clamp(value[0] / weight_, bounds.lower, bounds.upper);
    if (share == value[0] / weight_) return;
    value[0] = share * weight_;
    value[1] = (1.0 - share) * weight_;
  }
  template <class HandleAt>
  double impurity(std::int64_t, const HandleAt&) const {
    return 0.0;  // not kept: it follows from the counts
  }

  static constexpr bool keeps_nodes = false;
  static constexpr bool needs_order = false;

 protected:
  std::size_t place(std::uint32_t handle, std::int64_t output) const {
    return static_cast<std::size_t>(offsets_[static_cast<std::size_t>(output)] +
                                    payload_.labels[handle * n_outputs_ + output]);
  }
  std::span<const double> of_output(const std::vector<double>& counts, std::int64_t output) const {
    const auto o = static_cast<std::size_t>(output);
    return std::span(counts).subspan(static_cast<std::size_t>(offsets_[o]),
                                     static_cast<std::size_t>(n_classes_[o]));
  }
  void reset_sides() {
    std::fill(left_.begin(), left_.end(), 0.0);
    right_ = total_;
    left_weight_ = 0.0;
  }

  std::int64_t n_outputs_;
  std::int64_t width_;
  std::span<const std::int32_t> n_classes_;
  std::vector<std::int64_t> offsets_;
  Payload payload_;
  std::vector<double> total_, left_, right_;
  double weight_ = 0.0;
  double left_weight_ = 0.0;
};

// Sums of one term for each class, kept up to date while rows move: a move costs the same for any
// number of classes.
template <class Terms, bool is_single>
class TermCriterion : public SideCounts {
 public:
  TermCriterion(const Target& target, Terms terms)
      : SideCounts(target),
        terms_(terms),
        left_terms_(static_cast<std::size_t>(target.n_outputs)),
        right_terms_(left_terms_),
        total_terms_(left_terms_) {}

  template <class HandleAt>
  void enter(const Payload& payload, std::int64_t n, const HandleAt& handle_at) {
    SideCounts::enter(payload, n, handle_at);
    for (std::size_t o = 0; o < total_terms_.size(); ++o) {
      total_terms_[o] = 0.0;
      for (const double count : of_output(total_, static_cast<std::int64_t>(o)))
        total_terms_[o] += terms_.added(0.0, count);
    }
  }

  void begin() {
    reset_sides();
    std::fill(left_terms_.begin(), left_terms_.end(), 0.0);
    right_terms_ = total_terms_;
  }

  void move(std::uint32_t handle) {
    const double w = payload_.weight_of(handle);
    left_weight_ += w;
    if constexpr (is_single) {
      move_count(static_cast<std::size_t>(payload_.labels[handle]), 0, w);
    } else {
      for (std::int64_t o = 0; o < n_outputs_; ++o)
        move_count(place(handle, o), static_cast<std::size_t>(o), w);
    }
  }

  double score() const {
    const double left = left_weight(), right = right_weight();
    if constexpr (is_single)
      return terms_.combine(left_terms_[0], left) + terms_.combine(right_terms_[0], right);
    double sum = 0.0;
    for (std::size_t o = 0; o < left_terms_.size(); ++o)
      sum += terms_.combine(left_terms_[o], left) + terms_.combine(right_terms_[o], right);
    return sum / static_cast<double>(n_outputs_);
  }

  double node_score() const {
    double sum = 0.0;
    for (const double terms : total_terms_) sum += terms_.combine(terms, weight_);
    return sum / static_cast<double>(n_outputs_);
  }

 private:
  void move_count(std::size_t place, std::size_t output, double w) {
    left_terms_[output] += terms_.added(left_[place], w);
    left_[place] += w;
    right_[place] -= w;
    right_terms_[output] -= terms_.added(right_[place], w);
  }

  Terms terms_;
  std::vector<double> left_terms_, right_terms_, total_terms_;
};

// Misclassification: w - max_k c_k.
class MisclassificationCriterion : public SideCounts {
 public:
  using SideCounts::SideCounts;

  void begin() { reset_sides(); }

  void move(std::uint32_t handle) {
    const double w = payload_.weight_of(handle);
    left_weight_ += w;
    for (std::int64_t o = 0; o < n_outputs_; ++o) {
      left_[place(handle, o)] += w;
      right_[place(handle, o)] -= w;
    }
  }

  double score() const { return largest(left_) + largest(right_); }
  double node_score() const { return largest(total_); }

 private:
  double largest(const std::vector<double>& counts) const {
    double sum = 0.0;
    for (std::int64_t o = 0; o < n_outputs_; ++o) {
      const auto of = of_output(counts, o);
      sum += *std::max_element(of.begin(), of.end());
    }
    return sum / static_cast<double>(n_outputs_);
  }
};

}  // namespace gramian::tree
