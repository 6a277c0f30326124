// The components of a normal mixture, and their log-densities in blocks of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/buffer.hpp"
#include "base/views.hpp"
#include "bayes/normal.hpp"

namespace gramian::mixture {

// What covariances are: a matrix for each component, one for all, or variances of the columns.
enum class Form { full, tied, diagonal };

// log P(c, x) = constant_c - |F_c (x - mean_c)|^2 / 2. The factor F is k x p x p, p x p, or k x p:
// lower triangular, lower triangular, or the diagonal.
class Components {
 public:
  Components(Form form, MatrixView<const double> mean, std::span<const double> factor,
             std::span<const double> constant);

  std::int64_t k() const { return mean_.n_rows; }
  std::int64_t p() const { return mean_.n_cols; }
  Form form() const { return form_; }
  MatrixView<const double> mean() const { return mean_; }
  std::span<const double> constant() const { return constant_; }
  const bayes::NormalClasses& full() const { return *full_; }
  const bayes::NormalClasses& map() const { return *full_; }  // of tied ones: x -> F (x - shift)
  GaussianClasses diagonal() const;

 private:
  void set_tied(std::span<const double> factor);
  void set_diagonal(std::span<const double> factor);

  Form form_;
  MatrixView<const double> mean_;
  std::span<const double> constant_;
  Buffer<double> shift_, scale_, offset_;
  std::unique_ptr<bayes::NormalClasses> full_;
};

// Log-densities of blocks of at most JointBlock::kMostRows rows whose entries are adjacent.
template <class T>
class ComponentReader {
 public:
  explicit ComponentReader(const Components& components);

  // Writes the entries of a JointBlock; whether all squares were finite.
  bool operator()(const T* rows, std::int64_t row_stride, std::int64_t n, double* joint);

 private:
  const Components* components_;
  Buffer<double> block_, mapped_, scratch_;
};

}  // namespace gramian::mixture
