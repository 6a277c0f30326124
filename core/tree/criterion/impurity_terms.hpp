// Impurities of classes as sums of terms of the class counts c_k; w is their sum. A score is the
// larger, the purer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

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

}  // namespace gramian::tree
