// The weights of a stochastic gradient descent, and their average, kept so that a step costs no
// more than the entries of its row.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "solve/sgd/sgd_rows.hpp"

namespace gramian::solve {

// The weights are  w = scale v,  so that weight decay changes one number. Their average is
// (average + a v) / b,  so that a step changes `average` in the columns of its row alone (Bottou,
// "Stochastic gradient descent tricks", 2012).
class SgdWeights {
 public:
  struct Keeps {
    bool average;
    bool l1_penalty;
    bool magnitudes;
  };

  SgdWeights(std::span<const double> coef, std::span<const double> average, Keeps keeps)
      : keeps_(keeps), n_(static_cast<std::int64_t>(coef.size())), v_(padded(coef)) {
    if (keeps.average) average_ = padded(average);
    if (keeps.l1_penalty) given_ = Buffer<double>::zeros(v_.size());
    for (const double w : coef) {
      norms_.squares += w * w;
      norms_.magnitudes += std::abs(w);
    }
  }

  template <class Row>
  double dot(const Row& row) const {
    return scale_ * row.dot(v_.data());
  }

  // The last measured |w|^2 and sum of |w_j|. A sparse row measures its own columns only.
  double squares() const { return norms_.squares * scale_ * scale_; }
  double magnitudes() const { return norms_.magnitudes * scale_; }

  void decay(double factor) {
    scale_ *= factor;
    if (scale_ < kMinScale) settle();
  }

  // w += c row.
  template <class Row>
  void add(const Row& row, double c) {
    norms_ = row.add(c / scale_, v_.data(), keeps_.magnitudes);
  }

  // Takes w, after add(row, c), as the n-th of the averaged weights.
  template <class Row>
  void take_average(const Row& row, double c, double n) {
    if (c != 0.0 && a_ != 0.0) row.add(-a_ * c / scale_, average_.data(), false);
    if (n > 1.0) b_ /= 1.0 - 1.0 / n;
    a_ += b_ * scale_ / n;
  }

  // Applies the L1 penalty `total` of all steps so far to the columns of the row.
  template <class Row>
  void shrink(const Row& row, double total) {
    row.shrink({total, scale_}, v_.data(), given_.data());
  }

  bool is_finite() const {
    for (std::int64_t j = 0; j < n_; ++j)
      if (!std::isfinite(v_[j])) return false;
    return true;
  }

  // Carries out what is pending: afterwards v is w, and `average` the average. O(p).
  void settle() {
    if (keeps_.average)
      for (std::int64_t j = 0; j < n_; ++j) average_[j] = (average_[j] + a_ * v_[j]) / b_;
    for (std::int64_t j = 0; j < n_; ++j) v_[j] *= scale_;
    norms_ = {squares(), magnitudes()};
    scale_ = 1.0;
    a_ = 0.0;
    b_ = 1.0;
  }

  // Valid after settle().
  std::span<const double> coef() const { return {v_.data(), static_cast<std::size_t>(n_)}; }
  std::span<const double> average() const {
    return {average_.data(), static_cast<std::size_t>(n_)};
  }

 private:
  static constexpr double kMinScale = 1e-9;

  static Buffer<double> padded(std::span<const double> values) {
    auto out = Buffer<double>::zeros(padded_size(static_cast<std::int64_t>(values.size())));
    std::copy(values.begin(), values.end(), out.begin());
    return out;
  }

  Keeps keeps_;
  std::int64_t n_;
  Buffer<double> v_, average_, given_;
  Norms norms_;
  double scale_ = 1.0;
  double a_ = 0.0, b_ = 1.0;
};

}  // namespace gramian::solve
